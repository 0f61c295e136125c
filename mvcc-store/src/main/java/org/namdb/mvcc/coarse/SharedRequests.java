package org.namdb.mvcc.coarse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.owner.LatchOwner;

/// The operations that a thread requests of memory servers until its next await, whatever trees
/// they are on: all of them go by one request to each server. Their results are handed over in the
/// await, while their views are there.
final class SharedRequests implements QueuePair.Collected {
    /// Gets the result of an operation.
    interface Requester {
        /// It is done.
        ///
        /// @param entries how many entries of a range there are
        /// @param first the native address of the first one; they follow each other
        void landed(Outcome outcome, int entries, long first);
    }

    private final RequestBatch batch;
    private final int slot;

    /// By operation; null for one whose result is not wanted any more.
    private @Nullable Requester[] requesters = new @Nullable Requester[16];

    /// Whether the operations are posted. If they still are when more come, their await has failed.
    private boolean isPosted;

    private SharedRequests(QueuePair queuePair, LatchOwner owner) {
        this.batch = new RequestBatch(queuePair, owner);
        this.slot = owner.slot();
    }

    /// Those of a queue pair.
    ///
    /// @param owner as whose slot nodes are latched: the same for all who use the queue pair
    static SharedRequests of(QueuePair queuePair, LatchOwner owner) {
        if (queuePair.collected() instanceof SharedRequests known) {
            if (known.slot != owner.slot()) {
                throw new IllegalStateException(
                        "a queue pair whose requests are those of slot %d, and not of %d"
                                .formatted(known.slot, owner.slot()));
            }
            return known;
        }
        SharedRequests made = new SharedRequests(queuePair, owner);
        queuePair.collect(made);
        return made;
    }

    /// Adds an operation; parameters as [RequestBatch#add].
    ///
    /// @param server where the tree is
    /// @return false if there is no space for it before the next await
    boolean add(
            Requester requester,
            int server,
            Operation what,
            long anchor,
            long[] key,
            int most,
            long[] last) {
        if (isPosted) {
            clear();
        }
        if (!hasSpaceFor(server, what, key.length, most)) {
            return false;
        }
        int index = batch.add(what, anchor, key, most, last);
        if (index == requesters.length) {
            requesters = Arrays.copyOf(requesters, 2 * index);
        }
        requesters[index] = requester;
        return true;
    }

    /// As [RequestBatch#hasSpaceFor].
    boolean hasSpaceFor(int server, Operation what, int words, int most) {
        return batch.hasSpaceFor(server, what, words, most);
    }

    /// Operations of this requester that are not done yet have no results for it any more.
    void forget(Requester requester) {
        for (int i = 0; i < batch.size(); i++) {
            if (requester.equals(requesters[i])) {
                requesters[i] = null;
            }
        }
    }

    private void clear() {
        Arrays.fill(requesters, 0, batch.size(), null);
        batch.clear();
        isPosted = false;
    }

    @Override
    public void post() {
        if (isPosted) {
            clear();
        }
        if (batch.size() > 0) {
            isPosted = true; // if only some can be posted, no operation gets a result
            batch.post();
        }
    }

    @Override
    public void land() {
        if (isPosted) {
            try {
                batch.land();
                for (int i = 0; i < batch.size(); i++) {
                    Requester requester = requesters[i];
                    if (requester != null) {
                        int entries = batch.entries(i);
                        requester.landed(batch.outcome(i), entries, batch.firstEntry(i));
                    }
                }
            } finally {
                clear();
            }
        }
    }
}
