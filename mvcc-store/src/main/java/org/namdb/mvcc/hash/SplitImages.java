package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.record.RecordHeader;

/// Local memory for the new buckets of a [BucketSplit]: each as it is written first, with its rows
/// locked, and behind it its entries as they are written last.
final class SplitImages {
    private final QueuePair queuePair;
    private final int slot;
    private long memory;
    private long bytes;

    /// @param slot whose latch the new buckets have
    SplitImages(QueuePair queuePair, int slot) {
        this.queuePair = queuePair;
        this.slot = slot;
    }

    /// Makes the images of all buckets that are latched, but for bodies and their addresses.
    void make(SplitBucket[] buckets, int count, MovedRows rows) {
        long needed = 0;
        for (int i = 0; i < count; i++) {
            needed += buckets[i].isLatched ? bytes(buckets[i]) : 0;
        }
        if (needed > bytes) {
            memory = queuePair.localMemory(2 * needed);
            bytes = 2 * needed;
        }
        long image = memory;
        for (int i = 0; i < count; i++) {
            if (buckets[i].isLatched) {
                buckets[i].image = image;
                make(buckets[i], rows);
                image += bytes(buckets[i]);
            }
        }
    }

    private static long bytes(SplitBucket bucket) {
        return 2L * bucket.table().bucketBytes * (1 + bucket.areas.length);
    }

    private void make(SplitBucket bucket, MovedRows rows) {
        HashTable table = bucket.table();
        int entryWords = table.entryBytes / Long.BYTES;
        int row = bucket.firstRow;
        int word = bucket.firstWord;
        for (int i = 0; i <= bucket.areas.length; i++) {
            long first = bucket.image(i);
            long last = bucket.lastImage(i);
            LocalMemory.zero(first, table.directoryBytes);
            if (i == 0) {
                LocalMemory.putLong(first + BucketLayout.LATCH_OFFSET, slot + 1L);
                LocalMemory.putLong(first + BucketLayout.GROWTH_OFFSET, bucket.childGrowth());
            }
            if (i < bucket.areas.length) {
                LocalMemory.putLong(first + BucketLayout.OVERFLOW_OFFSET, bucket.areas[i]);
            }
            for (int entry = 0; entry < bucket.rowsOf(i); entry++, row++) {
                int offset = table.layout().entryOffset(entry);
                for (int at = 0; at < entryWords; at++, word++) {
                    LocalMemory.putLong(first + offset + 8L * at, rows.word(word));
                    LocalMemory.putLong(last + offset + 8L * at, rows.word(word));
                }
                if (!bucket.isOfIndex && !PlantedFault.SPLIT_UNLOCKED.isPlanted()) {
                    LocalMemory.putLong(first + offset, RecordHeader.lock(rows.headers[row]));
                }
            }
        }
    }

    /// Puts the body of one of a bucket's rows, or its address, into the images.
    void setBody(SplitBucket bucket, int row, long body) {
        HashTable table = bucket.table();
        int entry = row % table.records;
        int newBucket = row / table.records;
        long image = bucket.image(newBucket);
        if (table.inlined) {
            int offset = table.layout().bodyOffset(entry);
            LocalMemory.copy(body, image + offset, table.layout().bodyBytes());
        } else {
            int offset = table.layout().entryOffset(entry) + table.layout().bodyPointerOffset();
            LocalMemory.putLong(image + offset, LocalMemory.longAt(body));
            LocalMemory.putLong(bucket.lastImage(newBucket) + offset, LocalMemory.longAt(body));
        }
    }
}
