package org.namdb.compute.schema;

import java.util.List;
import org.namdb.mvcc.schema.TableDefinition;

/// Is told of every change of the schema by whoever makes it, while the catalog's connection is
/// locked; one at a time.
public interface DefinitionJournal {
    /// Keeps nothing.
    DefinitionJournal NONE =
            new DefinitionJournal() {
                private static final Entry NOTHING =
                        new Entry() {
                            @Override
                            public void append(List<Table> tables, List<Integer> gone) {
                                // Nobody asks later.
                            }

                            @Override
                            public void close() {
                                // Nothing was reserved.
                            }
                        };

                @Override
                public Entry reserve(List<Table> tables, List<TableDefinition> definitions) {
                    return NOTHING;
                }

                @Override
                public void await() {
                    // There is nothing to wait for.
                }
            };

    /// Makes sure of room for a change, before anything is changed.
    ///
    /// @param tables those that it concerns, as they are
    /// @param definitions those that it gives to tables
    /// @throws RuntimeException if there is none
    Entry reserve(List<Table> tables, List<TableDefinition> definitions);

    /// Waits until what it was told is as safe as what is committed. Nothing is locked meanwhile.
    void await();

    /// Room for a change; given back where it was not used.
    interface Entry extends AutoCloseable {
        /// The catalog was changed. Can't fail: where nothing can be kept any more, nobody is told
        /// of the change, either.
        ///
        /// @param tables those that are from now on as they are now, with those of their indexes
        ///     that are filled
        /// @param gone the numbers of those that are gone
        void append(List<Table> tables, List<Integer> gone);

        @Override
        void close();
    }
}
