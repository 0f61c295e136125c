package org.namdb.tpcc.schema;

import java.util.Objects;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The source of a schema's tables: they are made, or were made before.
interface TpccTables {
    /// The table that is defined so.
    Table table(TableDefinition definition);

    /// The index of this definition; of a table that was returned before.
    Index index(IndexDefinition definition);

    /// Makes them, empty.
    static TpccTables create(NamDb db) {
        return new TpccTables() {
            @Override
            public Table table(TableDefinition definition) {
                return db.createTable(definition);
            }

            @Override
            public Index index(IndexDefinition definition) {
                return db.createIndex(definition);
            }
        };
    }

    /// Finds them by their names.
    static TpccTables open(NamDb db) {
        return new TpccTables() {
            @Override
            public Table table(TableDefinition definition) {
                return db.table(definition.name());
            }

            @Override
            public Index index(IndexDefinition definition) {
                return Objects.requireNonNull(db.findIndex(definition.name()), definition.name());
            }
        };
    }
}
