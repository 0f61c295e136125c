package org.namdb.timestamp.snapshot;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.TimestampVectorLayout;

/// The low watermark W: a member of the snapshot chain that every snapshot in use dominates, and
/// every later one. What S_W sees replaced, no transaction needs.
///
/// In the region it is one word, W's sequence number, which only rises. There is no vector to be
/// read with it: each thread has a copy of a member that it has seen itself, and once W is not
/// below that, the copy serves. Nothing there can be torn, and a thread that stops midway blocks no
/// other.
///
/// **Raising it.** Any thread may [observe][#observe] now and then. An observer takes the head,
/// member c, as a candidate, and then reads all slots' [announcements][Announcement]. One that is
/// idle, or c or later, is settled: what runs in that slot, now or later, has or will read the head
/// after the observer has. When all are, W rises to c.
///
/// A session has a member that was the head once: the snapshot of its last transaction. It takes
/// that as the candidate, and reads neither the head nor a member. What it needs not know is which
/// slots were in use when that was the head: it reads how many are now, with the announcements. A
/// slot that is taken later reads the head later.
///
/// **Announce first, then choose.** The other way round, a transaction can lose what it has chosen:
/// ```
///   R  reads the head: S_7, is descheduled
///   A  commits; the head is S_8
///   O  takes S_8 as a candidate; R's slot is idle: W := 8
///   G  drops the versions that S_7 sees and S_8 does not
///   R  announces S_7, and misses a version
/// ```
/// When R announces first (anything that was the head once, say 6), O finds it, and waits. Or O has
/// read before, and then R reads the head after that, and gets S_8.
///
/// **E, the maximum transaction time.** An announcement that has not changed for longer than E, by
/// the observer's clock, does not count: its thread is dead, or its transaction too old. So a
/// transaction that finds W above its own snapshot may miss versions, and ends with "snapshot too
/// old":
/// ```
///   R  announces 6, chooses S_7, reads for longer than E
///   O  ignores R: W := 8
///   G  drops a version
///   R  reads the record, and after it W: 8 > 7, and does not use what it has read
/// ```
/// G drops after W has risen, so a reader of a record that lacks a version reads W as risen, if it
/// reads it after the record ([#post], [#hasPassed]).
///
/// Belongs to one thread. Source: NAM-DB, section 5.3 (garbage collection, E); the protocol is this
/// project's.
public final class LowWatermark {
    private static final int READS_PER_ROUND_TRIP = 512;

    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;
    private final long maxTransactionNanos;
    private final LongSupplier nanoTime;
    private final Snapshot watermark = new Snapshot();
    private final ChainMember member;
    private final Snapshot candidate = new Snapshot();
    private boolean isChosen;

    /// How many slots are in use, as far as this thread has read it.
    private int inUse;

    /// The slots that the candidate waits for: the first `waiting` of them.
    private int[] awaited = new int[0];

    private int waiting;

    private final long[] views = new long[READS_PER_ROUND_TRIP];

    /// By slot: the announcement that the last candidate had to wait for, and when that was first
    /// seen.
    private long[] seen = new long[0];

    private long[] seenNanos = new long[0];

    /// @param maxTransactionNanos E: no less than the age at which a transaction gives up by itself
    /// @param nanoTime the clock
    public LowWatermark(
            TimestampVectorLayout layout,
            QueuePair queuePair,
            long maxTransactionNanos,
            LongSupplier nanoTime) {
        this.layout = layout;
        this.queuePair = queuePair;
        this.maxTransactionNanos = maxTransactionNanos;
        this.nanoTime = nanoTime;
        this.member = new ChainMember(layout, queuePair);
    }

    /// The low watermark, as far as this thread has observed it. At first it sees nothing.
    public Snapshot snapshot() {
        return watermark;
    }

    /// Posts a READ of the low watermark, for [#hasPassed]: after the READs of the records in
    /// question, in the same batch or later. Records on other servers have been awaited before.
    ///
    /// @return the view
    public long post() {
        return queuePair.read(layout.watermark(), 8);
    }

    /// Whether the low watermark has passed a snapshot, so that versions may be missing which that
    /// needs. To be called after the records were read.
    ///
    /// @param view of the READ that was [posted][#post], after its await
    public static boolean hasPassed(long view, Snapshot snapshot) {
        VarHandle.acquireFence();
        return LocalMemory.longAcquire(view) > snapshot.sequence();
    }

    /// Takes a step: chooses a candidate, if there is none, and reads the announcements that it
    /// waits for. One round trip if the chain has not grown, up to four (and another one for each
    /// 512 slots) if the low watermark rises.
    ///
    /// @return whether [#snapshot()] has risen
    public boolean observe() {
        return observe(watermark);
    }

