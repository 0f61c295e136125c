package org.namdb.mvcc.hash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.namdb.fabric.QueuePair;

/// A part of a table: the rows of some first buckets, and of what splits have made of these; or of
/// one first bucket, those with some lowest bits of their hashes. It depends on the hashes alone,
/// not on splits, so that a row is in the same part forever.
///
/// @param buckets how many first buckets the table has
/// @param from the number of the first one
/// @param to the number behind the last one
/// @param number the lowest bits of the hashes
/// @param depth how many bits these are
public record TablePart(long buckets, long from, long to, long number, int depth) {
    /// All rows of any table.
    public static final TablePart ALL = new TablePart(1, 0, 1, 0, 0);

    /// Disjoint parts of a table in the order of their rows, which [#smallest] finds.
    public static final Comparator<TablePart> ORDER =
            Comparator.comparingLong(TablePart::from)
                    .thenComparing(part -> Long.reverse(part.number), Long::compareUnsigned);

    /// All rows of a table, to be divided.
    public static TablePart of(HashTable table) {
        return new TablePart(table.buckets(), 0, table.buckets(), 0, 0);
    }

    /// Parts of a table of about so many bytes each, which are all of it. A round trip for each
    /// memory server.
    public static List<TablePart> divide(HashTable table, QueuePair queuePair, long bytes) {
        table.countParts(queuePair);
        BucketLayout layout = table.layout();
        long bodies = layout.inlined() ? 0 : (long) layout.records() * layout.bodyBytes();
        long all = (table.buckets() + table.parts()) * (layout.bucketBytes() + bodies);
        return of(table).divide(all / bytes);
    }

    /// Whether it is the whole table.
    public boolean isAll() {
        return from == 0 && to == buckets && depth == 0;
    }

    /// Whether a row is in it.
    ///
    /// @param hash of its key, by [HashTable#hash]
    public boolean has(long hash) {
        if (isAll()) {
            return true;
        }
        long bucket = bucket(hash);
        return bucket >= from && bucket < to && ((hash ^ number) & mask(depth)) == 0;
    }

    /// The smallest part that a row may be in: of disjoint parts, the row is in the last one that
    /// is not behind this one by [#ORDER], or in none.
    ///
    /// @param hash of the row's key
    public TablePart smallest(long hash) {
        long bucket = bucket(hash);
        return new TablePart(buckets, bucket, bucket + 1, hash, Long.SIZE);
    }

    /// As [HashTable] finds the root.
    private long bucket(long hash) {
        return Math.unsignedMultiplyHigh(hash, buckets);
    }

    /// Whether there may be rows in both of two parts of a table.
    public boolean overlaps(TablePart other) {
        return isAll()
                || other.isAll()
                || from < other.to && other.from < to && meets(other.number, other.depth);
    }

    /// Whether hashes may have both numbers for their lowest bits.
    boolean meets(long otherNumber, int otherDepth) {
        return ((number ^ otherNumber) & mask(Math.min(depth, otherDepth))) == 0;
    }

    private static long mask(int bits) {
        return (1L << bits) - 1;
    }

    /// Divides it.
    ///
    /// @param most how many parts at least, if there are so many: a power of two is reached
    /// @return disjoint parts that are all of it
    public List<TablePart> divide(long most) {
        List<TablePart> parts = List.of(this);
        while (parts.size() < most && parts.getFirst().depth < TableHead.MAX_DEPTH) {
            List<TablePart> halves = new ArrayList<>(2 * parts.size());
            parts.forEach(part -> part.halve(halves));
            parts = halves;
        }
        return parts;
    }

    private void halve(List<TablePart> into) {
        if (to - from > 1) {
            long middle = from + to >>> 1;
            into.add(new TablePart(buckets, from, middle, number, depth));
            into.add(new TablePart(buckets, middle, to, number, depth));
        } else {
            into.add(new TablePart(buckets, from, to, number, depth + 1));
            into.add(new TablePart(buckets, from, to, number | 1L << depth, depth + 1));
        }
    }
}
