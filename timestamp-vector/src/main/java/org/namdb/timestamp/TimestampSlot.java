package org.namdb.timestamp;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;

/// A slot of the timestamp vector, held by one transaction execution thread: it hands out the
/// thread's commit timestamps, and publishes them.
///
/// **No timestamp is used twice**, whichever session holds the slot. A thread may have installed t
/// = 58 and stopped before it published that, so `V[slot]` = 57 does not show where to go on:
/// ```
///   A  next() = 58, installs a version <3, 58>, stops          V[3] = 57
///   B  takes slot 3 over, next() = 58, installs, publishes     V[3] = 58: half of A's transaction
///                                                              is seen, and 58 is two transactions
/// ```
/// So timestamps are reserved in blocks: the slot's reservation word is raised before any timestamp
/// beyond it is used, and a new holder goes on after it. So A's versions are distinct from B's.
/// They are still not harmless, since they are below everything that B publishes. A dead holder's
/// slot is therefore not free: recovery finishes or undoes A's last transaction, and then [takes it
/// over][#takeOver]. For the same reason a holder whose install failed halfway must not publish
/// again, which the slot ensures: it hands out the next timestamp when the one before is
/// [published][#publish] or [given up][#giveUp], and is not [released][#release] before either.
/// ```
///   A  next() = 7, installs x on one server; the verb to the other throws     V[3] = 6
///   A  next() = 8, installs, publishes     refused: x@7 would be seen, and not what belongs to it
/// ```
///
/// Source: NAM-DB, section 4.1.
public final class TimestampSlot {
    static final long RESERVED_BLOCK = 1 << 16;

    private static final int OWNERS_PER_READ = 512;

    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;
    private final int number;
    private final Announcement announcement;

    /// The last timestamp that was handed out.
    private long last;

    /// The last timestamp that was published.
    private long published;

    /// The timestamp that was handed out and neither published nor given up; 0 if there is none.
    private long pending;

    /// The last timestamp that may be handed out.
    private long reserved;

    /// What the reservation was raised to last; it has taken effect if it is `reserved`.
    private long reserving;

    /// How many timestamps are reserved at a time.
    private final long block;

    private TimestampSlot(
            TimestampVectorLayout layout, QueuePair queuePair, int number, long block) {
        this.layout = layout;
        this.queuePair = queuePair;
        this.number = number;
        this.block = block;
        this.announcement = new Announcement(queuePair, layout.announcement(number));
    }

    /// Takes the first free slot.
    ///
    /// @param owner the new owner: not 0, and another one for each thread of each start of a
    ///     compute server, so that recovery can identify it
    /// @throws SlotsExhaustedException if there is none
    public static TimestampSlot take(
            TimestampVectorLayout layout, QueuePair queuePair, long owner) {
        for (int first = 0; first < layout.maxSlots(); first += OWNERS_PER_READ) {
            int count = Math.min(OWNERS_PER_READ, layout.maxSlots() - first);
            long owners = queuePair.read(layout.owner(first), 8 * count);
            queuePair.await();
            for (int index = 0; index < count; index++) {
                if (LocalMemory.longAcquire(owners + 8L * index) == 0
                        && casOwner(layout, queuePair, first + index, 0, owner)) {
                    TimestampSlot taken =
                            new TimestampSlot(layout, queuePair, first + index, RESERVED_BLOCK);
                    taken.enter();
                    return taken;
                }
            }
        }
        throw new SlotsExhaustedException(layout.maxSlots());
    }

    /// Takes over a slot whose holder is dead and can't write any more. What that has installed and
    /// not published is undone by the first commit, before anything else is published.
    ///
    /// Nothing is reserved before a timestamp is needed, and then only that one: a slot may be
    /// taken over many times before a recovery completes.
    ///
    /// @param dead the slot's owner word; may be `owner` itself, which goes on with what it has
    ///     begun
    /// @param owner the new owner
    /// @throws IllegalStateException if the slot is not, or no longer, held by `dead`
    public static TimestampSlot takeOver(
            TimestampVectorLayout layout, QueuePair queuePair, int slot, long dead, long owner) {
        if (!casOwner(layout, queuePair, slot, dead, owner)) {
            throw new IllegalStateException(
                    "slot " + slot + " is not held by 0x" + Long.toHexString(dead));
        }
        TimestampSlot taken = new TimestampSlot(layout, queuePair, slot, 1);
        taken.readCounters();
        return taken;
    }

    private static boolean casOwner(
            TimestampVectorLayout layout, QueuePair queuePair, int slot, long before, long owner) {
        assert owner != 0 : "0 is no owner";
        long view = queuePair.compareAndSwap(layout.owner(slot), before, owner);
        queuePair.await();
        return LocalMemory.longAt(view) == before;
    }

    /// Continues the slot's counter, and has readers collect the slot, before its first
    /// publication.
    private void enter() {
        readCounters();
        reserve();
        raiseSlotsInUse();
        reserved = reserving;
    }

