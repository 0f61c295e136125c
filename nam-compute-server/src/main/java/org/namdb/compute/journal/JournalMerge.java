package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
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

    private static final long WAIT_NANOS = 100_000;

    /// In place of an entry: there are no more.
    private enum Mark {
        END
    }

    /// A commit.
    ///
    /// @param snapshot the number of what it has read
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Image(long snapshot, long commitTimestamp, byte[] bytes) {}

    private static final Comparator<Image> ORDER =
            Comparator.comparingLong(Image::snapshot).thenComparingLong(Image::commitTimestamp);

    /// Commits, one after the other.
    ///
    /// @param images their native addresses
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Batch(Arena arena, long[] images, int[] lengths) implements AutoCloseable {
        @Override
        public void close() {
            arena.close();
        }
    }

    private final Cut last;
    private final List<Queue<Object>> queues = new ArrayList<>();
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
            Queue<Object> queue = new ArrayBlockingQueue<>(MAX_WAITING);
            queues.add(queue);
            if (!scan.isThere(server)) {
                passed[server] = Long.MAX_VALUE;
                continue;
            }
            int number = server;
            Thread _ =
                    host.start(
                            "namdb-recovery-read",
                            () -> readAll(number, disks, database, scan, queue));
        }
    }

    private void readAll(
            int server,
            IntFunction<Disk> disks,
            long database,
            JournalScan scan,
            Queue<Object> queue) {
        long[] before = new long[1];
        CommitImageReader image = new CommitImageReader();
        try (JournalReader reader = new JournalReader(disks.apply(server), database)) {
            JournalReader.End _ =
                    scan.read(
                            reader,
                            server,
                            new JournalScan.Entries() {
                                @Override
                                public void commit(int generation, long memory, int bytes) {
                                    if (scan.isRead(memory, server)) {
                                        JournalContents.requireWhole(image.open(memory, bytes));
                                        byte[] copy = new byte[bytes];
                                        LocalMemory.copyTo(memory, copy, 0, bytes);
                                        put(
                                                queue,
                                                new Image(
                                                        image.snapshot(),
                                                        image.commitTimestamp(),
                                                        copy));
                                    }
                                }

                                @Override
                                public void cut(Cut cut) {
                                    put(queue, cut);
                                }
                            },
                            done -> {
                                long _ = read.addAndGet(done - before[0]);
                                before[0] = done;
                            });
            put(queue, Mark.END);
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void put(Queue<Object> queue, Object entry) {
        while (!queue.offer(entry)) {
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
                bytes += image.bytes.length;
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
        Arena arena = Arena.ofShared();
        long[] images = new long[shown.size()];
        int[] lengths = new int[shown.size()];
        for (int i = 0; i < images.length; i++) {
            byte[] bytes = Objects.requireNonNull(shown.get(i)).bytes;
            images[i] = arena.allocate(bytes.length, 8).address();
            lengths[i] = bytes.length;
            LocalMemory.copyFrom(bytes, 0, images[i], bytes.length);
        }
        return new Batch(arena, images, lengths);
    }

    /// How many bytes of commits are not in the cut that was the last.
    public long leftBytes() {
        return pending.stream().mapToLong(each -> each.bytes.length).sum();
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
