package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Pieces of a table's hash space for a [BucketRead]: those of a first bucket's hashes with
/// `hash mod 2^depth = number`. Belongs to one thread.
final class ScanPieces {
    private long[] roots = new long[64];
    private long[] numbers = new long[64];
    private int[] depths = new int[64];

    /// Where each bucket is; or may be, if its directory has no word of it; or null.
    private long[] addresses = new long[64];

    private int count;

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    boolean isRoot(int piece) {
        return numbers[piece] == 0 && depths[piece] == 0;
    }

    /// @param root the number of a first bucket
    void add(long root, long number, int depth, long address) {
        if (count == roots.length) {
            roots = Arrays.copyOf(roots, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
            depths = Arrays.copyOf(depths, 2 * count);
            addresses = Arrays.copyOf(addresses, 2 * count);
        }
        roots[count] = root;
        numbers[count] = number;
        depths[count] = depth;
        addresses[count++] = address;
    }

    /// Moves the newest ones, which keeps the number of those that are left small.
    void moveTo(ScanPieces other, int most) {
        for (int moved = 0; moved < most && count > 0; moved++) {
            count--;
            other.add(roots[count], numbers[count], depths[count], addresses[count]);
        }
    }

    /// Adds what is left of a piece when its bucket was read.
    ///
    /// @param child what the bucket's last split has made
    /// @param wanted other parts are left out
    void addParts(ScanPieces of, int piece, long growth, long child, TablePart wanted) {
        int depth = BucketLayout.depth(growth);
        for (int bit = of.depths[piece]; bit < depth; bit++) {
            long number = of.numbers[piece] | 1L << bit;
            if (wanted.meets(number, bit + 1)) {
                add(
                        of.roots[piece],
                        number,
                        bit + 1,
                        bit == depth - 1 ? child : RemoteAddress.NULL);
            }
        }
    }

    /// Whether a bucket with this growth word is the piece's.
    boolean isAt(int piece, long growth) {
        return BucketLayout.number(growth) == numbers[piece]
                && BucketLayout.depth(growth) >= depths[piece];
    }

    long address(int piece) {
        return addresses[piece];
    }

    /// The child was another piece's: the directory will have the word.
    void forgetChild(int piece) {
        addresses[piece] = RemoteAddress.NULL;
    }

    /// All are first buckets.
    void setAddresses(HashTable table) {
        for (int piece = 0; piece < count; piece++) {
            addresses[piece] = table.bucketAddress(roots[piece]);
        }
    }

    /// None is a first bucket.
    void findAddresses(HashTable table, QueuePair queuePair) {
        for (int piece = 0; piece < count; piece++) {
            long address = RemoteAddress.NULL;
            while (RemoteAddress.isNull(address)) {
                address = table.part(queuePair, roots[piece], numbers[piece]);
                if (RemoteAddress.isNull(address)) {
                    address = addresses[piece];
                }
            }
            addresses[piece] = address;
        }
    }
}
