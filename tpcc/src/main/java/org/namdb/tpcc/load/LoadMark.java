package org.namdb.tpcc.load;

import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
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
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// What a database that several processes use says about its load of TPC-C: the only row of table
/// `tpcc_load`. Who inserts that row loads, so that of many processes that find an empty database
/// one does; the others wait for it, and see by its count of rows that it is alive.
///
/// @param state how far the load is
/// @param scale what is loaded
/// @param seed of the rows, and so of the constants that runs draw by (clause 2.1.6.1)
/// @param versions the length of old-version buffers
/// @param loader the number of the compute server that loads
/// @param rows how many it has committed, as it says now and then
/// @param micros how long the load took; 0 before its end
/// @param regionBytes what it takes in the regions of all memory servers; 0 before its end
public record LoadMark(
        State state,
        Scale scale,
        long seed,
        int versions,
        int loader,
        long rows,
        long micros,
        long regionBytes) {
    /// The table that holds the mark.
    public static final String TABLE = "tpcc_load";

    private static final int ONLY_KEY = 1;

    /// How far a load is.
    public enum State {
        /// The loader is at work, or has died.
        LOADING,
        /// Everything is there.
        COMPLETE,
        /// The loader has given up.
        ABANDONED
    }

    /// The same, so many rows later.
    public LoadMark withRows(long count) {
        return new LoadMark(state, scale, seed, versions, loader, count, micros, regionBytes);
    }

    /// The same at its end.
    public LoadMark ended(State how, long count, long tookMicros, long bytes) {
        return new LoadMark(how, scale, seed, versions, loader, count, tookMicros, bytes);
    }

    /// The mark of a database.
    ///
    /// @return null if nobody has begun to load
    public static @Nullable LoadMark find(NamDb db, Session session) {
        Table table = db.findTable(TABLE);
        return table == null
                ? null
                : session.transact(tx -> {
                    Row row = tx.read(table, key(table));
                    return row == null ? null : of(table, row);
                });
    }

    /// Tries to become the one who loads, by inserting the mark.
    ///
    /// @return false if somebody else was first
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it
    public boolean claim(NamDb db, Session session) {
        Table table = table(db);
        try {
            return session.transact(tx -> {
                boolean isFirst = tx.read(table, key(table)) == null;
                if (isFirst) {
                    fill(table, tx.insert(table, key(table)));
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

    /// Takes this mark for the one that is there. For its loader.
    public void write(NamDb db, Session session) {
        Table table = db.table(TABLE);
        session.transact(tx -> {
            fill(table, Objects.requireNonNull(tx.read(table, key(table)), TABLE));
            return true;
        });
    }

    /// The tables of TPC-C that a database has, whoever has made them.
    public static SortedSet<String> tablesThere(NamDb db) {
        SortedSet<String> there = new TreeSet<>(db.tableNames());
        there.retainAll(TpccSchema.TABLES);
        return there;
    }

    /// Made by the first who asks for it.
    private static Table table(NamDb db) {
        Table table = db.findTable(TABLE);
        if (table != null) {
            return table;
        }
        try {
            return db.createTable(definition());
        } catch (IllegalArgumentException e) {
            return db.table(TABLE); // another process was faster
        }
    }

    private static TableDefinition definition() {
        return TableDefinition.named(TABLE)
                .column("id", ColumnType.INT32)
                .column("state", ColumnType.varchar(16))
                .column("warehouses", ColumnType.INT32)
                .column("population", ColumnType.INT32)
                .column("seed", ColumnType.INT64)
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

    private static LoadMark of(Table table, Row row) {
        return new LoadMark(
                State.valueOf(row.string(table.column("state"))),
                new Scale(
                        row.int32(table.column("warehouses")),
                        row.int32(table.column("population"))),
                row.int64(table.column("seed")),
                row.int32(table.column("versions")),
                row.int32(table.column("loader")),
                row.int64(table.column("loaded_rows")),
                row.int64(table.column("micros")),
                row.int64(table.column("region_bytes")));
    }

    private void fill(Table table, Row row) {
        row.setString(table.column("state"), state.name());
        row.setInt64(table.column("warehouses"), scale.warehouses());
        row.setInt64(table.column("population"), scale.populationPercent());
        row.setInt64(table.column("seed"), seed);
        row.setInt64(table.column("versions"), versions);
        row.setInt64(table.column("loader"), loader);
        row.setInt64(table.column("loaded_rows"), rows);
        row.setInt64(table.column("micros"), micros);
        row.setInt64(table.column("region_bytes"), regionBytes);
    }
}
