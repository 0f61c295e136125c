package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.disk.Disk;
import org.namdb.timestamp.CommitTimestamp;

/// The commits in the journals of all memory servers up to a cut, in an order in which each comes
/// after those that it depends on.
///
/// **Order.** T2 that has changed what T1 has made has T1 in its snapshot; so the number of its
/// snapshot is higher than that of T1's. Images lie in no such order: a memory server that looks at
/// one ring after the other may take T2 before T1. But images of S_K lie before each cut K, or a
/// later one, in each journal. So the journals are read from cut to cut, and what a cut has and the
/// one before has not is sorted by the numbers.
/// ```
/// server 0    T2  T1  | cut 5 |  T4  | cut 7 |
/// server 1    T3      | cut 6 |              | cut 7 |
/// order       those of T1, T2, T3 that S_5 shows, by number; then those that S_7 shows
/// ```
/// Belongs to one thread.
public final class JournalMerge implements AutoCloseable {
    private static final int BATCH_BYTES = 8 << 20;
    private static final int MAX_WAITING = 512;

    /// How many bytes of images a journal's thread has ready at the most, but for the last one:
    /// that of a large transaction may have 2 GiB, and the heap of a memory server is small.
    private static final long MAX_WAITING_BYTES = 32 << 20;

    private static final int CHUNK_BYTES = 4 << 20;

    private static final long WAIT_NANOS = 100_000;

    /// In place of an entry: there are no more.
    private enum Mark {
        END
    }

    /// Native memory for images, one behind the other. It is freed when all of them are released,
    /// and its reader has begun another one.
    private static final class Chunk {
        private final Arena arena = Arena.ofShared();
        private final AtomicInteger users = new AtomicInteger(1);
        private final int capacity;
        private final long memory;
        private int used;

        Chunk(int capacity) {
            this.capacity = capacity;
            this.memory = arena.allocate(capacity, Long.BYTES).address();
        }

        boolean hasSpace(int bytes) {
            return capacity - used >= bytes;
        }

        Image copy(CommitImageReader image, long source, int bytes) {
            int _ = users.incrementAndGet();
            long address = memory + used;
            LocalMemory.copy(source, address, bytes);
            used += bytes; // a multiple of 8
            return new Image(image.snapshot(), image.commitTimestamp(), address, bytes, this);
        }

        void release() {
            if (users.decrementAndGet() == 0) {
                arena.close();
            }
        }
    }

    /// A commit.
    ///
    /// @param snapshot the number of what it has read
    /// @param address of the image, in the chunk
    private record Image(
            long snapshot, long commitTimestamp, long address, int bytes, Chunk chunk) {}

    private static final Comparator<Image> ORDER =
            Comparator.comparingLong(Image::snapshot).thenComparingLong(Image::commitTimestamp);

    /// Commits, one after the other.
    public static final class Batch implements AutoCloseable {
        private final List<Image> images;

        private Batch(List<Image> images) {
            this.images = images;
        }

        public int commits() {
            return images.size();
        }

        /// Hands them over. Several threads may do so.
        public void replay(JournalScan.Replay replay) {
            for (Image each : images) {
                replay.commit(each.address, each.bytes);
            }
        }

        @Override
        public void close() {
            images.forEach(each -> each.chunk.release());
        }
    }

    /// What a journal's thread has ready.
    private static final class Waiting {
        private final Queue<Object> entries = new ArrayBlockingQueue<>(MAX_WAITING);
        private final AtomicLong bytes = new AtomicLong();

        boolean offer(Object entry) {
            if (bytes.get() > MAX_WAITING_BYTES || !entries.offer(entry)) {
                return false;
            }
            if (entry instanceof Image image) {
                long _ = bytes.addAndGet(image.bytes);
            }
            return true;
        }

        @Nullable Object poll() {
            Object entry = entries.poll();
            if (entry instanceof Image image) {
                long _ = bytes.addAndGet(-image.bytes);
            }
            return entry;
        }
    }

    private final Cut last;
    private final List<Waiting> queues = new ArrayList<>();
    private final AtomicInteger readers = new AtomicInteger();
    private final long[] passed;

    /// The journal whose cuts are the boundaries.
    private final int leader;

    private final AtomicLong read = new AtomicLong();
    private List<Image> pending = new ArrayList<>();
    private boolean isDone;
    private final Host host;
    private volatile boolean isClosed;
    private volatile @Nullable Throwable failure;

    /// @param disks opens a server's part of the generation, for a thread of its own
    /// @param scan the first reading of the journals
    /// @param last where they end
    public JournalMerge(
            Host host,
            int servers,
            IntFunction<Disk> disks,
            long database,
            JournalScan scan,
            Cut last) {
        this.host = host;
        this.last = last;
        this.passed = new long[servers];
        Arrays.fill(passed, -1);
        this.leader = scan.isThere(0) ? 0 : 1;
        for (int server = 0; server < servers; server++) {
            Waiting queue = new Waiting();
            queues.add(queue);
            if (!scan.isThere(server)) {
                passed[server] = Long.MAX_VALUE;
                continue;
            }
            int number = server;
            int _ = readers.incrementAndGet();
            Thread _ =
                    host.start(
                            "namdb-recovery-read",
                            () -> {
                                try {
                                    readAll(number, disks, database, scan, queue);
                                } finally {
                                    int _ = readers.decrementAndGet();
                                }
                            });
        }
    }

