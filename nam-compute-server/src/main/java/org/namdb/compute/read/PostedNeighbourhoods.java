package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.schema.Projection;

/// The neighbourhoods that a transaction reads at a time. The same objects for all transactions of
/// a session.
final class PostedNeighbourhoods implements PostedReads {
    private final ReadSet readSet;
    private final QueuePair queuePair;
    private Neighbourhood[] posted = new Neighbourhood[32];
    private int count;

    PostedNeighbourhoods(ReadSet readSet, QueuePair queuePair) {
        this.readSet = readSet;
        this.queuePair = queuePair;
    }

    @Override
    public void clear() {
        count = 0;
    }

    /// Posts the READs of a neighbourhood.
    ///
    /// @return how many bytes they land
    int post(Table table, long[] key, Projection projection, Rows found) {
        if (count == posted.length) {
            posted = Arrays.copyOf(posted, 2 * count);
        }
        Neighbourhood next = posted[count];
        if (next == null) {
            next = new Neighbourhood(readSet, table);
            posted[count] = next;
        }
        next.prepare(table, key, projection, found);
        next.post(queuePair);
        count++;
        return next.landedBytes();
    }

    /// Whether buckets are still to be taken.
    @Override
    public boolean areInFlight() {
        for (int i = 0; i < count; i++) {
            if (!posted[i].isTaken()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void postAgain() {
        for (int i = 0; i < count; i++) {
            posted[i].postAgain(queuePair);
        }
    }

    /// Before [#advance].
    void prefetch() {
        for (int i = 0; i < count; i++) {
            posted[i].prefetch();
        }
    }

    /// What is posted meanwhile, and was posted of others, overwrites no view that is still to be
    /// taken: those that don't fit are read again.
    @Override
    public long advance(long bytes) {
        long most = 2L * queuePair.batchBytes();
        long sum = bytes;
        for (int i = 0; i < count; i++) {
            Neighbourhood next = posted[i];
            if (next.isTaken()) {
                continue;
            }
            if (sum > 0 && sum + next.maxBytes() > most) {
                next.holdBack();
                continue;
            }
            next.advance(queuePair);
            sum += next.leftBytes();
        }
        return sum;
    }

    /// All rows have been read: the transaction's own changes join them.
    void complete() {
        int done = count;
        count = 0;
        if (done == 0) {
            return;
        }
        // Of a record that was deleted and collected, no row is left that would check.
        readSet.checkAge();
        for (int i = 0; i < done; i++) {
            posted[i].complete();
        }
        for (int i = 0; i < done; i++) {
            posted[i].requireColumns();
        }
    }
}
