package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.CheckpointWriter;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.DiskJournal;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.compute.upkeep.Housekeeping;
import org.namdb.fabric.Host;
import org.namdb.timestamp.snapshot.Snapshot;

/// Writes a checkpoint when the journal has become long, while transactions run, and drops the
/// journal that it takes the place of.
/// ```
/// guard    enters: no table goes, or takes another one's place, until it ends
/// from     no commit before this place in the journal is under way any more
/// table    begins, S is its snapshot: shows all commits before from, and maybe later ones
///          writes S and the rows that it shows
/// table    the same, with a later snapshot
/// wait     until the journal is on the disk up to here: all that any S has shown
/// end      the checkpoint counts; the journal before from goes
/// ```
/// Each table has a snapshot of its own, so none is held for longer than a table takes. A restart
/// does again what commits from `from` on have done to a table, if its S does not show them. So it
/// comes to one state of all tables, that at the journal's end, which has all that any S has shown.
///
/// A definition would have to wait for the guard. So whenever one does, the checkpoint is given up,
/// and tried again later.
final class Checkpointer implements AutoCloseable {
    /// How many sessions it has.
    static final int SLOTS = 2;

    private static final long LOOK_NANOS = 100_000_000;
    private static final long LATER_NANOS = 1_000_000_000;

    /// Of a thread's time, one part in so many is taken, while a table does not take too long.
    private static final int SHARE = 4;

    private static final int ROWS_AT_ONCE = 512;

    private final NamDb db;
    private final Host host;
    private final DataDirectory directory;
    private final DiskJournal journal;
    private final JournalOptions options;
    private final Session guard;
    private final Session reader;
    private final Thread thread;
    private volatile boolean closing;
    private long lastWritten;
    private long lastBytes;

    Checkpointer(NamDb db, DataDirectory directory, DiskJournal journal, JournalOptions options) {
        this.db = db;
        this.host = db.options().host();
        this.directory = directory;
        this.journal = journal;
        this.options = options;
        this.guard = db.sessions().openForDatabase();
        this.reader = db.sessions().openForDatabase();
        this.lastBytes = directory.checkpointBytes();
        this.lastWritten = -directory.journalBytes();
        this.thread = host.start("namdb-checkpoint", this::work);
    }

    private void work() {
        while (!closing) {
            host.sleep(LOOK_NANOS);
            long waiting = journal.writtenBytes() - lastWritten;
            if (!closing && waiting > Math.max(options.checkpointBytes(), lastBytes)) {
                try {
                    if (!run()) {
                        host.sleep(LATER_NANOS);
                    }
                } catch (Throwable e) {
                    if (!closing) {
                        Housekeeping.report(e);
                        host.sleep(10 * LATER_NANOS);
                    }
                }
            }
        }
    }

    /// Writes one.
    ///
    /// @return false if it was given up, to be tried again
    private boolean run() {
        guard.passage.enter();
        try {
            long written = journal.writtenBytes();
            long from = db.journal().underWayFrom(journal.appended());
            List<Table> tables = new ArrayList<>();
            for (String name : db.tableNames()) {
                tables.add(db.table(name));
            }
            try (CheckpointWriter writer = directory.beginCheckpoint(journal, from)) {
                for (Table table : tables) {
                    if (!write(table, writer)) {
                        return false;
                    }
                }
                writer.complete();
                lastBytes = writer.bytes();
                lastWritten = written;
            }
        } finally {
            guard.passage.leave();
        }
        directory.dropBefore();
        return true;
    }

    private boolean write(Table table, CheckpointWriter writer) {
        Transaction reading = beginUnlessClosing();
        if (reading == null) {
            return false;
        }
        try {
            Snapshot snapshot = reading.snapshot();
            writer.table(table, snapshot.toArray());
            TableScan scan = reading.scan(table, table.schema().all());
            long start = host.nanoTime();
            long longestNanos = db.options().maxTransactionTime().toNanos();
            long begun = start;
            int rows = 0;
            for (Row row = scan.next(); row != null; row = scan.next()) {
                writer.row(row);
                if (++rows == ROWS_AT_ONCE) {
                    rows = 0;
                    if (closing || db.gate().isClosing()) {
                        return false;
                    }
                    long now = host.nanoTime();
                    if (now - start < longestNanos / 4) {
                        host.sleep((SHARE - 1) * (now - begun));
                    }
                    begun = host.nanoTime();
                }
            }
            return !db.gate().isClosing();
        } finally {
            reader.rollback();
        }
    }

    /// Begins to read; not when that would have to wait for a schema change, as that waits for the
    /// guard.
    ///
    /// @return null if it would
    private @Nullable Transaction beginUnlessClosing() {
        reader.expireSnapshot(); // it shows all commits before the checkpoint
        reader.cancel(); // checked by nothing but a wait
        try {
            return reader.begin();
        } catch (StatementCancelledException e) {
            return null;
        } finally {
            reader.clearCancel();
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        Housekeeping.joinUninterruptibly(thread);
    }
}
