package org.namdb.timestamp.snapshot;

import java.util.function.LongSupplier;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// The snapshot chain: snapshots S_0, S_1, .. of which each dominates the one before. Every
/// snapshot in use is a member. There is no oracle process: a thread that needs a fresher one
/// appends it.
/// ```
/// fetch     READ the head (member k), READ the slots
/// collect   the element-wise maximum of the slots and the newest member that this thread has.
///           Nothing new: that is S_k
/// CAS       WRITE the maximum to a buffer of one's own, CAS the head from k to k + 1: use that.
///           Failed: if the head has moved twice since the first fetch, use it; else collect again
/// ```
/// One round trip, and another one for the CAS, which [#start] leaves to its caller: it is awaited
/// along with the transaction's first reads. Their results are used only if the CAS succeeded; else
/// they are posted again together with the READ of the member that was chosen instead ([#settle]).
/// So a begin costs one round trip of its own, unless a CAS fails, which happens only if others
/// appended in between. A thread whose CAS fails again and again, among many, awaits the CAS alone:
/// the first reads then go with the READ of the other's member, which takes no more round trips,
/// and reads nothing twice.
///
/// **Why S_k needs no READ.** The values in S_k were read from the slots before the head became k,
/// and a slot never falls: what is collected after the head was found to be k dominates S_k. And if
/// it is no more than an older member S_j that this thread has, then S_j <= S_k <= S_j.
///
/// **Why it is a snapshot.** Let B (of slot m) be in S_k+1 because the collector read it in `V[m]`.
/// B's own snapshot S_j was the head before B published, so before `V[m]` was read, so before the
/// CAS from k: j <= k and S_j <= S_k <= S_k+1, which therefore holds all that B saw. For B had seen
/// that its CAS, or another thread's, had made S_j the head before it committed. A plain read of
/// the vector does not have that ([DirectRead] draws how it goes wrong). And any two members can be
/// compared.
///
/// **Why reads may be posted before the CAS completes.** All that S_k+1 shows was installed before
/// it was published, and published before it was collected, and that was awaited. So the reads find
/// it whether or not the CAS succeeds. Not so if another member is used, which may show more:
/// ```
///   A  collects, posts the CAS and a read of x      B  installs x, publishes
///   C, D  begin, append S_k+1, S_k+2, with B
///   A  has read x without B, its CAS fails. With S_k+2, it would miss B
/// ```
///
/// **Why it is fresh.** A transaction that collects does so after it began. One whose CAS failed
/// may use a member that another thread collected after it began. The first to move the head from
/// the fetched f may have collected long before; the second one fetched f + 1, which was not the
/// head before my fetch, and collected after that:
/// ```
///   A  fetches f, collects                      B  commits and publishes
///   C  begins, fetches f, collects B            A  CAS f to f + 1: without B!
///   C  CAS fails. Using f + 1 it would miss B, which was acknowledged before C began
/// ```
/// This wants each collection to start after its fetch: the READ of the slots is posted after that
/// of the head, to the same server, which orders them. A failed CAS is a fetch too: it returns the
/// head.
///
/// **Slots on several servers.** Nothing orders a READ there after that of the head:
/// ```
///   A  posts its fetch; V[1] is read              B  commits in slot 1, publishes
///   C  begins, fetches f                          others move the head to f + 1
///   A  the head is read: f + 1                    A  CAS f + 1 to f + 2: without B!
///   C  CAS fails. Using f + 2 it would miss B
/// ```
/// So a thread that fetches a member that it does not have reads the slots again, and the member
/// with them: one round trip more. One that has it got it before it posted the fetch: if that is
/// still the head, the collection has begun after it became that.
///
/// **Why no thread raises its own slot on top**, to see a commit that a stale snapshot has not:
/// that is no member, and can't be compared with the others.
/// ```
///   A publishes, C publishes      A uses S_k with its own slot raised: A and not C
///                                 C uses S_k with its own slot raised: C and not A, a long fork
/// ```
///
/// **Why two buffers suffice.** The head is in one of this slot's buffers only if this slot's
/// thread put it there; so the head that it has fetched shows which of them, if any, must not be
/// written now, and only this thread changes that. Readers of older members see by the guard that a
/// buffer was reused (`ChainBuffer`).
public class SnapshotChain implements SnapshotOracle {
    /// In place of a head.
    private static final long NONE = -1;

    /// If so many more CAS failed than succeeded, the next one is awaited before anything is read.
    private static final int CROWD = 2;

    /// What the next await brings.
    private enum Step {
        /// Nothing: the snapshot is chosen.
        CHOSEN,
        /// Whether the CAS of the head succeeded.
        CAS,
        /// The member that another thread has appended.
        MEMBER
    }

    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;
    private final TimestampSlot slot;
    private final Announcement announcement;
    private final SlotReads slots;
    private final ChainMember member;
    private final long stalenessNanos;
    private final LongSupplier nanoTime;