    private void readCounters() {
        queuePair.writeWord(layout.announcement(number), Announcement.IDLE);
        long reservationView = queuePair.read(layout.reservation(number), 8);
        long slotView = queuePair.read(layout.slot(number), 8);
        queuePair.await();
        last =
                PlantedFault.COUNTER_RESET.isPlanted()
                        ? 0
                        : LocalMemory.longAcquire(reservationView);
        published = LocalMemory.longAcquire(slotView);
        reserving = last;
        reserved = last;
    }

    private void raiseSlotsInUse() {
        long inUse = 0;
        while (inUse <= number) {
            long view = queuePair.compareAndSwap(layout.slotsInUse(), inUse, number + 1);
            queuePair.await();
            long found = LocalMemory.longAt(view);
            if (found == inUse) {
                return;
            }
            inUse = found;
        }
    }

    /// Which slot it is.
    public int number() {
        return number;
    }

    /// The next commit timestamp, as a word ([CommitTimestamp]). Without communication.
    ///
    /// @throws IllegalStateException if the slot has used all its timestamps, or the one before was
    ///     neither published nor given up
    public long next() {
        requireNothingPending();
        if (last == reserved) {
            awaitReservation();
        }
        pending = ++last;
        return CommitTimestamp.of(number, pending);
    }

    /// Posts the publication of a commit timestamp, given as a word: once it is awaited, every
    /// transaction that begins sees this one. Installs on other memory servers have been awaited
    /// before; those on the slot's own server may share the round trip.
    public void publish(long commitTimestamp) {
        long timestamp = requirePending(commitTimestamp);
        queuePair.writeWord(layout.slot(number), timestamp);
        published = timestamp;
        pending = 0;
        if (timestamp > reserving - block / 2) {
            reserve();
        }
    }

    /// Posts the publication of the last commit of a dead holder, from whom the slot was [taken
    /// over][#takeOver]; all of it is installed.
    ///
    /// @throws IllegalStateException if the holder can't have been about to publish it
    public void publishLeft(long commitTimestamp) {
        requireNothingPending();
        assert CommitTimestamp.slot(commitTimestamp) == number : "another slot's";
        long timestamp = CommitTimestamp.timestamp(commitTimestamp);
        if (timestamp <= published || timestamp > last) {
            throw new IllegalStateException(
                    "slot %d has published %d and reserved %d: not %d"
                            .formatted(number, published, last, timestamp));
        }
        queuePair.writeWord(layout.slot(number), timestamp);
        published = timestamp;
    }

    /// Nothing was installed with this commit timestamp, and nothing will be.
    public void giveUp(long commitTimestamp) {
        long _ = requirePending(commitTimestamp);
        pending = 0;
    }

    private long requirePending(long commitTimestamp) {
        assert CommitTimestamp.slot(commitTimestamp) == number : "another slot's";
        long timestamp = CommitTimestamp.timestamp(commitTimestamp);
        if (timestamp != pending) {
            throw new IllegalStateException(
                    "timestamp " + timestamp + " of slot " + number + " was not handed out last");
        }
        return timestamp;
    }

    private void requireNothingPending() {
        if (pending != 0) {
            throw new IllegalStateException(
                    "slot %d stands still: what was installed with timestamp %d is not whole"
                            .formatted(number, pending));
        }
    }

    /// Adds what [#publish] posts.
    public void forecastPublish(VerbForecast into) {
        into.write(RemoteAddress.server(layout.slot(number)), 1, Long.BYTES);
    }

    /// The last timestamp that was published.
    public long published() {
        return published;
    }

    /// Releases the slot. No transaction runs in it.
    ///
    /// @throws IllegalStateException if a timestamp was handed out, and neither published nor given
    ///     up: no other session must publish in the slot before recovery
    public void release() {
        requireNothingPending();
        announcement.withdraw();
        queuePair.writeWord(layout.reservation(number), last);
        queuePair.await();
        queuePair.writeWord(layout.owner(number), 0);
        queuePair.await();
    }

    /// Where the vector and its chain lie.
    public TimestampVectorLayout layout() {
        return layout;
    }

    /// The queue pair of the thread that holds the slot.
    public QueuePair queuePair() {
        return queuePair;
    }

    /// The last timestamp that was handed out.
    public long last() {
        return last;
    }

    /// The last timestamp that is reserved.
    long reserved() {
        return reserved;
    }

    /// Timestamps up to `newLast` were handed out, and published, by the threads that share the
    /// slot.
    void continueAfter(long newLast) {
        last = newLast;
        published = newLast;
    }

    /// The slot's announcement of the transaction that runs in it.
    public Announcement announcement() {
        return announcement;
    }

    /// Posts the reservation of another block: half a block before it is needed, so that no commit
    /// waits for it.
    private void reserve() {
        reserving = Math.min(reserving + block, CommitTimestamp.MAX_TIMESTAMP);
        queuePair.writeWord(layout.reservation(number), reserving);
    }

    private void awaitReservation() {
        if (reserving == reserved) {
            reserve();
        }
        queuePair.await();
        reserved = reserving;
        if (last == reserved) {
            throw new IllegalStateException(
                    "slot " + number + " has used all its timestamps: take another one");
        }
    }
}
