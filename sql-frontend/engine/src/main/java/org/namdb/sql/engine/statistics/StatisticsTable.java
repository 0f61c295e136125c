package org.namdb.sql.engine.statistics;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.tuple.TupleBytes;
import org.namdb.sql.language.type.SqlType;

/// The statistics of all tables, in a hidden table of the database: they are part of transactions,
/// there for all compute servers, and outlast a restart with a data directory. What a table has is
/// cut into chunks, one a row.
///
/// | table | chunk | version | data |
/// |---|---|---|---|
/// | account | 0, 1, .. | a random number, the same in all | tuples: rows; one for each column |
///
/// Each process remembers them. Statistics that another process, or a transaction block, has made
/// are found within a second: plans need not be the best for longer.
public final class StatisticsTable {
    private static final String TABLE = "nam:statistics";
    private static final int MAX_NAME_BYTES = 63;
    private static final int CHUNK_BYTES = 8000;
    private static final long SAMPLE_NANOS = 1_000_000_000;

    private final NamDb db;
    private final boolean isKnown;
    private final SplittableRandom versions;
    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    /// Whether others than [#publish] may have changed something.
    private volatile boolean isWatched;

    /// What this process knows of a table's statistics.
    public static final class Known {
        private volatile @Nullable TableStatistics statistics;
        private volatile long version;
        private volatile long readNanos;
        private volatile boolean isCurrent;

        /// The statistics; null if there are none.
        public @Nullable TableStatistics statistics() {
            return statistics;
        }
    }

    public StatisticsTable(NamDb db) {
        this(db, true);
    }

    private StatisticsTable(NamDb db, boolean isKnown) {
        this.db = db;
        this.isKnown = isKnown;
        this.versions = new SplittableRandom(db.options().host().instant().toEpochMilli());
        this.isWatched = isKnown && db.isShared();
    }

    /// Statistics of which nothing is known, nor learned.
    public StatisticsTable unknown() {
        return new StatisticsTable(db, false);
    }

    /// Makes the hidden table if there is none; a change of the schema.
    public static void make(NamDb db) {
        if (db.findTable(TABLE) == null) {
            Table _ =
                    db.createTable(
                            TableDefinition.named(TABLE)
                                    .column("table", ColumnType.varchar(MAX_NAME_BYTES))
                                    .column("chunk", ColumnType.INT32)
                                    .column("version", ColumnType.INT64)
                                    .column("data", ColumnType.bytes(CHUNK_BYTES))
                                    .primaryKey("table", "chunk")
                                    .build());
        }
    }

    /// Whether there is the hidden table.
    public boolean isMade() {
        return db.findTable(TABLE) != null;
    }

    /// What is known of a table's.
    public Known of(String table) {
        return known.computeIfAbsent(table, _ -> new Known());
    }

    /// How often something has changed that this process knows.
    public long changes() {
        return changes.get();
    }

    /// Whether a table's statistics are to be read.
    public boolean isStale(Known of) {
        return isKnown && !of.isCurrent
                || isWatched && db.options().host().nanoTime() - of.readNanos > SAMPLE_NANOS;
    }

    /// Whether others may have changed a table's statistics since they were read.
    public boolean mayHaveChanged(Known of) {
        return isWatched || isKnown && !of.isCurrent;
    }

    /// Reads a table's statistics, if they have changed.
    ///
    /// @param types of the table's columns
    public void refresh(Transaction transaction, String name, Map<String, SqlType> types) {
        Known of = of(name);
        Table table = db.findTable(TABLE);
        if (table != null && transaction.abortOutcome() == null) {
            Row first = transaction.read(table, table.newKey().add(key(name)).add(0));
            long version = first == null ? 0 : first.int64(table.column("version"));
            if (version != of.version) {
                set(of, version, version == 0 ? null : read(transaction, table, name, types));
            }
        }
        of.readNanos = db.options().host().nanoTime();
        of.isCurrent = true;
    }

    private void set(Known of, long version, @Nullable TableStatistics statistics) {
        of.statistics = statistics;
        of.version = version;
        changes.incrementAndGet();
    }

