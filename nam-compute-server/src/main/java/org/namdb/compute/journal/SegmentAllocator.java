package org.namdb.compute.journal;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;

/// Allocates the segments of the journal ahead of their use, in a thread of its own, and reserves
/// their bytes for entries. Writing what was reserved needs no more of the disk, so a full disk is
/// met by a reservation, which can be refused, and never by a write.
///
/// One segment is kept ready. A reservation that needs more waits for it; when the disk refuses the
/// segment, the reservation is refused, and segments that were made for it are removed again: they
/// may be what others, or the next checkpoint, need.
///
/// Safe for use by many threads.
final class SegmentAllocator implements AutoCloseable {
    private static final long POLL_NANOS = 1_000_000;
    private static final long IDLE_NANOS = 100_000_000;

    private final Host host;
    private final Disk disk;
    private final int segmentBytes;

    /// What is not reserved of the segment in use and of those that are ready.
    private final AtomicLong freeBytes = new AtomicLong();

    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<JournalSegments.Segment> ready = new ArrayDeque<>();
    private int nextSegment;
    private long wantedBytes;
    private @Nullable DiskException lastRefusal;
    private long refusals;

    private volatile boolean closing;
    private @Nullable Thread thread;

    /// @param firstSegment the number of the first one; it is made at once
    /// @throws DiskException if it can't be
    SegmentAllocator(Host host, Disk disk, int segmentBytes, int firstSegment) {
        this.host = host;
        this.disk = disk;
        this.segmentBytes = segmentBytes;
        this.nextSegment = firstSegment;
        add(JournalSegments.prepare(disk, firstSegment, segmentBytes));
    }

    void start() {
        thread = host.start("namdb-journal-space", this::allocateAll);
    }

    /// Reserves bytes, and waits for the disk if there are not enough.
    ///
    /// @param whileWaiting called repeatedly; what it throws ends the wait
    /// @throws JournalFullException if the disk is full
    void reserve(long bytes, Runnable whileWaiting) {
        if (!tryReserve(bytes)) {
            reserveMore(bytes, whileWaiting);
        }
    }

    /// Reserves bytes if there are enough now.
    boolean tryReserve(long bytes) {
        long free = freeBytes.get();
        while (free >= bytes) {
            if (freeBytes.compareAndSet(free, free - bytes)) {
                return true;
            }
            free = freeBytes.get();
        }
        return false;
    }

    private void reserveMore(long bytes, Runnable whileWaiting) {
        long refusalsBefore = want(bytes);
        try {
            while (!tryReserve(bytes)) {
                DiskException refusal = refusalSince(refusalsBefore);
                if (refusal != null) {
                    throw new JournalFullException(
                            "there is no space for the journal: " + refusal.getMessage(), refusal);
                }
                whileWaiting.run();
                LockSupport.unpark(thread);
                host.sleep(POLL_NANOS);
            }
        } finally {
            want(-bytes);
        }
    }

    /// @return how many segments the disk has refused so far
    private long want(long bytes) {
        lock.lock();
        try {
            wantedBytes += bytes;
            return refusals;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable DiskException refusalSince(long before) {
        lock.lock();
        try {
            return refusals > before ? lastRefusal : null;
        } finally {
            lock.unlock();
        }
    }

    /// Frees bytes that were reserved and not written.
    void release(long bytes) {
        long _ = freeBytes.addAndGet(bytes);
    }

    /// The next segment to write to. There is one where bytes are reserved beyond the last one.
    JournalSegments.Segment take() {
        lock.lock();
        try {
            return ready.removeFirst();
        } finally {
            lock.unlock();
            LockSupport.unpark(thread); // makes another one
        }
    }

    private void allocateAll() {
        while (!closing) {
            if (isSegmentNeeded()) {
                allocate();
            } else if (!dropUnneeded()) {
                host.sleep(IDLE_NANOS);
            }
        }
    }

    private boolean isSegmentNeeded() {
        lock.lock();
        try {
            return ready.isEmpty() || freeBytes.get() < wantedBytes;
        } finally {
            lock.unlock();
        }
    }

    private void allocate() {
        try {
            add(JournalSegments.prepare(disk, nextSegment, segmentBytes));
        } catch (DiskException e) {
            refuse(e);
            rest();
        }
    }

    /// However often the thread is woken up, a full disk is not retried without a pause.
    private void rest() {
        long start = host.nanoTime();
        while (!closing && host.nanoTime() - start < IDLE_NANOS) {
            host.sleep(IDLE_NANOS);
        }
    }

    private void add(JournalSegments.Segment made) {
        lock.lock();
        try {
            nextSegment++;
            ready.addLast(made);
            long _ = freeBytes.addAndGet(made.bytes());
        } finally {
            lock.unlock();
        }
    }

    private void refuse(DiskException cause) {
        lock.lock();
        try {
            lastRefusal = cause;
            refusals++;
        } finally {
            lock.unlock();
        }
    }

    /// Removes the last segment that is ready, if no reservation needs it and there is another one.
    ///
    /// @return whether it was removed
    private boolean dropUnneeded() {
        JournalSegments.Segment last;
        lock.lock();
        try {
            if (ready.size() < 2
                    || freeBytes.get() - ready.getLast().bytes() < wantedBytes
                    || !tryReserve(ready.getLast().bytes())) {
                return false;
            }
            last = ready.removeLast();
            nextSegment--;
        } finally {
            lock.unlock();
        }
        JournalSegments.discard(disk, last.file(), JournalSegments.name(last.number()));
        return true;
    }

    /// Allocates nothing any more.
    void stop() {
        closing = true;
        LockSupport.unpark(thread);
    }

    /// Ends the thread, and closes the segments that were not taken.
    @Override
    public void close() {
        stop();
        Thread started = thread;
        if (started != null) {
            MaintenanceThread.joinUninterruptibly(started);
        }
        ready.forEach(unused -> unused.file().close());
    }
}
