package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.upkeep.Housekeeping;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;

/// The journal of this process, which writes it: all sessions append their entries to a buffer, and
/// one thread writes what has come together and forces it, for all who wait (group commit).
/// ```
/// A  reserves, appends, installs, publishes        waits until the journal is durable up to A
/// B       reserves, appends, installs, publishes   waits
/// W                    writes A | forces | A goes on | writes B and what came since | forces
/// ```
/// **Order.** The entries are in one order, and what is durable is a beginning of it. Who builds on
/// A has appended after A, as he finds A's locks or versions only after A's append. So whatever is
/// lost by a crash, all that has relied on it is lost, too.
///
/// **Appending can't fail.** There is room for an entry before its transaction takes a timestamp:
/// in memory, and on the disk, where the segments are made ahead of their use by a thread of its
/// own. A disk that is full is met there, and refuses transactions while they can be given up.
///
/// **A failed disk is final.** What was written, or not, nobody knows, and another try proves
/// nothing: from then on nobody who waits is answered, and nothing can be reserved.
///
/// Safe for use by many threads.
public final class DiskJournal implements AutoCloseable {
    /// What has come together for so long, or is so much, is written though nobody waits.
    private static final int EAGER_BYTES = 4 << 20;

    /// Who does not wait for the disk waits when so much is not written yet.
    private static final int MOST_WAITING_BYTES = 64 << 20;

    /// What an entry takes beyond its [cost][#cost] that is written alone.
    private static final int ALONE_BYTES = 2 * JournalBlock.ALIGNMENT;

    private static final int FIRST_BUFFER_BYTES = 1 << 20;
    private static final int KEPT_BUFFER_BYTES = 16 << 20;
    private static final long WAIT_NANOS = 5_000_000;
    private static final long ROOM_NANOS = 500_000;
    private static final long REST_NANOS = 100_000_000;

    private final Host host;
    private final Disk disk;
    private final JournalOptions options;
    private final int generation;

    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private Buffer filling = new Buffer(FIRST_BUFFER_BYTES);
    private Buffer spare = new Buffer(FIRST_BUFFER_BYTES);
    private final ArrayDeque<JournalSegments.Segment> ready = new ArrayDeque<>();
    private long roomBytes;
    private long wantedBytes;
    private long owedBytes;
    private long reservedBytes;
    private int nextSegment;
    private @Nullable DiskException lastRefusal;
    private long refusals;

    /// How many bytes of entries were appended, and how many of them are written, and durable.
    private volatile long appended;

    private volatile long written;
    private volatile long durable;

    /// Changed by the writer only.
    private volatile long writtenBytes;

    private volatile @Nullable Throwable failure;
    private volatile boolean closing;
    private volatile boolean isForceAsked;

    /// By how many bytes of entries were before: segments.
    private final NavigableMap<Long, Integer> starts = new ConcurrentSkipListMap<>();

    private final MpscUnboundedArrayQueue<Waiter> arriving = new MpscUnboundedArrayQueue<>(64);

    // The writer's own.
    private final List<Waiter> waiting = new ArrayList<>();
    private final ByteBuffer block = ByteBuffer.allocateDirect(JournalBlock.MOST_BYTES);
    private final long blockAddress = MemorySegment.ofBuffer(block).address();
    private JournalSegments.Segment segment;
    private int offset;
    private long forced;

    /// Whether nothing on the disk says yet that the last block was forced.
    private boolean isUnconfirmed;

    private @Nullable Thread writer;
    private @Nullable Thread preparer;

    /// Someone who waits. Used by one thread, again and again.
    public static final class Waiter {
        private volatile long position;
        private volatile @Nullable Thread thread;
    }

    /// Entries that wait to be written.
    private static final class Buffer {
        private Arena arena = Arena.ofShared();
        private long memory;
        private long capacity;
        private long used;

        /// What was reserved for its entries.
        private long owed;

        Buffer(long bytes) {
            allocate(bytes);
        }

        private void allocate(long bytes) {
            memory = arena.allocate(bytes, 8).address();
            capacity = bytes;
        }

        /// Makes room for so many bytes in all.
        void require(long bytes) {
            if (bytes <= capacity) {
                return;
            }
            Arena before = arena;
            long old = memory;
            Arena larger = Arena.ofShared();
            long most = Math.max(bytes, 2 * capacity);
            long address = larger.allocate(most, 8).address();
            LocalMemory.copy(old, address, used);
            arena = larger;
            memory = address;
            capacity = most;
            before.close();
        }