    /// The newest member that this thread has used.
    private long sequence;

    /// When the collection of that member began, or earlier.
    private long collectedNanos;

    /// The words beside the head, as they were fetched last.
    private long schemaEpoch;

    private long recovery;

    /// Whether the snapshot must not be used again.
    private boolean isExpired;

    /// The buffer of this slot that was written last.
    private int buffer;

    /// The head's sequence number when it was first fetched for the snapshot that is being chosen.
    private long first;

    private Step step = Step.CHOSEN;

    /// The old value of the CAS that was posted last, its new value, and the view of its result.
    private long replaced;

    private long appended = NONE;
    private long casView;

    /// How many more CAS failed lately than succeeded, up to twice [#CROWD].
    private int failedCas;

    /// The member whose READ is posted after a failed CAS.
    private long found;

    /// The strong oracle: a transaction sees every commit that was published before it began.
    public SnapshotChain(TimestampSlot slot) {
        this(slot, 0, () -> 0);
    }

    /// The oracle that may use a snapshot again, without a round trip, as long as that sees the
    /// thread's own commits. A thread never goes back.
    ///
    /// @param stalenessNanos how old the collection of a snapshot may be when it is used again; 0
    ///     for never. Its announcement is older than the transaction by so much, so this is less
    ///     than half the maximum transaction time
    /// @param nanoTime the clock
    public SnapshotChain(TimestampSlot slot, long stalenessNanos, LongSupplier nanoTime) {
        this.layout = slot.layout();
        this.queuePair = slot.queuePair();
        this.slot = slot;
        this.announcement = slot.announcement();
        this.slots = new SlotReads(layout, queuePair);
        this.member = new ChainMember(layout, queuePair);
        this.stalenessNanos = stalenessNanos;
        this.nanoTime = nanoTime;
        this.sequence = ChainHead.sequence(fetchTogether());
    }

    @Override
    public void acquire(Snapshot into) {
        boolean isChosen = start(into);
        while (!isChosen) {
            queuePair.await();
            isChosen = settle(into);
        }
    }

    @Override
    public boolean start(Snapshot into) {
        long now = stalenessNanos == 0 ? 0 : nanoTime.getAsLong();
        boolean again = stalenessNanos > 0 && isFreshEnough(now);
        if (!PlantedFault.ANNOUNCED_LATE.isPlanted()) {
            announcement.announce(sequence);
        }
        if (!again) {
            advance();
            if (step == Step.CAS && failedCas >= CROWD) {
                queuePair.await();
                boolean _ = isSettled();
            }
            collectedNanos = now;
            isExpired = false;
        }
        return take(into);
    }

    @Override
    public boolean settle(Snapshot into) {
        boolean isGood = isSettled();
        if (!isGood && PlantedFault.READ_BEFORE_CHOSEN.isPlanted()) {
            awaitChosen();
            isGood = true;
        }
        return isGood && take(into);
    }

    /// Fills `into` with the snapshot if that is chosen.
    private boolean take(Snapshot into) {
        if (step != Step.CHOSEN) {
            return false;
        }
        if (PlantedFault.ANNOUNCED_LATE.isPlanted()) {
            announcement.announce(sequence);
        }
        member.copyTo(into);
        if (PlantedFault.OWN_SLOT_RAISED.isPlanted()) {
            into.raise(slot.number(), slot.published());
        }
        return true;
    }

    @Override
    public void announceChosen() {
        announcement.announce(sequence);
    }

    /// If the snapshot may be used again, its announcement stands: the low watermark waits for an
    /// idle thread, until the announcement is too old.
    @Override
    public void release() {
        if (stalenessNanos == 0) {
            announcement.withdraw();
        }
    }

    @Override
    public void expire() {
        isExpired = true;
    }

    @Override
    public long schemaEpoch() {
        return schemaEpoch;
    }

    @Override
    public long recovery() {
        return recovery;
    }

    @Override
    public void forecast(VerbForecast acquiring, VerbForecast releasing) {
        int server = RemoteAddress.server(layout.chain());
        acquiring.write(server, 1, Long.BYTES);
        if (stalenessNanos == 0) {
            releasing.write(server, 1, Long.BYTES);
        } else if (isFreshEnough(nanoTime.getAsLong())) {
            return;
        }
        acquiring.read(server, 1, TimestampVectorLayout.CHAIN_BYTES);
        slots.forecastPost(acquiring);
        acquiring.roundTrips(1);
        if (!member.sees(slot.number(), slot.published())) {
            ChainMember.forecastPost(server, slots.inUse(), acquiring);
            acquiring.cas(server, 1);
            acquiring.roundTrips(1);
        }
    }

