package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;

/// A backup of a data directory, which is written to another one: while the database is in use, a
/// checkpoint of its own and the journal from there on; else a copy of all files. The other
/// directory is a data directory as soon as the backup is complete, and no directory of NamDB
/// before.
///
/// Belongs to one thread.
public final class Backup implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Disk into;
    private final Disk.Lock lock;
    private final long database;
    private final Runnable whileCopying;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    private long bytes;
    private boolean isComplete;

    private Backup(Disk into, Disk.Lock lock, long database, Runnable whileCopying) {
        this.into = into;
        this.lock = lock;
        this.database = database;
        this.whileCopying = whileCopying;
    }

    /// Begins one.
    ///
    /// @param whileCopying called repeatedly; what it throws ends the backup
    /// @throws JournalException if the directory is not empty, in use, or can't be written
    static Backup begin(JournalOptions target, long database, Runnable whileCopying) {
        try {
            Disk into = target.disk().get();
            requireEmpty(into, target.place()); // before a lock is made in it
            Disk.Lock lock = into.lock();
            boolean isDone = false;
            try {
                requireEmpty(into, target.place());
                isDone = true;
                return new Backup(into, lock, database, whileCopying);
            } finally {
                if (!isDone) {
                    lock.close();
                }
            }
        } catch (DiskException e) {
            throw failed(e);
        }
    }

    private static void requireEmpty(Disk into, String place) {
        if (!into.list().stream().allMatch(Disk.LOCK_FILE::equals)) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    place + " is not empty: name a new directory",
                    null);
        }
    }

    private static JournalException failed(DiskException cause) {
        return new JournalException(
                JournalException.Kind.FAILED, String.valueOf(cause.getMessage()), cause);
    }

    /// The target of the checkpoint.
    Disk into() {
        return into;
    }

    /// Copies the beginning of a file.
    void copy(Disk from, String name, long length) {
        try (DiskFile source = from.open(name);
                DiskFile target = into.open(name)) {
            for (long at = 0; at < length; ) {
                whileCopying.run();
                chunk.clear().limit((int) Math.min(CHUNK_BYTES, length - at));
                int read = source.read(at, chunk);
                if (read == 0) {
                    throw new DiskException(name + " ends at " + at, null);
                }
                target.write(at, chunk.flip());
                at += read;
            }
            target.force();
            bytes += length;
        }
    }

    /// Copies the journal.
    ///
    /// @param first the first segment
    /// @param end where it ends: all before is on the disk
    void copyJournal(Disk from, int first, int generation, long end) {
        int last = JournalSegments.number(end);
        for (int segment = first; segment <= last; segment++) {
            String name = JournalSegments.name(segment);
            long length;
            try (DiskFile file = from.open(name)) {
                length = segment == last ? JournalSegments.offset(end) : file.size();
            }
            copy(from, name, length);
        }
        try (DiskFile file = into.open(JournalSegments.name(last))) {
            // Confirms that all before was forced: else damage to the last block would not be
            // detected.
            JournalBlock.write(chunk, new JournalBlock.Head(end, generation, 0, end, 0));
            file.write(JournalSegments.offset(end), chunk);
            file.force();
        }
    }

    /// All files are there: from now on it is a data directory.
    ///
    /// @return how many bytes were copied or written
    long complete(long checkpointBytes) {
        into.forceNames();
        DataDirectory.writeIdentity(into, database);
        isComplete = true;
        return bytes + checkpointBytes;
    }

    /// Removes what was written if it is not complete.
    @Override
    public void close() {
        try {
            if (!isComplete) {
                for (String name : into.list()) {
                    if (!name.equals(Disk.LOCK_FILE)) {
                        into.remove(name);
                    }
                }
            }
        } catch (DiskException e) {
            // An earlier failure is the more specific one; the directory is no data directory.
        } finally {
            lock.close();
        }
    }
}
