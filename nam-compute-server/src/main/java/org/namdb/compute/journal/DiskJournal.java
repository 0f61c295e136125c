package org.namdb.compute.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.disk.Disk;
import org.namdb.timestamp.snapshot.DurableCommits;

/// The journal that this process writes: all sessions append their entries to a buffer, and one
/// thread writes what has accumulated and forces it, for all that wait (group commit).
/// ```
/// A  reserves, appends, installs, publishes        waits until the journal is durable up to A
/// B       reserves, appends, installs, publishes   waits
/// W                    writes A | forces | A goes on | writes B and what came since | forces
/// ```
/// **Order.** The entries are in one order, and what is durable is a prefix of it. A transaction
/// that builds on A appends after A, as it meets A's locks or versions only after A's append. So a
/// crash that loses A loses all that has relied on A, too.
///
/// **Appending can't fail.** An entry has memory and [space on the disk][SegmentAllocator] before
/// its transaction locks anything. A full disk refuses the transaction then.
///
/// **A failed disk is final.** It is not known what was written, and another attempt proves
/// nothing. From then on no waiting session is answered, and nothing can be reserved.
///
/// Safe for use by many threads.
public final class DiskJournal implements AutoCloseable {
    /// So much is written though no session waits for it.
    private static final int EAGER_BYTES = 4 << 20;

    /// A session that does not wait for the disk waits while more is not written.
    private static final int MAX_UNWRITTEN_BYTES = 64 << 20;

    /// What an entry takes beyond its [cost][#cost] that is written alone.
    private static final int ALONE_BYTES = 2 * JournalBlock.ALIGNMENT;

    private static final long WAIT_NANOS = 5_000_000;
    private static final long IDLE_NANOS = 100_000_000;

    private final Host host;
    private final JournalOptions options;
    private final int generation;
    private final SegmentAllocator allocator;
    private final BlockWriter blocks;

    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private EntryBuffer filling;
    private EntryBuffer spare;
    private long reservedBytes;

    /// How many bytes of entries were appended, and how many of them are written, and durable.
    private volatile long appended;

    private volatile long written;
    private volatile long durable;

    /// How many bytes of entries must be durable as soon as that can be.
    private final AtomicLong forceUpTo = new AtomicLong();

    /// Changed by the writer only.
    private volatile long writtenBytes;

    private volatile @Nullable Throwable failure;
    private volatile boolean closing;
    private final MpscUnboundedArrayQueue<Waiter> arriving = new MpscUnboundedArrayQueue<>(64);

    /// The writer's own.
    private final List<Waiter> waiting = new ArrayList<>();

    private @Nullable DurableCommits durableCommits;
    private @Nullable Thread writer;

    /// A waiting thread. Used by one thread, and reused.
    public static final class Waiter {
        private Durability durability = Durability.SYNC;
        private volatile long position;
        private volatile @Nullable Thread thread;
    }

    /// Begins a generation in a segment of its own.
    ///
    /// @param firstSegment its number
    /// @throws org.namdb.fabric.disk.DiskException if it can't be made
    public DiskJournal(
            Host host, Disk disk, JournalOptions options, int firstSegment, int generation) {
        this.host = host;
        this.options = options;
        this.generation = generation;
        this.allocator = new SegmentAllocator(host, disk, options.segmentBytes(), firstSegment);
        this.blocks = new BlockWriter(allocator, generation);
        this.filling = new EntryBuffer();
        this.spare = new EntryBuffer();
    }

    /// Starts its threads.
    ///
    /// @param tracked gets the commits that are durable; null if they are not needed
    public void start(@Nullable DurableCommits tracked) {
        durableCommits = tracked;
        writer = host.start("namdb-journal", this::writeAll);
        allocator.start();
    }

    /// What an entry of so many bytes takes at most, behind another one that is written with it.
    private static long cost(long bytes) {
        return bytes + JournalEntry.HEAD_BYTES + (bytes >>> 7);
    }

    /// Makes sure of space for an entry, which is then [appended][#append], or [not][#release].
    /// Waits for the disk, if need be: the caller has locked nothing.
    ///
    /// @param bytes those of its body
    /// @throws JournalFullException if there is none
    /// @throws JournalException if the disk has failed
    public void reserve(long bytes) {
        requireWorking();
        long diskBytes = cost(bytes) + ALONE_BYTES;
        allocator.reserve(diskBytes, this::requireWorking);
        boolean isDone = false;
        lock.lock();
        try {
            requireWorking(); // else the memory may be freed
            filling.require(reservedBytes + bytes + JournalEntry.HEAD_BYTES);
            reservedBytes += bytes + JournalEntry.HEAD_BYTES;
            isDone = true;
        } finally {
            lock.unlock();
            if (!isDone) {
                allocator.release(diskBytes);
            }
        }
    }

    /// Frees what was reserved, and is not needed.
    public void release(long bytes) {
        lock.lock();
        try {
            reservedBytes -= bytes + JournalEntry.HEAD_BYTES;
        } finally {
            lock.unlock();
        }
        allocator.release(cost(bytes) + ALONE_BYTES);
    }

    /// Frees what was reserved for an entry beyond what it needs.
    void shrink(long reserved, long bytes) {
        lock.lock();
        try {
            reservedBytes -= reserved - bytes;
        } finally {
            lock.unlock();
        }
        allocator.release(cost(reserved) - cost(bytes));
    }

