package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.BucketRead;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordSink;
import org.namdb.mvcc.schema.Projection;

/// A scan over all records of a table, as the transaction's snapshot sees it. It reads many buckets by one READ, and reuses its rows: a row is
/// valid until the next [#next], and read-only. What the transaction itself has changed is not in it.
public final class TableScan implements RecordSink {
    private static final int READ_BYTES = 64 << 10;
    private static final int LANDING_SHARE = 16;

    private final Transaction transaction;
    private final Session session;
    private final Table table;
    private final Projection projection;
    private final BucketRead buckets;
    private final int bucketsPerRead;
    private long bucket;
    private Row[] rows = new Row[64];
    private int allocated;
    private int count;
    private int at;

    TableScan(Transaction transaction, Session session, Table table, Projection projection) {
        this.transaction = transaction;
        this.session = session;
        this.table = table;
        this.projection = projection;
        this.buckets = new BucketRead(table.records());
        int most = Math.min(READ_BYTES, session.queuePair().landingBytes() / LANDING_SHARE);
        this.bucketsPerRead = Math.max(1, most / bytesPerBucket(table.records().layout()));
    }

    /// What a bucket brings with it, bodies that are not inlined included.
    private static int bytesPerBucket(BucketLayout layout) {
        return layout.bucketBytes()
                + (layout.inlined() ? 0 : layout.records() * layout.bodyBytes());
    }

    /// Moves to the next record.
    ///
    /// @return its row, or null if there is no more
    public @Nullable Row next() {
        while (true) {
            while (at < count) {
                Row row = rows[at++];
                if (row.read.isPresent()) {
                    return row;
                }
            }
            if (bucket >= table.records().buckets()) {
                transaction.checkAge();
                return null;
            }
            readMore();
        }
    }

    /// How much of the table was scanned, from 0 to 1.
    public double progress() {
        return (double) bucket / table.records().buckets();
    }

    private void readMore() {
        count = 0;
        at = 0;
        int wanted = (int) Math.min(bucketsPerRead, table.records().bucketsInRange(bucket));
        buckets.readAll(session.queuePair(), transaction.snapshot, bucket, wanted, this);
        bucket += wanted;
        boolean waiting = true;
        while (waiting) {
            session.queuePair().await();
            waiting = false;
            for (int i = 0; i < count; i++) {
                RecordRead read = rows[i].read;
                waiting |=
                        !read.isDone() && !read.advance(session.queuePair(), transaction.snapshot);
            }
        }
    }

    @Override
    public RecordRead next(HashTable records, long[] key) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        if (count == allocated) {
            rows[count] = new Row(transaction, table);
            rows[count].data = transaction.memory.allocate(records.layout().bodyBytes());
            allocated++;
        }
        Row row = rows[count++];
        row.restart(key, projection);
        return row.read;
    }

    @Override
    public int provided() {
        return count;
    }

    @Override
    public void takeBack(int provided) {
        count = provided;
    }
}
