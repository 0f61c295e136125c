package org.namdb.compute.schema;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.namdb.mvcc.schema.TableDefinition;

/// Notified of every schema change by the thread that makes it, while the catalog's connection is
/// locked; one at a time.
public interface SchemaJournal {
    /// Keeps nothing.
    SchemaJournal NONE =
            new SchemaJournal() {
                private static final Entry NOTHING =
                        new Entry() {
                            @Override
                            public void append(List<Table> tables, List<Integer> gone) {
                                // Ignored by default.
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

    /// Reserves space for a change, before anything is changed.
    ///
    /// @param tables those that it concerns, as they are
    /// @param definitions the tables' new definitions
    /// @throws RuntimeException if there is none
    Entry reserve(List<Table> tables, List<TableDefinition> definitions);

    /// Runs a commit that a schema change takes effect with: a crash leaves both or neither. No
    /// other session commits meanwhile.
    ///
    /// @param reserved space for the change
    /// @param tables as [Entry#append]
    /// @param gone as [Entry#append]
    /// @param commit returns whether it has committed; if not, the change has not been made
    default void withCommit(
            Entry reserved, List<Table> tables, List<Integer> gone, BooleanSupplier commit) {
        boolean _ = commit.getAsBoolean();
    }

    /// Waits until what it was given is as durable as what is committed. Nothing is locked
    /// meanwhile.
    void await();

    /// Space for a change; released where it was not used.
    interface Entry extends AutoCloseable {
        /// The catalog was changed. Can't fail: where nothing can be kept any more, the change is
        /// not acknowledged, either.
        ///
        /// @param tables those that are from now on as they are now, with those of their indexes
        ///     that are filled
        /// @param gone the numbers of those that were dropped
        void append(List<Table> tables, List<Integer> gone);

        @Override
        void close();
    }
}