        /// After it was written.
        void clear() {
            used = 0;
            owed = 0;
            if (capacity > KEPT_BUFFER_BYTES) {
                arena.close();
                arena = Arena.ofShared();
                allocate(FIRST_BUFFER_BYTES);
            }
        }
    }

    /// Begins a generation in a segment of its own.
    ///
    /// @param firstSegment its number
    /// @throws DiskException if it can't be made
    public DiskJournal(
            Host host, Disk disk, JournalOptions options, int firstSegment, int generation) {
        this.host = host;
        this.disk = disk;
        this.options = options;
        this.generation = generation;
        this.segment = JournalSegments.prepare(disk, firstSegment, options.segmentBytes());
        this.roomBytes = segment.bytes();
        this.nextSegment = firstSegment + 1;
        this.forced = segment.position(0);
        this.starts.put(0L, firstSegment);
    }

    /// Starts its threads.
    public void start() {
        writer = host.start("namdb-journal", this::writeAll);
        preparer = host.start("namdb-journal-room", this::prepareAll);
    }

    /// What an entry of so many bytes takes at most, behind another one that is written with it.
    private static long cost(long bytes) {
        return bytes + JournalEntry.HEAD_BYTES + (bytes >>> 7);
    }

    /// Makes sure of room for an entry, which is then [appended][#append], or
    /// [not][#giveBack].
    ///
    /// @param bytes those of its body
    /// @throws JournalFullException if there is none
    /// @throws JournalException if the disk has failed
    public void reserve(long bytes) {
        long cost = cost(bytes) + ALONE_BYTES;
        long refusalsBefore = -1;
        while (true) {
            requireWorking();
            lock.lock();
            try {
                if (roomBytes - owedBytes >= cost) {
                    long inMemory = bytes + JournalEntry.HEAD_BYTES;
                    filling.require(filling.used + reservedBytes + inMemory);
                    reservedBytes += inMemory;
                    owedBytes += cost;
                    return;
                }
                DiskException last = lastRefusal;
                if (refusalsBefore < 0) {
                    refusalsBefore = refusals;
                } else if (refusals > refusalsBefore && last != null) {
                    throw new JournalFullException(
                            "there is no room for the journal: " + last.getMessage(), last);
                }
                wantedBytes = Math.max(wantedBytes, cost);
            } finally {
                lock.unlock();
            }
            LockSupport.unpark(preparer);
            host.sleep(ROOM_NANOS);
        }
    }

    /// Gives back what was reserved, and is not needed.
    public void giveBack(long bytes) {
        lock.lock();
        try {
            reservedBytes -= bytes + JournalEntry.HEAD_BYTES;
            owedBytes -= cost(bytes) + ALONE_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /// Gives back what was reserved for an entry beyond what it needs.
    void shrink(long reserved, long bytes) {
        lock.lock();
        try {
            reservedBytes -= reserved - bytes;
            owedBytes -= cost(reserved) - cost(bytes);
        } finally {
            lock.unlock();
        }
    }

    /// Appends an entry for which there is room.
    ///
    /// @param body the native address of its body
    /// @param bytes a multiple of 8
    /// @return how many bytes of entries there are then: what to [wait][#await] for
    long append(JournalEntry.Kind kind, long body, int bytes) {
        lock.lock();
        try {
            Buffer buffer = filling;
            long at = buffer.memory + buffer.used;
            LocalMemory.putLong(at, JournalEntry.head(kind, bytes));
            LocalMemory.copy(body, at + JournalEntry.HEAD_BYTES, bytes);
            long all = (long) bytes + JournalEntry.HEAD_BYTES;
            if (buffer.used == 0) {
                buffer.owed = ALONE_BYTES;
            } else {
                owedBytes -= ALONE_BYTES; // it shares a block
            }
            buffer.used += all;
            buffer.owed += cost(bytes);
            reservedBytes -= all;
            long end = appended + all;
            appended = end;
            return end;
        } finally {
            lock.unlock();
        }
    }

    /// How many bytes of entries were appended. Whoever has seen a commit has seen it after its
    /// append.
    public long appended() {
        return appended;
    }

    /// Whether somebody who waits for that would wait.
    public boolean wouldWait(long bytes) {
        return options.durability() == Durability.SYNC
                ? durable < bytes
                : bytes - written > MOST_WAITING_BYTES;
    }

    /// Waits until the entries up to there are as durable as they are to be when somebody is told.
    ///
    /// @param waiter the thread's own
    /// @throws JournalException if that will never be so
    public void await(long bytes, Waiter waiter) {
        if (!wouldWait(bytes)) {
            return;
        }
        waiter.thread = Thread.currentThread();
        waiter.position = bytes;
        arriving.offer(waiter);
        LockSupport.unpark(writer);
        while (wouldWait(bytes)) {
            requireWorking();
            host.sleep(WAIT_NANOS);
        }
        waiter.thread = null;
    }

    /// Waits until all that was appended is forced, whatever else is waited for.
    ///
    /// @throws JournalException if that will never be so
    void force() {
        long bytes = appended;
        while (durable < bytes) {
            requireWorking();
            isForceAsked = true;
            LockSupport.unpark(writer);
            host.sleep(WAIT_NANOS);
        }
    }

    /// Nothing is written any more, nor can be appended.
    void stop(Throwable cause) {
        failure = cause;
        LockSupport.unpark(writer);
    }

    /// The segment in which an entry begins, or one before it.
    ///
    /// @param bytes how many bytes of entries are before it
    int segmentOf(long bytes) {
        return starts.floorEntry(bytes).getValue();
    }

    /// @throws JournalException if the disk has failed
    void requireWorking() {
        Throwable why = failure;
        if (why != null) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    "the journal can't be written any more, and nothing is committed: "
                            + why.getMessage()
                            + "; restart the database when the disk is repaired",
                    why);
        }
        if (closing) {
            throw new JournalException(JournalException.Kind.FAILED, "the journal is closed", null);
        }
    }

