package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.namdb.compute.Schema;
import org.namdb.compute.TransactionSchema;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.KeyShares;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.record.KeyLengths;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes tables and indexes in the store, and drops what it has made if it fails.
final class TableMaker {
    private final DdlContext context;
    private final Schema db;
    private final List<Runnable> undo = new ArrayList<>();

    TableMaker(DdlContext context) {
        this.context = context;
        this.db = context.db();
    }

    /// Does some steps; when one fails, those before it are undone.
    void run(Runnable steps) {
        try {
            steps.run();
        } catch (RuntimeException e) {
            if (db instanceof TransactionSchema) {
                throw e; // the transaction's rollback undoes it
            }
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

    /// Makes an index, in the place of one that was never filled.
    ///
    /// @throws SqlException 54000 if the columns don't fit, or a row has too long a value
    Index index(IndexDefinition definition) {
        if (db.findUnfilledIndex(definition.name()) != null) {
            db.dropIndex(definition.name());
        }
        Index made;
        try {
            made = db.createIndex(definition, context::read);
        } catch (KeyTooLongException e) {
            throw KeyLengths.tooLong(e, definition.name());
        } catch (IllegalArgumentException e) {
            throw outOfMemory(definition.name(), e);
        }
        undo.add(() -> db.dropIndex(definition.name()));
        return made;
    }

    /// Drops an index, which is made again if a later step fails.
    void dropIndex(IndexDefinition definition) {
        db.dropIndex(definition.name());
        undo.add(() -> db.createIndex(definition));
    }

    /// The hidden table of a unique index: its columns are the key `u0, u1, ..`, and the primary
    /// key's columns the payload `p0, p1, ..`. Its key has all the bytes of a key, as no index
    /// needs space in addition to it. Its physical design is the table's, except for neighbours.
    ///
    /// @throws SqlException 54000 if that is not enough
    static TableDefinition uniqueTable(TableDefinition table, UniqueKey key) {
        TableDefinition.Builder builder = table.withoutColumns(key.tableName()).neighbours(0);
        List<String> keyColumns = new ArrayList<>();
        List<ColumnType> declared =
                key.columns().stream().map(column -> table.column(column).type()).toList();
        for (ColumnType type : keyTypes(key.columns(), declared, key.name())) {
            String name = "u" + keyColumns.size();
            keyColumns.add(name);
            builder.column(name, type);
        }
        KeyLayout primaryKey = new RecordSchema(table).key();
        for (int i = 0; i < primaryKey.columns(); i++) {
            builder.column("p" + i, primaryKey.type(i));
        }
        return builder.primaryKey(keyColumns.toArray(String[]::new)).build();
    }

    /// The types of a unique index's columns, cut where not all fit.
    ///
    /// @throws SqlException 54000 if they can't be cut
    static List<ColumnType> keyTypes(List<String> columns, List<ColumnType> types, String index) {
        try {
            return KeyShares.fitted(columns, types, KeyShares.MAX_BYTES);
        } catch (IllegalArgumentException e) {
            throw outOfMemory(index, e);
        }
    }

    /// The error of a key whose columns don't fit.
    static SqlException outOfMemory(String index, IllegalArgumentException cause) {
        return new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "index \"" + index + "\" can't be kept: " + cause.getMessage())
                .causedBy(cause);
    }

    /// The index that serves ranges of a table's primary key.
    ///
    /// @param key the primary key's name
    static IndexDefinition keyOrder(TableDefinition table, String key) {
        return new IndexDefinition(
                SqlTable.keyOrderName(key),
                table.name(),
                table.primaryKey(),
                IndexDefinition.Kind.ORDERED);
    }

    /// The index by which the rows that refer by a foreign key are found, where there is no other.
    /// Its name is none that a user may choose.
    IndexDefinition referencingIndex(ForeignKeyConstraint key) {
        String chosen = UniqueKey.HIDDEN + "foreign:" + key.name();
        String name = chosen;
        for (int number = 1; context.catalog().hasRelation(name); number++) {
            name = chosen + ":" + number;
        }
        return new IndexDefinition(name, key.table(), key.columns(), IndexDefinition.Kind.ORDERED)
                .property(SqlIndex.FOREIGN_KEY, key.name());
    }
}
