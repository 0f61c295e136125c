package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;

/// Takes the latches of any number of home buckets, in rounds, and runs an action under each:
/// ```
/// CAS latch, READ bucket      of all buckets at once; one round trip
/// those that are taken:       the action; WRITE latch = 0
/// the others:                 again in the next round
/// ```
/// All latches of a round are released before a wait for another: no session waits while holding
/// one. Views are released round by round, so a run costs its caller's none.
///
/// Belongs to one thread.
public final class LatchRounds {
    /// What is done while a bucket's latch is held.
    @FunctionalInterface
    public interface Work {
        /// Does what is to be done with one bucket.
        ///
        /// @param first what the bucket was [added][#add] for
        /// @param view the bucket's directory; valid during the call
        /// @return whether to go on with other buckets
        boolean run(int first, long view);

        /// Before any of it is done: reads what is needed of all buckets whose latches are held in
        /// this round, concurrently.
        ///
        /// @param round has them
        default void readAhead(LatchRounds round) {}
    }

    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final int maxLanded;
    private final ViewScope round;
    private final FirstFailure failure = new FirstFailure();

    /// Of the buckets whose turn is still to come, in the order in which they were added.
    private int[] firsts = new int[32];

    private long[] homes = new long[32];
    private int[] directoryBytes = new int[32];
    private int count;

    /// Of those whose latches were tried in a round: the view of the CAS's result, and then that
    /// result.
    private long[] latches = new long[32];

    private long[] views = new long[32];

    /// How many were tried in the round, and whether the results of their CAS were read.
    private int tried;

    private boolean settled;

    /// The home bucket whose latch is waited for.
    private long waitsFor;

    /// @param owner whose latches they are
    public LatchRounds(QueuePair queuePair, LatchOwner owner) {
        this(queuePair, owner, queuePair.batchBytes());
    }

    /// @param maxLanded about how many bytes of directories a round lands at the most
    LatchRounds(QueuePair queuePair, LatchOwner owner, int maxLanded) {
        this.queuePair = queuePair;
        this.maxLanded = maxLanded;
        this.owner = owner;
        this.round = new ViewScope(queuePair);
    }

    /// Removes all buckets.
    public void clear() {
        count = 0;
    }

    /// Drops all buckets, and the memory for many.
    void shrink() {
        clear();
        firsts = new int[32];
        homes = new long[32];
        directoryBytes = new int[32];
        latches = new long[32];
        views = new long[32];
    }

