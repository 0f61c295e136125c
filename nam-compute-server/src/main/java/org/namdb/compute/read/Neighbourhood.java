package org.namdb.compute.read;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.BucketRead;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordSink;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Projection;

/// Takes the records of a neighbourhood into a transaction's rows.
final class Neighbourhood implements RecordSink {
    private final ReadSet readSet;
    private final Table table;
    private Projection projection;
    private Rows found;
    private final BucketRead buckets;
    private final RecordRead unused;

    Neighbourhood(ReadSet readSet, Table table) {
        this.readSet = readSet;
        this.table = table;
        this.projection = table.schema().nothing();
        this.found = new Rows();
        this.buckets = new BucketRead(table.records());
        this.unused = new RecordRead(table.records(), projection);
    }

    Table table() {
        return table;
    }

    /// Reads all that agree with `key`; they can be used after the transaction's next await.
    void read(QueuePair queuePair, long[] key, Projection newProjection, Rows newFound) {
        projection = newProjection;
        found = newFound;
        newFound.clear();
        buckets.readNeighbours(queuePair, readSet.snapshot, key, this);
    }

    @Override
    public RecordRead next(HashTable records, long[] key) {
        @Nullable Row row = readSet.known(table, key);
        if (row == null) {
            row = readSet.newKnownRow(table, key, projection);
        } else if (row.isUndone()) {
            row.startRead(projection);
        } else {
            readSet.require(row, projection);
            found.addOnce(row);
            return ignored(records, key);
        }
        found.add(row);
        readSet.pend(row);
        return row.read;
    }

    @Override
    public int provided() {
        return found.size();
    }

    @Override
    public void takeBack(int count) {
        // The rows stay known by their keys, and are found again when the bucket is.
    }

    private RecordRead ignored(HashTable records, long[] key) {
        long image = readSet.memory.allocate(records.layout().bodyBytes());
        unused.prepare(records, key, table.schema().nothing(), image + RecordBody.PAYLOAD_OFFSET);
        return unused;
    }
}