    /// How many bytes were written to the disk, in blocks. A small entry that is written alone
    /// takes a whole one.
    public long writtenBytes() {
        return writtenBytes;
    }

    int generation() {
        return generation;
    }

    private void writeAll() {
        long restNanos = options.interval().toNanos();
        long lastNanos = host.nanoTime();
        try {
            while (failure == null) {
                boolean isLast = closing;
                boolean isDue = host.nanoTime() - lastNanos >= restNanos;
                long waits = appended - written;
                boolean isAsked = isForceAsked;
                boolean isForced = options.durability() != Durability.NONE || isLast || isAsked;
                boolean isNow = isDue || isLast || isAskedFor() || waits > EAGER_BYTES;
                if (waits > 0 && isNow || isAsked) {
                    isForceAsked = false;
                    lastNanos = host.nanoTime();
                    writeOnce(isForced);
                    wake();
                } else if (isLast) {
                    return;
                } else if (isUnconfirmed && host.nanoTime() - lastNanos >= REST_NANOS) {
                    confirm();
                } else {
                    host.sleep(Math.min(restNanos, REST_NANOS));
                }
            }
        } catch (Throwable e) {
            failure = e;
        } finally {
            wake(); // who comes later looks again by himself
        }
    }

    private boolean isAskedFor() {
        return options.durability() == Durability.SYNC
                && !(waiting.isEmpty() && arriving.isEmpty());
    }

    /// Those who are through go on, and all do when nobody will be any more.
    private void wake() {
        arriving.drain(waiting::add);
        for (int i = waiting.size() - 1; i >= 0; i--) {
            Waiter waiter = waiting.get(i);
            if (failure != null || !wouldWait(waiter.position)) {
                Thread thread = waiter.thread;
                waiting.set(i, waiting.getLast());
                waiting.removeLast();
                LockSupport.unpark(thread);
            }
        }
    }