    /// The same, up to a member of the chain that this thread has, if the low watermark has not
    /// risen to that yet: two round trips if it rises. Cheap for few slots: transaction threads
    /// call it every so many transactions.
    ///
    /// @param used a snapshot that was the chain's head at a time before the call
    /// @return whether [#snapshot()] has risen
    public boolean observe(Snapshot used) {
        if (!isChosen && !choose(used)) {
            return false;
        }
        long found = readAnnounced();
        if (found < candidate.sequence() && waiting > 0) {
            return false;
        }
        raise(found);
        watermark.copyFrom(candidate);
        isChosen = false;
        return true;
    }

    /// Whether there was no newer member of the chain to rise to when it was last
    /// [observed][#observe].
    public boolean isNewest() {
        return !isChosen;
    }

    private boolean choose(Snapshot used) {
        if (used.sequence() > watermark.sequence()) {
            candidate.copyFrom(used);
            inUse = Math.max(inUse, used.length());
        } else if (!readHead()) {
            return false;
        }
        waiting = 0;
        awaitSlots(0);
        isChosen = true;
        return true;
    }

    private boolean readHead() {
        long headView = queuePair.read(layout.chain(), 8);
        long inUseView = queuePair.read(layout.slotsInUse(), 8);
        queuePair.await();
        long head = LocalMemory.longAcquire(headView);
        inUse = Math.max(inUse, (int) LocalMemory.longAcquire(inUseView));
        boolean isNew = ChainHead.sequence(head) > watermark.sequence() && member.read(head, inUse);
        if (isNew) {
            member.copyTo(candidate);
        }
        return isNew;
    }

    /// The candidate also waits for the slots from `first` on that are in use.
    private void awaitSlots(int first) {
        if (inUse > awaited.length) {
            awaited = Arrays.copyOf(awaited, inUse);
            seen = Arrays.copyOf(seen, inUse);
            seenNanos = Arrays.copyOf(seenNanos, inUse);
        }
        for (int slot = first; slot < inUse; slot++) {
            awaited[waiting] = slot;
            waiting++;
        }
    }

    /// Reads the low watermark's sequence number, and the announcements that the candidate waits
    /// for.
    private long readAnnounced() {
        isChosen = false; // unless it gets to the end: half a read is none
        long now = nanoTime.getAsLong();
        long watermarkView = post();
        long inUseView = queuePair.read(layout.slotsInUse(), 8);
        int known = inUse;
        long found = 0;
        int before = waiting;
        waiting = 0;
        int first = 0;
        do {
            readAnnouncements(first, Math.min(READS_PER_ROUND_TRIP, before - first), now);
            if (first == 0) {
                found = LocalMemory.longAcquire(watermarkView);
                inUse = Math.max(inUse, (int) LocalMemory.longAcquire(inUseView));
            }
            first += READS_PER_ROUND_TRIP;
        } while (first < before);
        readNewSlots(known, now);
        isChosen = true;
        return found;
    }

    /// Slots that this thread did not know to be in use: their holders may have announced an older
    /// member.
    private void readNewSlots(int known, long now) {
        int first = waiting;
        awaitSlots(known);
        int end = waiting;
        waiting = first;
        while (first < end) {
            int count = Math.min(READS_PER_ROUND_TRIP, end - first);
            readAnnouncements(first, count, now);
            first += count;
        }
    }

    private void readAnnouncements(int first, int count, long now) {
        for (int index = 0; index < count; index++) {
            views[index] = queuePair.read(layout.announcement(awaited[first + index]), 8);
        }
        queuePair.await();
        for (int index = 0; index < count; index++) {
            int slot = awaited[first + index];
            if (isInTheWay(slot, LocalMemory.longAcquire(views[index]), now)) {
                awaited[waiting] = slot;
                waiting++;
            }
        }
    }

    /// Whether a slot's announcement keeps the candidate from becoming the low watermark.
    ///
    /// @param now a time before the announcement was read
    private boolean isInTheWay(int slot, long announcement, long now) {
        if (announcement == Announcement.IDLE
                || PlantedFault.EARLY_COLLECTION.isPlanted()
                || Announcement.sequence(announcement) >= candidate.sequence()) {
            return false;
        }
        if (seen[slot] == announcement) {
            return now - seenNanos[slot] <= maxTransactionNanos;
        }
        seen[slot] = announcement;
        seenNanos[slot] = nanoTime.getAsLong(); // after it was read: never older than it is
        return true;
    }

    private void raise(long found) {
        long before = found;
        while (before < candidate.sequence()) {
            long view = queuePair.compareAndSwap(layout.watermark(), before, candidate.sequence());
            queuePair.await();
            long now = LocalMemory.longAt(view);
            if (now == before) {
                return;
            }
            before = now;
        }
    }
}