    /// Fills `into` with a snapshot that is not announced: for a thread that reads no records, or
    /// announces on its own.
    public void refresh(Snapshot into) {
        advance();
        awaitChosen();
        member.copyTo(into);
    }

    /// Whether the last snapshot may be used again. Not once its announcement was withdrawn: the
    /// low watermark may pass it at any time then, whatever is announced later.
    private boolean isFreshEnough(long now) {
        return !isExpired
                && now - collectedNanos < stalenessNanos
                && announcement.covers(sequence)
                && member.sequence() == sequence
                && (member.sees(slot.number(), slot.published())
                        || PlantedFault.OWN_SLOT_RAISED.isPlanted());
    }

    /// Begins to make `member` one that holds all that was published before the call. There is more
    /// to await unless that is chosen.
    private void advance() {
        step = Step.CHOSEN;
        long head = fetch();
        first = ChainHead.sequence(head);
        choose(head);
    }

    private void awaitChosen() {
        while (step != Step.CHOSEN) {
            queuePair.await();
            boolean _ = isSettled();
        }
    }

    /// After an await: goes on.
    ///
    /// @return whether what was posted since the last call was read with the final snapshot: it is
    ///     chosen, and is a member
    private boolean isSettled() {
        switch (step) {
            case CAS -> {
                long head = LocalMemory.longAt(casView);
                if (head != replaced) {
                    failedCas = Math.min(failedCas + 1, 2 * CROWD);
                    chooseInstead(head);
                    return false;
                }
                failedCas = Math.max(failedCas - 1, 0);
                member.became(appended);
            }
            case MEMBER -> {
                if (!member.take(found)) {
                    choose(fetch());
                    return false;
                }
            }
            case CHOSEN -> {}
        }
        chosen();
        return true;
    }

    /// The slots were collected after the head was `head`. If they show more than a member that
    /// this thread has, they are to be appended.
    private void choose(long head) {
        boolean isMember = member.isMember() || isFirst() && member.read(head, slots.inUse());
        boolean isNew = member.raise(slots.timestamps(), slots.inUse());
        if (isMember && !isNew) {
            member.became(head);
            chosen();
        } else {
            postCas(head);
        }
    }

    /// Whether this thread has seen no member yet, so that even an empty vector looks new.
    private boolean isFirst() {
        return appended == NONE;
    }

    /// The CAS has failed, as the head was `head`.
    private void chooseInstead(long head) {
        if (isCollectedSince(first, ChainHead.sequence(head))) {
            found = head;
            member.post(head, slots.inUse());
            step = Step.MEMBER;
        } else {
            collectAfter(head);
            choose(head);
        }
    }

    private void chosen() {
        step = Step.CHOSEN;
        sequence = member.sequence();
    }

    /// Whether the collection of member `now` began after a time at which member `first` was the
    /// head.
    boolean isCollectedSince(long first, long now) {
        return now >= first + (PlantedFault.CHAIN_NOT_FRESH.isPlanted() ? 1 : 2);
    }

    /// Reads the head, and after it the slots: also those on servers that nothing orders.
    private long fetch() {
        long head = fetchTogether();
        if (head == appended) {
            member.became(head); // the CAS's result was not read before
        }
        if (!isOrdered(head)) {
            collectAfter(head);
        }
        return head;
    }

    /// Whether the collection together with a fetch of `head` has begun after that became the head.
    boolean isOrdered(long head) {
        return !layout.isPartitioned()
                || member.isCopyOf(head)
                || PlantedFault.PARTS_NOT_ORDERED.isPlanted();
    }

    /// Reads the head and the slots, on its own server in this order.
    private long fetchTogether() {
        long view = queuePair.read(layout.chain(), TimestampVectorLayout.CHAIN_BYTES);
        slots.post();
        queuePair.await();
        long head = LocalMemory.longAcquire(view);
        schemaEpoch = LocalMemory.longAcquire(view + TimestampVectorLayout.SCHEMA_EPOCH_OFFSET);
        recovery = LocalMemory.longAcquire(view + TimestampVectorLayout.RECOVERY_OFFSET);
        slots.settle();
        return head;
    }

    /// Reads the slots after the head was `head`, and that member with them.
    private void collectAfter(long head) {
        slots.post();
        member.post(head, slots.inUse());
        queuePair.await();
        slots.settle();
        boolean _ = member.take(head); // without it, what was collected is appended
    }

    /// Posts what appends the raised vector to `head`.
    private void postCas(long head) {
        boolean own = ChainHead.slot(head) == slot.number();
        buffer = 1 - (own ? ChainHead.buffer(head) : buffer);
        appended = ChainHead.of(ChainHead.sequence(head) + 1, slot.number(), buffer);
        replaced = head;
        member.postTo(layout.chainBuffer(slot.number(), buffer), ChainHead.sequence(appended));
        casView = queuePair.compareAndSwap(layout.chain(), head, appended);
        step = Step.CAS;
    }
}
