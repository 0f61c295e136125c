package org.namdb.mvcc.index;

import java.util.Arrays;
import java.util.function.IntConsumer;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;

/// Inserts and removals of one thread, in any indexes, that run together: as many round trips as
/// the longest descent takes.
///
/// **No thread waits while holding a latch.** Two threads that each hold one leaf and wait for the
/// other's would deadlock. So a change that meets a latch in [EntryChange#advance] gives up, and is
/// finished alone when all others are done and hold nothing.
///
/// Reusable.
public final class ChangeBatch {
    /// How many changes a batch has at the most that run concurrently.
    public static final int MAX_CHANGES = 16;

    /// How many it has of those that are [finished][EntryChange#finish] together.
    public static final int MAX_GROUPED = 256;

    private final QueuePair queuePair;
    private final int maxChanges;
    private EntryChange[] changes = new EntryChange[8];
    private int[] underWay = new int[8];
    private boolean[] isPostedAhead = new boolean[8];
    private int count;
    private int landedBytes;
    private final ViewScope views;

    /// How many were posted ahead, how many of those are in progress, and what was landed before.
    private int ahead;

    private int aheadUnderWay;
    private long landedBefore;

    /// A batch of [#MAX_CHANGES].
    public ChangeBatch(QueuePair queuePair) {
        this(queuePair, MAX_CHANGES);
    }

    /// @param maxChanges how many it has at the most
    public ChangeBatch(QueuePair queuePair, int maxChanges) {
        this.queuePair = queuePair;
        this.maxChanges = maxChanges;
        this.views = new ViewScope(queuePair);
    }

    /// Whether one more fits: all together land no more than one batch may, so that views which the
    /// caller still needs are not overwritten; one always fits into an empty batch.
    public boolean hasCapacityFor(EntryChange change) {
        return count == 0
                || count < maxChanges
                        && landedBytes + change.landedBytes() <= queuePair.batchBytes();
    }

    /// Adds a change that is prepared.
    public void add(EntryChange change) {
        if (count == changes.length) {
            changes = Arrays.copyOf(changes, 2 * count);
            underWay = Arrays.copyOf(underWay, 2 * count);
            isPostedAhead = Arrays.copyOf(isPostedAhead, 2 * count);
        }
        changes[count++] = change;
        landedBytes += change.landedBytes();
    }

    /// How many there are.
    public int size() {
        return count;
    }

    /// Removes all: the batch is over.
    public void clear() {
        for (int i = 0; i < count; i++) {
            changes[i].forget();
        }
        Arrays.fill(changes, 0, count, null);
        count = 0;
        landedBytes = 0;
        ahead = 0;
        aheadUnderWay = 0;
    }

    /// About how many bytes their READs bring, all together.
    public int landedBytes() {
        return landedBytes;
    }

    /// Posts the first READs of all, to go with an await of the caller's. Then [#run], in which
    /// they need none of their own if no more than two batches were landed since.
    public void postAhead() {
        landedBefore = queuePair.landed();
        for (int i = 0; i < count; i++) {
            isPostedAhead[i] = changes[i].postAhead();
            if (isPostedAhead[i]) {
                underWay[aheadUnderWay++] = i;
            }
        }
        ahead = count;
    }

    /// Brings all as far as they come concurrently; [#finish] follows for each of them. Their last
    /// WRITEs are posted. If this fails, none holds a latch on a server that answers.
    public void run() {
        views.open();
        try {
            advanceAll();
        } catch (Throwable e) {
            abandon(queuePair, e, count, i -> changes[i].abandon());
            throw e;
        }
        views.close(); // only WRITEs are in flight
    }

    private void advanceAll() {
        int left = advanceAhead();
        for (int i = 0; i < count; i++) {
            boolean isBegun = i < ahead && isPostedAhead[i];
            if (!isBegun && changes[i].post()) {
                underWay[left++] = i;
            }
        }
        while (left > 0) {
            queuePair.await();
            int still = 0;
            for (int i = 0; i < left; i++) {
                if (!changes[underWay[i]].advance()) {
                    underWay[still++] = underWay[i];
                }
            }
            left = still;
        }
    }

    /// Goes on with those that were posted ahead.
    ///
    /// @return how many are in progress
    private int advanceAhead() {
        if (queuePair.landed() - landedBefore + landedBytes > queuePair.landingBytes()) {
            ahead = 0; // their views may be overwritten: from the beginning
        }
        int left = 0;
        for (int i = 0; i < aheadUnderWay && ahead > 0; i++) {
            if (!changes[underWay[i]].advance()) {
                underWay[left++] = underWay[i];
            }
        }
        return left;
    }

    /// After a failure of several changes that are in flight together: has each release its latch,
    /// when what was posted was awaited. What fails on the way is suppressed.
    ///
    /// @param release releases the latch of the change with an index, if it has changed nothing
    public static void abandon(
            QueuePair queuePair, Throwable failure, int count, IntConsumer release) {
        FirstFailure failures = new FirstFailure();
        failures.add(failure);
        failures.attempt(queuePair::await);
        if (queuePair.isInDoubt()) {
            return; // unknown which CAS have views, and nothing can be posted any more
        }
        for (int i = 0; i < count; i++) {
            int index = i;
            failures.attempt(() -> release.accept(index));
        }
        failures.attempt(queuePair::await);
    }

    /// Of an insert: whether change `index` has added its entry already, without [#finish].
    public boolean isAdded(int index) {
        return changes[index].isAdded();
    }

    /// Finishes change `index`, after [#run].
    ///
    /// @return of an insert, whether its entry was added; else it was there
    public boolean finish(int index) {
        return changes[index].finish();
    }
}