    private void readAll(
            int server, IntFunction<Disk> disks, long database, JournalScan scan, Waiting queue) {
        long[] before = new long[1];
        try (JournalReader reader = new JournalReader(disks.apply(server), database);
                Images images = new Images(scan, server, queue)) {
            JournalReader.End _ =
                    scan.read(
                            reader,
                            server,
                            images,
                            done -> {
                                long _ = read.addAndGet(done - before[0]);
                                before[0] = done;
                            });
            put(queue, Mark.END);
        } catch (Throwable e) {
            failure = e;
        }
    }

    /// Copies what matters of a journal into its queue.
    private final class Images extends JournalScan.Entries implements AutoCloseable {
        private final JournalScan scan;
        private final int server;
        private final Waiting queue;
        private final CommitImageReader image = new CommitImageReader();
        private Chunk chunk = new Chunk(CHUNK_BYTES);

        Images(JournalScan scan, int server, Waiting queue) {
            this.scan = scan;
            this.server = server;
            this.queue = queue;
        }

        @Override
        public void commit(int generation, long memory, int bytes) {
            if (!scan.isRead(memory, server)) {
                return;
            }
            JournalContents.requireWhole(image.open(memory, bytes));
            if (!chunk.hasSpace(bytes)) {
                chunk.release();
                chunk = new Chunk(Math.max(bytes, CHUNK_BYTES));
            }
            Image copy = chunk.copy(image, memory, bytes);
            boolean isPut = false;
            try {
                put(queue, copy);
                isPut = true;
            } finally {
                if (!isPut) {
                    copy.chunk.release();
                }
            }
        }

        @Override
        public void cut(Cut cut) {
            put(queue, cut);
        }

        @Override
        public void close() {
            chunk.release();
        }
    }

    private void put(Waiting queue, Object entry) {
        while (isClosed || !queue.offer(entry)) {
            if (isClosed) {
                throw new IllegalStateException("the recovery has ended");
            }
            host.sleep(WAIT_NANOS);
        }
    }

    /// How many bytes were read so far.
    public long bytesRead() {
        return read.get();
    }

    /// The next commits; null if there are none.
    ///
    /// @throws JournalException if a journal is damaged
    public @Nullable Batch next() {
        if (isDone) {
            return null;
        }
        Cut boundary = readFirst();
        for (int server = 0; server < passed.length; server++) {
            while (server != leader && passed[server] < boundary.sequence()) {
                Object entry = take(server);
                if (entry instanceof Image image) {
                    pending.add(image);
                } else {
                    passed[server] = Math.max(passed[server], ((Cut) entry).sequence());
                }
            }
        }
        isDone = boundary.sequence() == last.sequence();
        return batch(boundary);
    }

    private Cut readFirst() {
        long bytes = 0;
        while (true) {
            Object entry = take(leader);
            if (entry instanceof Image image) {
                pending.add(image);
                bytes += image.bytes;
            } else {
                Cut cut = (Cut) entry;
                if (cut.sequence() >= last.sequence()) {
                    return last;
                }
                if (bytes >= BATCH_BYTES && cut.sequence() > passed[leader]) {
                    passed[leader] = cut.sequence();
                    return cut;
                }
            }
        }
    }

    private Object take(int server) {
        Object entry = queues.get(server).poll();
        while (entry == null) {
            Throwable why = failure;
            if (why instanceof RuntimeException known) {
                throw known;
            }
            if (why != null) {
                throw new IllegalStateException(why);
            }
            host.sleep(WAIT_NANOS);
            entry = queues.get(server).poll();
        }
        if (entry instanceof Mark) {
            throw new IllegalStateException("the journal ends before cut " + last.sequence());
        }
        return entry;
    }

    private Batch batch(Cut boundary) {
        List<Image> shown = new ArrayList<>();
        List<Image> left = new ArrayList<>();
        for (Image each : pending) {
            int slot = CommitTimestamp.slot(each.commitTimestamp);
            long timestamp = CommitTimestamp.timestamp(each.commitTimestamp);
            (boundary.shows(slot, timestamp) ? shown : left).add(each);
        }
        pending = left;
        if (!PlantedFault.REPLAY_UNORDERED.isPlanted()) {
            shown.sort(ORDER);
        }
        return new Batch(shown);
    }

    /// How many bytes of commits are not in the cut that was the last.
    public long leftBytes() {
        return pending.stream().mapToLong(Image::bytes).sum();
    }

    /// Waits until nothing is read any more.
    @Override
    public void close() {
        isClosed = true;
        while (readers.get() > 0) {
            host.sleep(WAIT_NANOS);
        }
        pending.forEach(each -> each.chunk.release());
        for (Waiting queue : queues) {
            for (Object entry = queue.poll(); entry != null; entry = queue.poll()) {
                if (entry instanceof Image image) {
                    image.chunk.release();
                }
            }
        }
    }
}
