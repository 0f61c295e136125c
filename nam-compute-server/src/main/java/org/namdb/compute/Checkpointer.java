package org.namdb.compute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.Backup;
import org.namdb.compute.journal.CheckpointWriter;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.DiskJournal;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskException;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.TablePart;

/// Writes a checkpoint when the journal has become long, while transactions run, and removes the
/// journal that it replaces.
/// ```
/// from     no commit before this position in the journal is under way, nor a schema change
/// part     of a table: begins, S is its snapshot: shows all commits before from, and maybe later
///          ones; writes S and the rows that it shows
/// part     the same, with a later snapshot, until no part of any table is left
/// wait     until the journal is on the disk up to here: all that any S has shown
/// end      the checkpoint counts; the journal before from is removed
/// ```
/// Each part has a snapshot of its own, so none is held for longer than a part takes, however large
/// the table is: a part that takes too long is abandoned, and its halves are written. What others
/// delete meanwhile stays until the part is written, and is in the way of their scans; so a part
/// takes some tens of milliseconds at full speed, and the thread rests without a snapshot. A
/// restart repeats what commits from `from` on have done to a record, if the S of its part does not
/// show them: what has become of the record there does not depend on any other one. So it comes to
/// one state of all tables, that at the journal's end, which has all that any S has shown.
///
/// **Schema changes** are in the journal from `from` on, and a restart repeats them all: one that
/// is in the checkpoint already changes nothing, and a table that is made while others are written
/// need not be in it. A schema change waits until no transaction runs, so the part that is being
/// written is abandoned for it, and written again from its beginning. The next schema change waits
/// for the part: constant schema changes don't keep the journal from being bounded.
final class Checkpointer implements AutoCloseable {
    /// How many sessions it has.
    static final int SLOTS = 1;

    private static final long LOOK_NANOS = 100_000_000;
    private static final long RETRY_NANOS = 10_000_000_000L;

    /// Of a thread's time, one part in so many is taken, while no schema change waits for it.
    private static final int SHARE = 4;

    private static final int ROWS_AT_ONCE = 512;

    /// A larger table is divided at once.
    private static final long PART_BYTES = 16L << 20;

    /// Of the maximum transaction time, how much a part may take.
    private static final int TIME_SHARE = 4;

    private static final long WAIT_NANOS = 10_000_000;

    /// What has become of an attempt to write a part of a table.
    private enum Step {
        WRITTEN,
        INTERRUPTED,
        DIVIDED,
        NONE_LEFT
    }

    private final NamDb db;
    private final Host host;
    private final DataDirectory directory;
    private final DiskJournal journal;
    private final JournalOptions options;
    private final Session reader;
    private final Thread thread;

    /// Of those that write a checkpoint, or a backup, one at a time uses the reader. Not a monitor:
    /// a simulated thread that waits for one would hold up all others.
    private final ReentrantLock turn = new ReentrantLock();

    /// Called repeatedly while a backup is written. Guarded by the lock.
    private Runnable check = Checkpointer::nothing;

    private volatile boolean closing;
    private long lastWritten;
    private long lastBytes;

    Checkpointer(NamDb db, DataDirectory directory, DiskJournal journal, JournalOptions options) {
        this.db = db;
        this.host = db.options().host();
        this.directory = directory;
        this.journal = journal;
        this.options = options;
        this.reader = db.server().sessions().openForDatabase();
        this.lastBytes = directory.checkpointBytes();
        this.lastWritten = -directory.journalBytes();
        this.thread = host.start("namdb-checkpoint", this::work);
    }

    private static void nothing() {
        // No backup is written.
    }

    private void work() {
        while (!closing) {
            host.sleep(LOOK_NANOS);
            long waiting = journal.writtenBytes() - lastWritten;
            if (!closing && waiting > Math.max(options.checkpointBytes(), lastBytes)) {
                try {
                    run();
                } catch (Throwable e) {
                    if (!closing) {
                        MaintenanceThread.report(e);
                        host.sleep(RETRY_NANOS);
                    }
                }
            }
        }
    }

    /// Writes one.
    ///
    /// It is given up when the database is closed.
    private void run() {
        turn.lock();
        try {
            long written = journal.writtenBytes();
            try (CheckpointWriter writer = directory.beginCheckpoint(journal, from())) {
                if (!writeAll(writer)) {
                    return;
                }
                lastBytes = writer.bytes();
                lastWritten = written;
            }
            directory.dropBefore();
        } finally {
            turn.unlock();
        }
    }

    /// The one of a database.
    ///
    /// @throws IllegalStateException if it has none
    static Checkpointer of(@Nullable Checkpointer known) {
        if (known == null) {
            throw new IllegalStateException(
                    "this database has no data directory: there is nothing to back up");
        }
        return known;
    }

