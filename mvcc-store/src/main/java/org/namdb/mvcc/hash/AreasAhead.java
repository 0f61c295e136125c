package org.namdb.mvcc.hash;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// The directories in overflow areas that are read along with their home buckets, as far as their
/// addresses are [cached][OverflowWords]. Belongs to one thread.
final class AreasAhead {
    private static final int MAX = 64;

    /// Of one chain.
    private static final int MAX_OF_CHAIN = 8;

    private final QueuePair queuePair;
    private final long[] homes = new long[MAX];
    private final long[] buckets = new long[MAX];
    private final long[] views = new long[MAX];
    private int count;
    private int at;

    AreasAhead(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    void clear() {
        count = 0;
        at = 0;
    }

    /// Posts the READs for the chain of one hash, behind the home bucket's latch, so that what they
    /// bring is as of a time when that was held, if it was won.
    ///
    /// @param capacity the number of bytes that they may land
    /// @return how many they land
    int post(HashTable table, long home, long hash, int capacity) {
        OverflowWords words = table.overflowWords();
        int bytes = 0;
        long word = words.after(home);
        for (int area = 0; area < MAX_OF_CHAIN && !RemoteAddress.isNull(word); area++) {
            if (count == MAX || bytes + table.directoryBytes > capacity) {
                break;
            }
            homes[count] = home;
            buckets[count] = table.overflowBucket(word, hash);
            views[count] = queuePair.read(buckets[count], table.directoryBytes);
            count++;
            bytes += table.directoryBytes;
            word = words.after(BucketLayout.overflowArea(word));
        }
        return bytes;
    }

    /// Takes the directory of a bucket that was read behind the latch of its home bucket.
    ///
    /// @return its view; 0 if it was not read
    long take(long home, long bucket) {
        for (int i = 0; i < count; i++) {
            int place = (at + i) % count;
            if (buckets[place] == bucket && homes[place] == home) {
                at = place + 1;
                return views[place];
            }
        }
        return 0;
    }

    /// Drops what was read behind the latch of a home bucket: it is being changed.
    void drop(long home) {
        for (int i = 0; i < count; i++) {
            if (homes[i] == home) {
                buckets[i] = RemoteAddress.NULL;
            }
        }
    }
}
