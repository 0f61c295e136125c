package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.snapshot.Snapshot;

/// The rows whose records are looked up.
final class PostedRows implements PostedReads {
    private final ReadSet readSet;
    private final QueuePair queuePair;
    private final CopiedReads copies;
    private Row[] posted = new Row[64];
    private int count;

    PostedRows(ReadSet readSet, QueuePair queuePair, CopiedReads copies) {
        this.readSet = readSet;
        this.queuePair = queuePair;
        this.copies = copies;
    }

    @Override
    public void clear() {
        count = 0;
    }

    /// Starts over in a small table.
    void shrink() {
        posted = new Row[64];
        count = 0;
    }

    /// How many bytes a row's lookup may land with an await.
    static int bytes(Row row) {
        return row.table().records().layout().lookupBytes();
    }

    /// Adds a row whose lookup is [wanted][org.namdb.mvcc.hash.RecordRead#want] or in flight.
    void add(Row row) {
        if (count == posted.length) {
            posted = Arrays.copyOf(posted, 2 * count);
        }
        posted[count++] = row;
    }

    @Override
    public boolean areInFlight() {
        return count > 0;
    }

    /// Posts the lookups that are wanted, all together: so the processor waits for what says where
    /// their buckets are once, and not for one after the other.
    void postWanted() {
        for (int i = 0; i < count; i++) {
            if (posted[i].read.isWanted()) {
                posted[i].read.prefetchHome();
            }
        }
        for (int i = 0; i < count; i++) {
            if (posted[i].read.isWanted()) {
                post(posted[i]);
            }
        }
    }

    /// A row that is changed or relied on is read where it is: a copy does not say that.
    private void post(Row row) {
        if (row.role == Row.Role.READ && row.required == Requirements.Of.NOTHING) {
            copies.post(row.read, row.table());
        } else {
            row.read.post(queuePair);
        }
    }

    @Override
    public void postAgain() {
        for (int i = 0; i < count; i++) {
            post(posted[i]);
        }
    }

    /// Before [#advance].
    void prefetch() {
        for (int i = 0; i < count; i++) {
            posted[i].read.prefetch();
        }
    }

    @Override
    public long advance(long bytes) {
        Snapshot snapshot = readSet.snapshot;
        int left = 0;
        long sum = bytes;
        boolean isAnyOld = false;
        for (int i = 0; i < count; i++) {
            Row row = posted[i];
            if (!copies.advance(row.read, row.table(), snapshot)) {
                posted[left++] = row;
                sum += bytes(row);
            } else {
                isAnyOld |= !row.read.isCurrent();
            }
        }
        count = left;
        if (isAnyOld) {
            readSet.checkAge();
        }
        return sum;
    }
}
