package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.memory.server.Request;
import org.namdb.timestamp.CommitTimestamp;

/// A memory server's part in the checkpoints of its cluster, for a generation of its journal.
///
/// Number 0 has the files, and number 1 a second copy of each. When the journal of number 0 is
/// long, it gives the compute server whose request is first a number, by which that may write one;
/// to another one if it is silent for long. That compute server begins it on number 1 as well.
///
/// Every memory server removes the beginning of its journal that a checkpoint replaces: where it
/// has only images that the first snapshot of the checkpoint shows. So marks are kept: a position,
/// and for each slot the newest timestamp of an image before it.
/// ```
/// journal    | images of slot 3: 7, 8 | mark 1 | 9, 10 | mark 2 | 11 ..
/// mark                                  3: 8             3: 10
/// snapshot shows 9 of slot 3: what is before mark 1 is not needed
/// ```
/// An image that is whole is a commit that will be published. So one that no snapshot shows yet
/// keeps all that follows it.
///
/// Requests come one at a time; [#spilled] is for the thread that appends.
final class MemoryCheckpoints implements AutoCloseable {
    private static final String FILE = "checkpoint-[0-9]{8}";
    private static final long SILENT_NANOS = 60_000_000_000L;

    /// The state of a request to force a file.
    static final byte RUNNING = 0;

    static final byte FORCED = 1;
    static final byte FAILED = 2;
    static final byte GIVEN_UP = 3;

    /// All images before a position.
    ///
    /// @param appended how many bytes of entries are before it
    /// @param newest the newest timestamp of each slot; -1 for none
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Mark(long appended, long[] newest) {}

    /// The force of a file, in a thread of its own. If that is given up, the thread closes the
    /// file: no other waits for the disk.
    private final class Force {
        private final DiskFile file;
        private final AtomicInteger state = new AtomicInteger(RUNNING);

        Force(DiskFile file) {
            this.file = file;
        }

        void run() {
            byte ended = FAILED;
            try {
                file.force();
                files.forceNames();
                ended = FORCED;
            } catch (DiskException e) {
                // The compute server reports it.
            } finally {
                if (!state.compareAndSet(RUNNING, ended)) {
                    file.close();
                }
            }
        }

        /// @return false if it has ended
        boolean giveUp() {
            return state.compareAndSet(RUNNING, GIVEN_UP);
        }
    }

    private final Host host;
    private final Disk files;
    private final DiskJournal journal;
    private final JournalOptions options;

    /// The native address of the word with the number of the last checkpoint that was begun.
    private final long countWord;

    private final Deque<Mark> marks = new ConcurrentLinkedDeque<>();
    private final long[] newest;
    private long lastMark;

    /// The last number that was given out, and whether its compute server is still writing.
    private long count;

    private boolean isBegun;
    private long heardNanos;
    private long writtenAtBegin;
    private long replacedBytes;
    private long lastBytes;
    private String writingName = "";
    private @Nullable DiskFile writing;
    private @Nullable Force force;

    MemoryCheckpoints(
            Host host,
            Disk files,
            DiskJournal journal,
            JournalOptions options,
            int slots,
            long countWord) {
        this.host = host;
        this.files = files;
        this.journal = journal;
        this.options = options;
        this.countWord = countWord;
        this.newest = new long[slots];
        Arrays.fill(newest, -1);
    }

    /// An image was appended.
    ///
    /// @param end how many bytes of entries there are then
    void spilled(long commitTimestamp, long end) {
        int slot = CommitTimestamp.slot(commitTimestamp);
        newest[slot] = Math.max(newest[slot], CommitTimestamp.timestamp(commitTimestamp));
        if (end - lastMark >= options.segmentBytes()) {
            lastMark = end;
            marks.add(new Mark(end, newest.clone()));
        }
    }

    /// The first segment of the journal that is needed with a checkpoint.
    ///
    /// @param shown its first snapshot, slot by slot
    int neededFrom(long[] shown) {
        long from = 0;
        for (Mark each : marks) {
            if (!shows(shown, each.newest)) {
                break;
            }
            from = each.appended;
        }
        return journal.segmentOf(from);
    }

