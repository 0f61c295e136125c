package org.namdb.mvcc.hash;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;

/// A bucket that [BucketSplit] is to split, and its progress. Reusable.
final class SplitBucket {
    /// Which of those that are split together it is.
    final int number;

    @Nullable HashTable table;
    boolean isOfIndex;
    boolean isAhead;
    long hash;
    long home;
    long growth;
    long child = RemoteAddress.NULL;

    /// Where the directory's word for the child is.
    long place;

    BucketSplit.Outcome outcome = BucketSplit.Outcome.IMPOSSIBLE;
    boolean isLatched;

    /// Whether the versions of all rows that move are published, as far as is known.
    boolean isPublished;

    long latchView;
    long view;
    int firstRow;
    int endRow;
    int firstWord;

    /// Where its new buckets' images are, the child's and then those of its areas, and the areas.
    long image;

    long[] areas = new long[0];

    private boolean hasHash;
    private long firstHash;
    private boolean hasSeveralHashes;

    SplitBucket(int number) {
        this.number = number;
    }

    HashTable table() {
        return Objects.requireNonNull(table);
    }

    int moved() {
        return endRow - firstRow;
    }

    int depth() {
        return BucketLayout.depth(growth);
    }

    long childNumber() {
        return BucketLayout.number(growth) | 1L << depth();
    }

    /// The growth word of the child.
    long childGrowth() {
        return BucketLayout.growth(depth() + 1, childNumber());
    }

    long address(int newBucket) {
        return newBucket == 0 ? child : areas[newBucket - 1];
    }

    /// How many rows a new bucket has.
    int rowsOf(int newBucket) {
        int records = table().records;
        return Math.min(records, moved() - newBucket * records);
    }

    /// A new bucket as it is written first.
    long image(int newBucket) {
        return image + 2L * newBucket * table().bucketBytes;
    }

    /// Its entries as they are written last.
    long lastImage(int newBucket) {
        return image(newBucket) + table().bucketBytes;
    }

    void clearHashes() {
        hasHash = false;
        hasSeveralHashes = false;
    }

    /// One of its rows has this hash.
    void noteHash(long rowHash) {
        hasSeveralHashes |= hasHash && rowHash != firstHash;
        firstHash = rowHash;
        hasHash = true;
    }

    /// Whether its rows have different hashes.
    boolean hasSeveralHashes() {
        return hasSeveralHashes;
    }
}
