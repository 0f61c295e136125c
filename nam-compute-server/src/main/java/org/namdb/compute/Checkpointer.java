package org.namdb.compute;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.namdb.compute.journal.Backup;
import org.namdb.compute.journal.CheckpointWriter;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.DiskJournal;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskException;

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
/// See [CheckpointScan].
final class Checkpointer implements AutoCloseable {
    /// How many sessions it has.
    static final int SLOTS = 1;

    private static final long SAMPLE_NANOS = 100_000_000;
    private static final long RETRY_NANOS = 10_000_000_000L;

    private static final long WAIT_NANOS = 10_000_000;

    private final NamDb db;
    private final Host host;
    private final DataDirectory directory;
    private final DiskJournal journal;
    private final JournalOptions options;
    private final Session reader;
    private final CheckpointScan scan;
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
        this.scan = new CheckpointScan(db.server(), reader);
        this.lastBytes = directory.checkpointBytes();
        this.lastWritten = -directory.journalBytes();
        this.thread = host.start("namdb-checkpoint", this::work);
    }

    private static void nothing() {
        // No backup is written.
    }

    private void work() {
        while (!closing) {
            host.sleep(SAMPLE_NANOS);
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
                if (!scan.writeAll(writer, () -> closing, check)) {
                    return;
                }
                writer.complete();
                lastBytes = writer.bytes();
                lastWritten = written;
            }
            directory.dropBefore();
        } finally {
            turn.unlock();
        }
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
                if (!scan.writeAll(writer, () -> closing, check)) {
                    throw new IllegalStateException("the database is closed");
                }
                writer.complete();
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

    /// The end of the journal when no schema change is under way, without the commits that are.
    private long from() {
        Transaction _ = scan.begin();
        try {
            return db.server().journal().underWayFrom(journal.appended());
        } finally {
            reader.rollback();
        }
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
