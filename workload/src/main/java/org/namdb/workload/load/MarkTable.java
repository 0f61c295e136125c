package org.namdb.workload.load;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// The table that holds a benchmark's [LoadMark].
///
/// @param name of the table
/// @param sizes the names of the mark's sizes: a column each
public record MarkTable(String name, List<String> sizes) {
    private static final int ONLY_KEY = 1;

    public MarkTable {
        sizes = List.copyOf(sizes);
    }

    /// The mark of a database.
    ///
    /// @return null if no process has begun to load
    public @Nullable LoadMark find(NamDb db, Session session) {
        Table table = db.findTable(name);
        return table == null
                ? null
                : session.transact(tx -> {
                    Row row = tx.read(table, key(table));
                    return row == null ? null : mark(table, row);
                });
    }

    /// Tries to become the process that loads, by inserting the mark.
    ///
    /// @return false if another process was first
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it
    public boolean claim(NamDb db, Session session, LoadMark mark) {
        Table table = table(db);
        try {
            return session.transact(tx -> {
                boolean isFirst = tx.read(table, key(table)) == null;
                if (isFirst) {
                    fill(table, tx.insert(table, key(table)), mark);
                }
                return isFirst;
            });
        } catch (TransactionException e) {
            if (e.outcome() instanceof CommitOutcome.DuplicateKey) {
                return false;
            }
            throw e;
        }
    }

    /// Replaces the mark that is there. For its loader.
    public void write(NamDb db, Session session, LoadMark mark) {
        Table table = db.table(name);
        session.transact(tx -> {
            fill(table, Objects.requireNonNull(tx.read(table, key(table)), name), mark);
            return true;
        });
    }

    /// Made by the first process that needs it.
    private Table table(NamDb db) {
        Table table = db.findTable(name);
        if (table != null) {
            return table;
        }
        try {
            return db.createTable(definition());
        } catch (IllegalArgumentException e) {
            return db.table(name); // another process was faster
        }
    }

    private TableDefinition definition() {
        TableDefinition.Builder table =
                TableDefinition.named(name)
                        .column("id", ColumnType.INT32)
                        .column("state", ColumnType.varchar(16));
        sizes.forEach(size -> table.column(size, ColumnType.INT32));
        return table.column("seed", ColumnType.INT64)
                .column("versions", ColumnType.INT32)
                .column("loader", ColumnType.INT32)
                .column("loaded_rows", ColumnType.INT64)
                .column("micros", ColumnType.INT64)
                .column("region_bytes", ColumnType.INT64)
                .primaryKey("id")
                .bucketRecords(1)
                .expectedRows(1)
                .build();
    }

    private static Key key(Table table) {
        return table.newKey().set(ONLY_KEY);
    }

    private LoadMark mark(Table table, Row row) {
        Map<String, Integer> values = new LinkedHashMap<>();
        sizes.forEach(size -> values.put(size, row.int32(table.column(size))));
        return new LoadMark(
                LoadMark.State.valueOf(row.string(table.column("state"))),
                values,
                row.int64(table.column("seed")),
                row.int32(table.column("versions")),
                row.int32(table.column("loader")),
                row.int64(table.column("loaded_rows")),
                row.int64(table.column("micros")),
                row.int64(table.column("region_bytes")));
    }

    private void fill(Table table, Row row, LoadMark mark) {
        row.setString(table.column("state"), mark.state().name());
        sizes.forEach(size -> row.setInt64(table.column(size), mark.size(size)));
        row.setInt64(table.column("seed"), mark.seed());
        row.setInt64(table.column("versions"), mark.versions());
        row.setInt64(table.column("loader"), mark.loader());
        row.setInt64(table.column("loaded_rows"), mark.rows());
        row.setInt64(table.column("micros"), mark.micros());
        row.setInt64(table.column("region_bytes"), mark.regionBytes());
    }
}