    /// Adds a bucket.
    ///
    /// @param first a number for it
    /// @param bytes of its directory
    public void add(int first, long home, int bytes) {
        if (count == firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * count);
            homes = Arrays.copyOf(homes, 2 * count);
            directoryBytes = Arrays.copyOf(directoryBytes, 2 * count);
            latches = Arrays.copyOf(latches, 2 * count);
            views = Arrays.copyOf(views, 2 * count);
        }
        firsts[count] = first;
        homes[count] = home;
        directoryBytes[count] = bytes;
        count++;
    }

    /// How many buckets there are.
    int count() {
        return count;
    }

    /// What bucket `index` was added for.
    int first(int index) {
        return firsts[index];
    }

    /// Runs the action under the latches of all buckets, and removes them. Whatever it throws, no
    /// latch is held.
    ///
    /// @return whether the work has gone on to the end
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a latch does not get free
    /// @throws RuntimeException between two rounds, if the statement is cancelled
    public boolean run(Work work) {
        waitsFor = RemoteAddress.NULL;
        for (boolean isFirst = true; count > 0; isFirst = false) {
            if (!isFirst) {
                owner.checkCancelled();
            }
            round.open();
            try {
                take();
                work.readAhead(this);
            } catch (Throwable e) {
                failure.clear();
                failure.add(e);
                releaseAll();
                throw e;
            }
            if (!runLatched(work)) {
                return false;
            }
        }
        return true;
    }

    /// How many buckets were tried in this round: those of the lowest indexes.
    int tried() {
        return tried;
    }

    /// Whether the latch of bucket `index`, which was tried in this round, is held.
    boolean isHeld(int index) {
        return Latch.isWon(latches[index]);
    }

    /// The directory of bucket `index`, whose latch is held.
    long view(int index) {
        return views[index];
    }

    private void take() {
        tried = 0;
        settled = false;
        int landing = 0;
        while (tried < count && landing < maxLanded) {
            int at = tried;
            landing += directoryBytes[at];
            latches[at] = Latch.postTry(queuePair, homes[at], owner);
            tried++;
            views[at] = queuePair.read(homes[at], directoryBytes[at]);
        }
        queuePair.await();
        settle();
    }

    private void settle() {
        settled = true;
        for (int at = 0; at < tried; at++) {
            latches[at] = LocalMemory.longAt(latches[at]);
            if (PlantedFault.DUPLICATE_INSERT.isPlanted() && !Latch.isWon(latches[at])) {
                latches[at] = 0;
            }
        }
    }

    /// Releases the latches of the round, after a failure.
    private void releaseAll() {
        boolean _ = awaitPosted();
        for (int at = 0; at < tried; at++) {
            if (!settled) {
                releaseIfHeld(homes[at]);
            } else if (Latch.isWon(latches[at])) {
                release(homes[at]);
            }
        }
        boolean _ = awaitPosted();
    }

    private boolean awaitPosted() {
        try {
            queuePair.await();
            return true;
        } catch (Throwable e) {
            failure.add(e);
            return false;
        }
    }

    /// The CAS's result is unknown, since an await has failed; the latch itself shows it, on a
    /// server that answers.
    private void releaseIfHeld(long home) {
        failure.attempt(() -> {
            long word = queuePair.readWord(home + BucketLayout.LATCH_OFFSET);
            if (!Latch.isWon(word) && Latch.holder(word) == owner.slot()) {
                release(home);
            }
        });
    }

    /// Posts the release of a latch; a second time if it could not be posted, since a verb that
    /// throws has done nothing.
    private void release(long home) {
        try {
            Latch.postRelease(queuePair, home);
        } catch (Throwable e) {
            failure.add(e);
            failure.attempt(() -> Latch.postRelease(queuePair, home));
        }
    }

    private boolean runLatched(Work work) {
        failure.clear();
        boolean all = true;
        int lost = 0;
        for (int at = 0; at < tried; at++) {
            if (!Latch.isWon(latches[at])) {
                move(at, lost++);
            } else {
                try {
                    all = all && work.run(firsts[at], views[at]);
                } catch (Throwable e) {
                    failure.add(e);
                    all = false;
                }
                release(homes[at]);
            }
        }
        if (failure.first() != null) {
            failure.attempt(queuePair::await);
            failure.rethrow();
        }
        keepUntried(lost);
        round.close();
        if (lost > 0 && all) {
            queuePair.await();
            waitForFirst();
        }
        return all;
    }

    /// One whose CAS failed stays for the next round.
    private void move(int from, int to) {
        firsts[to] = firsts[from];
        homes[to] = homes[from];
        directoryBytes[to] = directoryBytes[from];
        latches[to] = latches[from];
    }

    private void keepUntried(int lost) {
        System.arraycopy(firsts, tried, firsts, lost, count - tried);
        System.arraycopy(homes, tried, homes, lost, count - tried);
        System.arraycopy(directoryBytes, tried, directoryBytes, lost, count - tried);
        count -= tried - lost;
    }

    /// Waits for a latch that another session holds. No wait lasts forever: when the one for this
    /// latch is over, that for another one begins.
    private void waitForFirst() {
        if (homes[0] != waitsFor) {
            waitsFor = homes[0];
            owner.startWait();
        }
        owner.pause(LatchKind.BUCKET, homes[0], Latch.holder(latches[0]));
    }
}
