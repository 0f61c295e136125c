package org.namdb.compute;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;

/// Databases on simulated disks, and what is in them.
final class DurableDatabases {
    static final int SEGMENT_BYTES = 1 << 16;

    private DurableDatabases() {}

    /// With small segments, and no checkpoint.
    static JournalOptions journal(SimDisk disk) {
        return JournalOptions.in(Path.of("unused"))
                .on(() -> disk, "the disk")
                .withBytes(SEGMENT_BYTES, Long.MAX_VALUE);
    }

    static NamDb open(SimDisk disk) {
        return open(journal(disk));
    }

    static NamDb open(JournalOptions journal) {
        return NamDb.embedded(
                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withJournal(journal));
    }

    /// A table with a number, a text that may be missing, and another text.
    static TableDefinition.Builder things(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("amount", ColumnType.INT64)
                .nullable("note", ColumnType.varchar(20))
                .column("text", ColumnType.varchar(200))
                .primaryKey("id")
                .expectedRows(100);
    }

    static Key id(Table table, long id) {
        return table.newKey().set(id);
    }

    static void put(NamDb db, Table table, long id, long amount) {
        db.transact(tx -> {
            Row row = tx.read(table, id(table, id));
            if (row == null) {
                row = tx.insert(table, id(table, id));
            }
            return row.setInt64(table.column("amount"), amount)
                    .setString(table.column("text"), "thing " + id);
        });
    }

    /// All tables, their columns, indexes and rows, in order.
    static String contents(NamDb db) {
        StringBuilder text = new StringBuilder();
        for (String name : db.tableNames()) {
            Table table = db.table(name);
            text.append(name).append(' ').append(table.definition().columns()).append(' ');
            List<String> indexes = new ArrayList<>();
            table.allIndexes().forEach(index -> indexes.add(index.definition().toString()));
            Collections.sort(indexes);
            text.append(table.definition().properties()).append(indexes).append('\n');
            rows(db, table).forEach((id, row) -> text.append("  ").append(row).append('\n'));
        }
        return text.toString();
    }

    static Map<Long, String> rows(NamDb db, Table table) {
        return db.transact(tx -> rows(tx, table));
    }

    static Map<Long, String> rows(Transaction tx, Table table) {
        Map<Long, String> rows = new TreeMap<>();
        TableScan scan = tx.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            StringBuilder text = new StringBuilder();
            for (Column column : table.schema().payloadColumns()) {
                text.append(column.name()).append('=').append(value(row, column)).append(' ');
            }
            long id = row.keyWord(0) ^ Long.MIN_VALUE;
            String before = rows.put(id, id + ": " + text);
            if (before != null) {
                throw new AssertionError("twice: " + before);
            }
        }
        return rows;
    }

    private static String value(Row row, Column column) {
        if (row.isNull(column)) {
            return "NULL";
        }
        return column.type().equals(ColumnType.INT64)
                ? Long.toString(row.int64(column))
                : "'" + row.string(column) + "'";
    }
}
