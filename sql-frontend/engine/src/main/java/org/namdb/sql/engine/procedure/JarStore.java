package org.namdb.sql.engine.procedure;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.slf4j.Logger;

/// The jars of procedures, in a hidden table of the database: so they are there for all compute
/// servers, and after a restart with a data directory. A jar is cut into chunks, one a row. The row
/// of the empty jar counts the changes.
///
/// | jar | chunk | version | data |
/// |---|---|---|---|
/// | | 0 | how many changes there were | |
/// | bank | 0, 1, .. | the change that has brought it | its bytes |
public final class JarStore {
    private static final String TABLE = "nam:jars";
    private static final int MAX_NAME_BYTES = 63;
    private static final int CHUNK_BYTES = 8000;

    /// For how long a cluster's compute server does not check for jars that others have got.
    private static final long SAMPLE_NANOS = 1_000_000_000;

    private final NamDb db;
    private final ProcedureCatalog catalog;
    private final Logger log;
    private final ReentrantLock lock = new ReentrantLock();

    /// The change up to which all is in the catalog; guarded by the lock.
    private long known;

    /// When this was last compared with the table, on the host's clock.
    private volatile long checkedNanos;

    private volatile boolean isChecked;

    /// The versions of the jars that are in the catalog.
    private final Map<String, Long> installed = new HashMap<>();

    /// A jar as it is stored.
    private record Stored(long version, SortedMap<Long, byte[]> chunks) {
        byte[] image() {
            int bytes = chunks.values().stream().mapToInt(chunk -> chunk.length).sum();
            byte[] image = new byte[bytes];
            int at = 0;
            for (byte[] chunk : chunks.values()) {
                System.arraycopy(chunk, 0, image, at, chunk.length);
                at += chunk.length;
            }
            return image;
        }
    }

    public JarStore(NamDb db, ProcedureCatalog catalog) {
        this.db = db;
        this.catalog = catalog;
        this.log = db.options().host().logger(JarStore.class);
    }

    /// Whether the catalog may miss what the table has: at the start, and a second after the last
    /// check, as other compute servers may have installed a jar.
    private boolean isStale() {
        return !isChecked
                || db.isShared() && db.options().host().nanoTime() - checkedNanos > SAMPLE_NANOS;
    }

    /// Brings the catalog up to date, if it may be stale.
    ///
    /// @param open the transaction that the caller has open; null for none. It is used: another one
    ///     would wait for a schema change that waits for this one
    public void refreshIfStale(@Nullable Transaction open) {
        if (!isStale()) {
            return;
        }
        if (open == null) {
            refresh();
        } else if (open.abortOutcome() == null) {
            refresh(open);
        }
    }

    /// Brings the catalog up to date, in a transaction of its own.
    private void refresh() {
        lock.lock();
        try {
            if (db.findTable(TABLE) == null) {
                setChecked();
                return;
            }
            db.transact(transaction -> {
                refreshLocked(transaction);
                return true;
            });
        } finally {
            lock.unlock();
        }
    }

    /// Whether there is a jar of this name. Waits for no other thread that changes jars, so that
    /// a schema change may call it.
    public boolean isStored(String name) {
        Table table = db.findTable(TABLE);
        return table != null
                && db.transact(transaction ->
                        transaction.read(table, table.newKey().add(name).add(0)) != null);
    }

    private void setChecked() {
        checkedNanos = db.options().host().nanoTime();
        isChecked = true;
    }

    /// Brings the catalog up to date, by a transaction that is open, unless another thread is about
    /// to change it. That one is not waited for:
    /// ```
    /// a  installs the first jar, makes the table     b  has a transaction open
    /// a  waits until no transaction runs             b  would wait for a
    /// ```
    /// A jar that can't be loaded is passed over.
    private void refresh(Transaction transaction) {
        if (lock.tryLock()) {
            try {
                refreshLocked(transaction);
            } finally {
                lock.unlock();
            }
        }
    }

    private void refreshLocked(Transaction transaction) {
        Table table = db.findTable(TABLE);
        if (table != null) {
            long change = change(transaction, table);
            if (change > known) {
                load(read(transaction, table));
                known = change;
            }
        }
        setChecked();
    }

    private static long change(Transaction transaction, Table table) {
        Row row = transaction.read(table, table.newKey().add("").add(0));
        return row == null ? 0 : row.int64(table.column("version"));
    }