    private static TableStatistics read(
            Transaction transaction, Table table, String name, Map<String, SqlType> types) {
        Column data = table.column("data");
        TupleBytes tuples = new TupleBytes(CHUNK_BYTES);
        int end = 0;
        for (int chunk = 0; ; chunk++) {
            Row row = transaction.read(table, table.newKey().add(key(name)).add(chunk));
            if (row == null) {
                break;
            }
            byte[] bytes = new byte[row.length(data)];
            row.copyBytes(data, bytes, 0);
            tuples.append(bytes);
            end += bytes.length;
        }
        tuples.reset(end);
        @Nullable Object[] head = tuples.read();
        Map<String, ColumnStatistics> columns = new TreeMap<>();
        while (tuples.position() < end) {
            @Nullable Object[] tuple = tuples.read();
            String column = ColumnStatistics.column(tuple);
            SqlType type = types.get(column);
            ColumnStatistics statistics =
                    type == null ? null : ColumnStatistics.decode(tuple, type);
            if (statistics != null) {
                columns.put(column, statistics);
            }
        }
        double rows = head[0] instanceof Double number ? number : 0;
        long expected = head[1] instanceof Long number ? number : 0;
        return new TableStatistics(rows, expected, columns);
    }

    /// Stores a table's statistics, in place of those that it had.
    ///
    /// @return their version, for [#publish]
    public long store(Transaction transaction, String name, TableStatistics statistics) {
        Table table = db.findTable(TABLE);
        if (table == null) {
            throw new IllegalStateException("there is no table " + TABLE);
        }
        TupleBytes tuples = new TupleBytes(CHUNK_BYTES);
        tuples.write(new Object[] {statistics.rows(), statistics.expected()});
        new TreeMap<>(statistics.columns())
                .forEach((column, each) -> tuples.write(each.encode(column)));
        long version = versions.nextLong() | 1;
        delete(transaction, table, name);
        for (int from = 0, chunk = 0; from < tuples.position(); chunk++) {
            int length = Math.min(CHUNK_BYTES, tuples.position() - from);
            transaction
                    .insert(table, table.newKey().add(key(name)).add(chunk))
                    .setInt64(table.column("version"), version)
                    .setBytes(table.column("data"), tuples.array(), from, length);
            from += length;
        }
        return version;
    }

    /// What was stored is committed, and known from now on.
    public void publish(String name, long version, TableStatistics statistics) {
        Known of = of(name);
        set(of, version, statistics);
        of.isCurrent = true;
    }

    /// What was stored is part of a transaction block: whether it is committed has to be checked.
    public void watch(String name) {
        isWatched = true;
        of(name).isCurrent = false;
    }

    /// There is a new table, which has no statistics.
    public void created(String name) {
        of(name).isCurrent = true;
    }

    /// A table was dropped; a part of that schema change.
    public void dropped(String name) {
        change(name, null);
        known.remove(name);
    }

    /// A table has another name; a part of that schema change.
    public void renamed(String name, String newName) {
        change(name, newName);
    }

    private void change(String name, @Nullable String newName) {
        Table table = db.findTable(TABLE);
        if (table != null) {
            boolean _ =
                    db.transact(transaction -> {
                        List<byte[]> chunks = delete(transaction, table, name);
                        if (newName != null) { // a process that died may have left some
                            List<byte[]> _ = delete(transaction, table, newName);
                        }
                        long version = versions.nextLong() | 1;
                        for (int i = 0; newName != null && i < chunks.size(); i++) {
                            byte[] chunk = chunks.get(i);
                            transaction
                                    .insert(table, table.newKey().add(key(newName)).add(i))
                                    .setInt64(table.column("version"), version)
                                    .setBytes(table.column("data"), chunk, 0, chunk.length);
                        }
                        return true;
                    });
        }
        Known old = of(name);
        set(old, 0, null);
        old.isCurrent = true;
        if (newName != null) {
            of(newName).isCurrent = false;
        }
    }

    /// The key of a table's rows: names of temporary tables may be too long for it.
    private static String key(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_NAME_BYTES ? name : UUID.nameUUIDFromBytes(bytes).toString();
    }

    /// @return the chunks that there were
    private static List<byte[]> delete(Transaction transaction, Table table, String name) {
        Column data = table.column("data");
        List<byte[]> chunks = new ArrayList<>();
        for (int chunk = 0; ; chunk++) {
            Row row = transaction.read(table, table.newKey().add(key(name)).add(chunk));
            if (row == null) {
                return chunks;
            }
            byte[] bytes = new byte[row.length(data)];
            row.copyBytes(data, bytes, 0);
            chunks.add(bytes);
            transaction.delete(row);
        }
    }
}