    private static boolean shows(long[] shown, long[] images) {
        for (int slot = 0; slot < images.length; slot++) {
            if (images[slot] > (slot < shown.length ? shown[slot] : -1)) {
                return false;
            }
        }
        return true;
    }

    /// Begins a checkpoint, if one is due.
    ///
    /// @return the number of a checkpoint that the requester is to write; 0 if none is due
    long begin() {
        boolean isSilent = host.nanoTime() - heardNanos > SILENT_NANOS;
        long written = journal.writtenBytes();
        if (isBegun && !isSilent
                || written - replacedBytes <= Math.max(options.checkpointBytes(), 2 * lastBytes)) {
            return 0;
        }
        begin(count + 1, written);
        LocalMemory.putLongRelease(countWord, count);
        return count;
    }

    /// Begins the second copy of a checkpoint.
    ///
    /// @param number that of the first
    byte begin(long number) {
        if (number <= count) {
            return Request.NOTHING; // another one was begun later
        }
        begin(number, journal.writtenBytes());
        return Request.DONE;
    }

    private void begin(long number, long written) {
        closeFile();
        Integer last = CheckpointFile.newest(files);
        for (int each : CheckpointFile.all(files)) {
            if (last == null || each != last) {
                files.remove(CheckpointFile.name(each)); // its writer is silent
            }
        }
        isBegun = true;
        heardNanos = host.nanoTime();
        writtenAtBegin = written;
        count = number;
    }

    private boolean isCurrent(long number, String name) {
        heardNanos = host.nanoTime();
        return isBegun && number == count && name.matches(FILE);
    }

    /// Writes a part of a checkpoint's file.
    ///
    /// @return a status
    byte write(long number, String name, long offset, ByteBuffer bytes) {
        if (!isCurrent(number, name)) {
            return Request.NOTHING;
        }
        try {
            file(name).write(offset, bytes);
            return Request.DONE;
        } catch (DiskException e) {
            return Request.FULL;
        }
    }

    private DiskFile file(String name) {
        DiskFile open = writing;
        if (open == null || !name.equals(writingName)) {
            closeFile();
            open = files.open(name);
            writing = open;
            writingName = name;
        }
        return open;
    }

    /// Begins to force a file, in a thread of its own: other requests don't wait for that.
    ///
    /// @return a status
    byte beginForce(long number, String name) {
        if (!isCurrent(number, name)) {
            return Request.NOTHING;
        }
        Force begun = new Force(file(name));
        force = begun;
        Thread _ = host.start("namdb-checkpoint-force", begun::run);
        return Request.DONE;
    }

    byte forceState() {
        heardNanos = host.nanoTime();
        Force begun = force;
        return begun == null ? GIVEN_UP : (byte) begun.state.get();
    }

    /// A checkpoint was given up.
    byte remove(long number, String name) {
        if (!isCurrent(number, name)) {
            return Request.NOTHING;
        }
        closeFile();
        files.remove(name);
        isBegun = false;
        return Request.DONE;
    }

    /// A checkpoint is complete: what it replaces is removed.
    ///
    /// @param number its number, where a copy of its file is; otherwise 0
    /// @param first the first segment that is needed
    byte dropBefore(long number, int first) {
        if (number != 0) {
            if (!isBegun || number != count) {
                return Request.NOTHING;
            }
            dropFiles();
            isBegun = false;
            replacedBytes = writtenAtBegin;
        }
        while (!marks.isEmpty() && journal.segmentOf(marks.getFirst().appended) < first) {
            Mark _ = marks.removeFirst();
        }
        for (String name : files.list()) {
            int segment = JournalSegments.number(name);
            if (segment >= 0 && segment < first) {
                files.remove(name);
            }
        }
        files.forceNames();
        return Request.DONE;
    }

    private void dropFiles() {
        closeFile();
        Integer last = CheckpointFile.newest(files);
        if (last == null) {
            return;
        }
        lastBytes = CheckpointFile.bytes(files, last);
        for (int each : CheckpointFile.all(files)) {
            if (each < last) {
                files.remove(CheckpointFile.name(each));
            }
        }
    }

    private void closeFile() {
        DiskFile open = writing;
        Force begun = force;
        writing = null;
        force = null;
        if (open != null && (begun == null || !begun.giveUp())) {
            open.close();
        }
    }

    @Override
    public void close() {
        closeFile();
    }
}