    /// Appends an entry for which there is space.
    ///
    /// @param body the native address of its body
    /// @param bytes a multiple of 8
    /// @return how many bytes of entries there are then: what to [wait][#await] for
    long append(JournalEntry.Kind kind, long body, int bytes) {
        lock.lock();
        try {
            long diskBytes = cost(bytes);
            if (filling.isEmpty()) {
                diskBytes += ALONE_BYTES;
            } else {
                allocator.release(ALONE_BYTES); // it shares a block
            }
            if (filling.isOpen()) { // else it was closed while its sessions used it
                filling.append(kind, body, bytes, diskBytes);
            }
            reservedBytes -= bytes + JournalEntry.HEAD_BYTES;
            long end = appended + bytes + JournalEntry.HEAD_BYTES;
            appended = end;
            return end;
        } finally {
            lock.unlock();
        }
    }

    /// How many bytes of entries were appended. A transaction that has seen a commit has seen it
    /// after its append.
    public long appended() {
        return appended;
    }

    /// What the sessions of the process are promised that don't choose for themselves.
    Durability durability() {
        return options.durability();
    }

    /// Whether a session that waits for that would wait.
    boolean wouldWait(long bytes, Durability durability) {
        return durability == Durability.SYNC
                ? durable < bytes
                : bytes - written > MAX_UNWRITTEN_BYTES;
    }

    /// Waits until the entries up to there are as durable as the session is promised.
    ///
    /// @param waiter the thread's own
    /// @throws JournalException if that will never be so
    void await(long bytes, Durability durability, Waiter waiter) {
        if (!wouldWait(bytes, durability)) {
            return;
        }
        if (durability == Durability.SYNC) {
            requestForce(bytes);
        }
        waiter.thread = Thread.currentThread();
        waiter.durability = durability;
        waiter.position = bytes;
        arriving.offer(waiter);
        LockSupport.unpark(writer);
        while (wouldWait(bytes, durability)) {
            requireWorking();
            host.sleep(WAIT_NANOS);
        }
        waiter.thread = null;
    }

    private void requestForce(long bytes) {
        if (forceUpTo.get() < bytes) {
            long _ = forceUpTo.accumulateAndGet(bytes, Math::max);
        }
    }

    /// Waits until all that was appended is forced, whatever sessions are promised.
    ///
    /// @throws JournalException if that will never be so
    void force() {
        await(appended, Durability.SYNC, new Waiter());
    }

    /// Ends the writing, and whatever waits for it or wants to append.
    void stop(Throwable cause) {
        failure = cause;
        allocator.stop();
        LockSupport.unpark(writer);
    }

    /// The segment in which an entry begins, or one before it.
    ///
    /// @param bytes how many bytes of entries are before it
    int segmentOf(long bytes) {
        return blocks.segmentOf(bytes);
    }

    /// A position before which all blocks are on the disk.
    long forcedPosition() {
        return blocks.forcedPosition();
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
        long intervalNanos = options.interval().toNanos();
        long lastNanos = host.nanoTime();
        try {
            while (failure == null) {
                boolean isLast = closing;
                boolean isRequested = durable < forceUpTo.get();
                long waits = appended - written;
                boolean isDue = host.nanoTime() - lastNanos >= intervalNanos;
                if (isRequested || waits > 0 && (isDue || isLast || waits > EAGER_BYTES)) {
                    lastNanos = host.nanoTime();
                    writeOnce(isRequested || isLast || options.durability() != Durability.NONE);
                    wake();
                } else if (isLast) {
                    return;
                } else if (blocks.isUnconfirmed() && host.nanoTime() - lastNanos >= IDLE_NANOS) {
                    blocks.confirm();
                } else {
                    host.sleep(Math.min(intervalNanos, IDLE_NANOS));
                }
            }
        } catch (Throwable e) {
            stop(e);
        } finally {
            wake(); // a thread that comes later finds the failure by itself
        }
    }

    /// Wakes the threads up that have waited long enough; all of them after a failure.
    private void wake() {
        arriving.drain(waiting::add);
        for (int i = waiting.size() - 1; i >= 0; i--) {
            Waiter waiter = waiting.get(i);
            if (failure != null || !wouldWait(waiter.position, waiter.durability)) {
                Thread thread = waiter.thread;
                waiting.set(i, waiting.getLast());
                waiting.removeLast();
                LockSupport.unpark(thread);
            }
        }
    }

    /// Writes what has accumulated.
    private void writeOnce(boolean isForced) {
        EntryBuffer full;
        lock.lock();
        try {
            full = filling;
            spare.require(reservedBytes);
            filling = spare;
            spare = full;
        } finally {
            lock.unlock();
        }
        long taken = blocks.write(full);
        if (isForced && !PlantedFault.ANSWERED_UNFORCED.isPlanted()) {
            blocks.force();
        } else {
            blocks.closeFull();
        }
        allocator.release(full.reservedBytes() - taken);
        long all = written + full.used();
        DurableCommits tracked = durableCommits;
        if (isForced && tracked != null) {
            full.forEachCommit(tracked::add);
        }
        full.clear();
        written = all;
        writtenBytes = blocks.blockBytes();
        if (isForced) {
            durable = all;
        }
    }

    /// Writes and forces what there is, and ends it.
    ///
    /// @throws JournalException if the disk fails, or has failed
    @Override
    public void close() {
        closing = true;
        Thread started = writer;
        if (started != null) {
            LockSupport.unpark(started);
            MaintenanceThread.joinUninterruptibly(started);
        }
        lock.lock();
        try {
            filling.close();
            spare.close();
        } finally {
            lock.unlock();
        }
        allocator.close();
        blocks.close();
        Throwable why = failure;
        if (why != null) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    "the journal could not be written to its end: " + why.getMessage(),
                    why);
        }
    }
}