    /// Writes a backup, in the caller's thread, while transactions run.
    ///
    /// @param target where to
    /// @param whileWriting called repeatedly; what it throws ends the backup
    /// @return how many bytes it has
    /// @throws JournalException if the target is not empty, or can't be written
    long backUp(JournalOptions target, Runnable whileWriting) {
        while (!turn.tryLock()) { // a checkpoint is written
            whileWriting.run();
            host.sleep(WAIT_NANOS);
        }
        try (Backup backup = directory.beginBackup(target, whileWriting)) {
            check = whileWriting;
            try (CheckpointWriter writer = directory.beginCheckpoint(backup, journal, from())) {
                if (!writeAll(writer)) {
                    throw new IllegalStateException("the database is closed");
                }
                return directory.complete(backup, writer, journal);
            }
        } catch (DiskException e) {
            throw new JournalException(
                    JournalException.Kind.FAILED, "the backup failed: " + e.getMessage(), e);
        } finally {
            check = Checkpointer::nothing;
            turn.unlock();
        }
    }

    /// @return false if the database is closed before its end
    private boolean writeAll(CheckpointWriter writer) {
        Step step = Step.WRITTEN;
        Tables tables = new Tables();
        while (step != Step.NONE_LEFT) {
            long begun = host.nanoTime();
            step = writeNext(tables, writer, step == Step.INTERRUPTED);
            if (closing) {
                return false;
            }
            rest(host.nanoTime() - begun);
        }
        writer.complete();
        return true;
    }

    /// Leaves the processor to others, until a schema change waits for the next part.
    private void rest(long workedNanos) {
        long until = host.nanoTime() + (SHARE - 1) * workedNanos;
        for (long left = until - host.nanoTime();
                left > 0 && !closing && !db.server().schemaLatch().isClosing();
                left = until - host.nanoTime()) {
            check.run();
            host.sleep(Math.min(left, WAIT_NANOS));
        }
    }

    /// The end of the journal when no schema change is under way, without the commits that are.
    private long from() {
        Transaction _ = begin();
        try {
            return db.server().journal().underWayFrom(journal.appended());
        } finally {
            reader.rollback();
        }
    }

    /// Begins to read when the schema is not being changed, by a snapshot that shows all commits
    /// before.
    private Transaction begin() {
        reader.expireSnapshot();
        return reader.begin();
    }

    /// The tables that are not written yet.
    private final class Tables {
        /// By the tables' numbers, which parts of them.
        private final Map<Integer, Deque<TablePart>> parts = new HashMap<>();

        private final Deque<Table> left = new ArrayDeque<>();
        private long version = -1;

        /// The next one, of which a [part][#part] is left. While the schema is not being changed.
        @Nullable Table next() {
            if (version != db.schemaVersion()) {
                version = db.schemaVersion();
                left.clear();
                for (String name : db.tableNames()) {
                    Table table = db.table(name);
                    if (!partsOf(table).isEmpty()) {
                        left.add(table);
                    }
                }
            }
            return left.peek();
        }

        private Deque<TablePart> partsOf(Table table) {
            HashTable records = table.records();
            return parts.computeIfAbsent(
                    records.id(),
                    _ ->
                            new ArrayDeque<>(
                                    TablePart.divide(records, reader.queuePair(), PART_BYTES)));
        }

        TablePart part(Table table) {
            return partsOf(table).element();
        }

        void wasWritten(Table table) {
            partsOf(table).remove();
            if (partsOf(table).isEmpty()) {
                left.remove();
            }
        }

        /// The next part takes too long.
        void divide(Table table) {
            Deque<TablePart> ofTable = partsOf(table);
            ofTable.remove().divide(2).reversed().forEach(ofTable::addFirst);
        }
    }

    private Step writeNext(Tables tables, CheckpointWriter writer, boolean isAgain) {
        Transaction reading = begin();
        try {
            Table table = tables.next();
            if (table == null) {
                return Step.NONE_LEFT;
            }
            Step step = write(table, tables.part(table), reading, writer, isAgain);
            if (step == Step.WRITTEN) {
                tables.wasWritten(table);
            } else if (step == Step.DIVIDED) {
                tables.divide(table);
            }
            return step;
        } finally {
            reader.rollback();
        }
    }

    /// @param isAgain whether a schema change has interrupted it before: the next one waits
    private Step write(
            Table table,
            TablePart part,
            Transaction reading,
            CheckpointWriter writer,
            boolean isAgain) {
        writer.table(table, part, reading.snapshot().toArray());
        TableScan scan = reading.scan(table, table.schema().all(), part);
        long start = host.nanoTime();
        long longestNanos = db.options().maxTransactionTime().toNanos() / TIME_SHARE;
        int rows = 0;
        for (Row row = scan.next(); row != null; row = scan.next()) {
            writer.row(row);
            if (++rows == ROWS_AT_ONCE) {
                rows = 0;
                check.run();
                if (closing || !isAgain && db.server().schemaLatch().isClosing()) {
                    return Step.INTERRUPTED;
                }
                if (host.nanoTime() - start > longestNanos) {
                    return Step.DIVIDED;
                }
            }
        }
        return Step.WRITTEN;
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        MaintenanceThread.joinUninterruptibly(thread);
        while (turn.isLocked()) {
            host.sleep(WAIT_NANOS); // a backup ends before the journal does
        }
    }
}
