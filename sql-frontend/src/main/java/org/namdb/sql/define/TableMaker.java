package org.namdb.sql.define;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.namdb.compute.NamDb;
import org.namdb.compute.Table;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.catalog.ForeignKeyConstraint;
import org.namdb.sql.catalog.UniqueKey;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;

/// Makes tables and indexes in the store, and takes back what it has made when something goes wrong.
final class TableMaker {
    private final NamDb db;
    private final List<Runnable> undo = new ArrayList<>();

    TableMaker(NamDb db) {
        this.db = db;
    }

    /// Does some steps; when one fails, those before it are undone.
    void run(Runnable steps) {
        try {
            steps.run();
        } catch (RuntimeException e) {
            Collections.reverse(undo);
            for (Runnable step : undo) {
                try {
                    step.run();
                } catch (RuntimeException second) {
                    e.addSuppressed(second);
                }
            }
            throw e;
        }
    }

    Table table(TableDefinition definition) {
        Table made;
        try {
            made = db.createTable(definition);
        } catch (IllegalArgumentException e) {
            throw new SqlException(SqlState.PROGRAM_LIMIT_EXCEEDED, String.valueOf(e.getMessage()))
                    .causedBy(e);
        }
        undo.add(() -> db.dropTable(definition.name()));
        return made;
    }

    void index(IndexDefinition definition) {
        try {
            db.createIndex(definition);
        } catch (IllegalArgumentException e) {
            throw new SqlException(SqlState.PROGRAM_LIMIT_EXCEEDED, String.valueOf(e.getMessage()))
                    .causedBy(e);
        }
        undo.add(() -> db.dropIndex(definition.name()));
    }

    /// The hidden table of a unique index: its columns are the key `u0, u1, ..`, and the primary key's columns the payload `p0, p1, ..`.
    static TableDefinition uniqueTable(TableDefinition table, UniqueKey key) {
        TableDefinition.Builder builder =
                TableDefinition.named(key.tableName())
                        .bucketRecords(table.bucketRecords())
                        .inlined(table.inlined())
                        .versions(table.versions())
                        .expectedRows(table.expectedRows())
                        .load(table.load());
        List<String> keyColumns = new ArrayList<>();
        for (String column : key.columns()) {
            String name = "u" + keyColumns.size();
            keyColumns.add(name);
            builder.column(name, column(table, column).type());
        }
        for (int i = 0; i < table.primaryKey().size(); i++) {
            builder.column("p" + i, column(table, table.primaryKey().get(i)).type());
        }
        return builder.primaryKey(keyColumns.toArray(String[]::new)).build();
    }

    /// The index by which the rows that refer by a foreign key are found, where there is no other.
    static IndexDefinition referencingIndex(ForeignKeyConstraint key, String name) {
        return new IndexDefinition(name, key.table(), key.columns(), IndexDefinition.Kind.HASH)
                .property(AUTOMATIC, key.name());
    }

    /// The property of an index that was made for a foreign key, with the key's name.
    static final String AUTOMATIC = "sql.foreign";

    private static TableDefinition.ColumnDefinition column(TableDefinition table, String name) {
        return table.columns().stream()
                .filter(column -> column.name().equals(name))
                .findAny()
                .orElseThrow();
    }
}