    private static Map<String, Stored> read(Transaction transaction, Table table) {
        Column jar = table.column("jar");
        Column chunk = table.column("chunk");
        Column version = table.column("version");
        Column data = table.column("data");
        Map<String, Stored> jars = new HashMap<>();
        TableScan scan = transaction.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            String name = row.string(jar);
            if (!name.isEmpty()) {
                byte[] bytes = new byte[row.length(data)];
                row.copyBytes(data, bytes, 0);
                long from = row.int64(version);
                jars.computeIfAbsent(name, _ -> new Stored(from, new TreeMap<>()))
                        .chunks()
                        .put(row.int64(chunk), bytes);
            }
        }
        return jars;
    }

    private void load(Map<String, Stored> jars) {
        Set<String> gone = new HashSet<>(installed.keySet());
        gone.removeAll(jars.keySet());
        gone.forEach(this::forget);
        Map<String, Stored> changed = new HashMap<>();
        jars.forEach((name, stored) -> {
            Long loaded = installed.put(name, stored.version());
            if (loaded == null || loaded != stored.version()) {
                changed.put(name, stored);
            }
        });
        // A procedure may have moved to a jar from another one, whose former version conflicts with
        // it.
        int before;
        do {
            before = changed.size();
            changed.entrySet().removeIf(jar -> load(jar.getKey(), jar.getValue()) == null);
        } while (!changed.isEmpty() && changed.size() < before);
        changed.keySet().forEach(catalog::remove);
        changed.forEach((name, stored) -> {
            RuntimeException failure = load(name, stored);
            if (failure != null) {
                log.warn(
                        "the procedures of the jar {} can't be loaded: {}",
                        name,
                        failure.toString());
            }
        });
    }

    /// @return why it can't be loaded; null if it is
    private @Nullable RuntimeException load(String name, Stored stored) {
        try {
            catalog.install(name, ProcedureJar.load(name, stored.image()));
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void forget(String name) {
        installed.remove(name);
        catalog.remove(name);
    }

    /// Does something while no other thread of this process installs or removes a jar.
    public void alone(Runnable task) {
        lock.lock();
        try {
            task.run();
        } finally {
            lock.unlock();
        }
    }

    /// Stores a jar, in the place of the one of its name; its procedures can be called when this
    /// returns.
    ///
    /// @param image its bytes
    /// @throws SqlException 46001 if it is no jar of procedures, 42723 if a procedure of its is
    ///     another jar's or the program's, 42602 if the name is unfit; nothing has changed
    public void install(String name, byte[] image) {
        requireName(name);
        refresh();
        lock.lock();
        try {
            List<Procedure<?, ?>> procedures = ProcedureJar.load(name, image);
            SortedMap<String, ProcedureVersion> before = catalog.versions();
            boolean isDone = false;
            try {
                catalog.install(name, procedures);
                store(name, image);
                isDone = true;
            } catch (IllegalArgumentException e) {
                throw new SqlException(SqlState.INVALID_JAR, String.valueOf(e.getMessage()))
                        .causedBy(e);
            } finally {
                if (!isDone) {
                    catalog.restore(before);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static void requireName(String name) {
        boolean isFit =
                !name.isEmpty()
                        && name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length
                                <= MAX_NAME_BYTES;
        if (!isFit) {
            throw new SqlException(
                    SqlState.INVALID_NAME,
                    "the name of a jar has 1 to " + MAX_NAME_BYTES + " bytes, not '" + name + "'");
        }
    }

    private void store(String name, byte[] image) {
        Table table = table();
        long change =
                db.transact(transaction -> {
                    long next = nextChange(transaction, table);
                    delete(transaction, table, name);
                    for (int from = 0, chunk = 0; from < image.length; chunk++) {
                        int length = Math.min(CHUNK_BYTES, image.length - from);
                        transaction
                                .insert(table, table.newKey().add(name).add(chunk))
                                .setInt64(table.column("version"), next)
                                .setBytes(table.column("data"), image, from, length);
                        from += length;
                    }
                    return next;
                });
        stored(change);
        installed.put(name, change);
    }

    /// If other compute servers have changed something in between, it is still to be read.
    private void stored(long change) {
        if (change == known + 1) {
            known = change;
        }
    }

    /// Removes a jar and its procedures; calls that run go on.
    ///
    /// @throws SqlException 42704 if there is none of this name
    public void remove(String name) {
        refresh();
        lock.lock();
        try {
            if (!installed.containsKey(name)) {
                throw new SqlException(
                        SqlState.UNDEFINED_OBJECT, "jar \"" + name + "\" does not exist");
            }
            Table table = table();
            long change =
                    db.transact(transaction -> {
                        long next = nextChange(transaction, table);
                        delete(transaction, table, name);
                        return next;
                    });
            stored(change);
            forget(name);
        } finally {
            lock.unlock();
        }
    }

    private static long nextChange(Transaction transaction, Table table) {
        Column version = table.column("version");
        Row row = transaction.read(table, table.newKey().add("").add(0));
        if (row == null) {
            transaction
                    .insert(table, table.newKey().add("").add(0))
                    .setInt64(version, 1)
                    .setBytes(table.column("data"), new byte[0], 0, 0);
            return 1;
        }
        long next = row.int64(version) + 1;
        row.setInt64(version, next);
        return next;
    }

    private static void delete(Transaction transaction, Table table, String name) {
        for (int chunk = 0; ; chunk++) {
            Row row = transaction.read(table, table.newKey().add(name).add(chunk));
            if (row == null) {
                return;
            }
            transaction.delete(row);
        }
    }

    private Table table() {
        Table found = db.findTable(TABLE);
        if (found != null) {
            return found;
        }
        return db.createTable(
                TableDefinition.named(TABLE)
                        .column("jar", ColumnType.varchar(MAX_NAME_BYTES))
                        .column("chunk", ColumnType.INT32)
                        .column("version", ColumnType.INT64)
                        .column("data", ColumnType.bytes(CHUNK_BYTES))
                        .primaryKey("jar", "chunk")
                        .expectedRows(1000)
                        .build());
    }
}