    /// Writes what has come together.
    private void writeOnce(boolean isForced) {
        Buffer full;
        lock.lock();
        try {
            full = filling;
            spare.require(reservedBytes);
            filling = spare;
            spare = full;
        } finally {
            lock.unlock();
        }
        long before = segment.position(offset);
        List<JournalSegments.Segment> left = new ArrayList<>();
        long used = 0;
        long writtenBytesBefore = writtenBytes;
        long blockBytes = 0;
        long nextEntry = 0; // where the next entry begins that was not begun yet
        while (used < full.used) {
            if (segment.bytes() - offset < JournalBlock.ALIGNMENT) {
                left.add(segment);
                takeSegment();
                starts.put(written + used, segment.number());
            }
            int room = Math.min(segment.bytes() - offset, JournalBlock.MOST_BYTES);
            int piece = (int) Math.min(full.used - used, room - JournalBlock.HEAD_BYTES);
            int first = (int) Math.min(nextEntry - used, piece);
            while (nextEntry < used + piece) {
                long head = LocalMemory.longAt(full.memory + nextEntry);
                nextEntry += JournalEntry.HEAD_BYTES + JournalEntry.bytes(head);
            }
            LocalMemory.copy(full.memory + used, blockAddress + JournalBlock.HEAD_BYTES, piece);
            JournalBlock.Head head =
                    new JournalBlock.Head(
                            segment.position(offset), generation, piece, forced, first);
            JournalBlock.write(block, head);
            segment.file().write(offset, block);
            offset += JournalBlock.length(piece);
            blockBytes += JournalBlock.length(piece);
            used += piece;
        }
        left.forEach(each -> each.file().force());
        if (isForced) {
            segment.file().force();
            forced = segment.position(offset);
            isUnconfirmed = true;
        }
        left.forEach(each -> each.file().close());
        long paid = full.owed;
        long done = used;
        lock.lock();
        try {
            owedBytes -= paid;
            roomBytes -= bytesBetween(before, left);
            full.clear();
        } finally {
            lock.unlock();
        }
        long all = written + done;
        written = all;
        writtenBytes = writtenBytesBefore + blockBytes;
        if (isForced) {
            durable = all;
        }
        LockSupport.unpark(preparer);
    }

    /// Writes an empty block, if there is room for it, which says that what is before was forced.
    /// So damage to that is told from a write that was never finished.
    private void confirm() {
        isUnconfirmed = false;
        if (segment.bytes() - offset < JournalBlock.ALIGNMENT) {
            return;
        }
        lock.lock();
        try {
            if (roomBytes - owedBytes < JournalBlock.ALIGNMENT) {
                return;
            }
            roomBytes -= JournalBlock.ALIGNMENT;
        } finally {
            lock.unlock();
        }
        JournalBlock.write(
                block, new JournalBlock.Head(segment.position(offset), generation, 0, forced, 0));
        segment.file().write(offset, block);
        segment.file().force();
        offset += JournalBlock.length(0);
        forced = segment.position(offset);
    }

    /// What was used of the room, in the segments that are full, and in this one.
    private long bytesBetween(long before, List<JournalSegments.Segment> left) {
        if (left.isEmpty()) {
            return offset - JournalSegments.offset(before);
        }
        long bytes = left.getFirst().bytes() - JournalSegments.offset(before) + offset;
        for (JournalSegments.Segment each : left.subList(1, left.size())) {
            bytes += each.bytes();
        }
        return bytes;
    }

    private void takeSegment() {
        lock.lock();
        try {
            segment = ready.removeFirst();
            offset = 0;
        } finally {
            lock.unlock();
        }
    }

    /// Keeps a segment ready, and more if they are asked for.
    private void prepareAll() {
        while (!closing && failure == null) {
            if (!needsSegment()) {
                host.sleep(REST_NANOS);
                continue;
            }
            JournalSegments.Segment made = null;
            DiskException refusal = null;
            try {
                made = JournalSegments.prepare(disk, nextSegment, options.segmentBytes());
            } catch (DiskException e) {
                refusal = e;
            }
            lock.lock();
            try {
                if (made != null) {
                    nextSegment++;
                    ready.addLast(made);
                    roomBytes += made.bytes();
                } else {
                    lastRefusal = refusal;
                    refusals++;
                }
            } finally {
                lock.unlock();
            }
            if (made == null) {
                host.sleep(REST_NANOS);
            }
        }
    }

    private boolean needsSegment() {
        lock.lock();
        try {
            boolean isWanted = roomBytes - owedBytes < wantedBytes;
            if (!isWanted) {
                wantedBytes = 0;
            }
            return isWanted || ready.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /// Writes and forces what there is, and ends it.
    ///
    /// @throws JournalException if the disk fails, or has failed
    @Override
    public void close() {
        closing = true;
        join(writer);
        join(preparer);
        for (JournalSegments.Segment unused : ready) {
            unused.file().close();
        }
        segment.file().close();
        Throwable why = failure;
        if (why != null) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    "the journal could not be written to its end: " + why.getMessage(),
                    why);
        }
    }

    private static void join(@Nullable Thread thread) {
        if (thread == null) {
            return;
        }
        LockSupport.unpark(thread);
        Housekeeping.joinUninterruptibly(thread);
    }
}
