package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;

/// The rows that a [BucketSplit] moves, bucket by bucket. Reusable.
final class MovedRows {
    /// Where their headers are.
    long[] addresses = new long[64];

    long[] headers = new long[64];

    /// Where their bodies are, or the addresses of these if they are outside of the bucket.
    long[] bodies = new long[64];

    /// The view of what the CAS has found, and then that.
    long[] views = new long[64];

    long[] bodyViews = new long[64];

    /// The view of the last timestamp that the version's slot has published; 0 where that is not
    /// needed.
    long[] publishedViews = new long[64];

    /// Which bucket each row is of.
    int[] owners = new int[64];

    private int count;

    /// The words of their entries, as many for each as its table's entries have.
    private long[] words = new long[256];

    private int wordCount;

    void clear() {
        count = 0;
        wordCount = 0;
    }

    int count() {
        return count;
    }

    int wordCount() {
        return wordCount;
    }

    long word(int index) {
        return words[index];
    }

    /// Adds a row.
    ///
    /// @param bucket the number of the bucket that is split
    /// @param address where the row's bucket is
    /// @param entry its number there
    /// @param view the entry
    void add(int bucket, HashTable table, long address, int entry, long view, long header) {
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * count);
            headers = Arrays.copyOf(headers, 2 * count);
            bodies = Arrays.copyOf(bodies, 2 * count);
            views = Arrays.copyOf(views, 2 * count);
            bodyViews = Arrays.copyOf(bodyViews, 2 * count);
            publishedViews = Arrays.copyOf(publishedViews, 2 * count);
            owners = Arrays.copyOf(owners, 2 * count);
        }
        addresses[count] = address + table.layout().entryOffset(entry);
        headers[count] = header;
        bodies[count] =
                table.inlined
                        ? address + table.layout().bodyOffset(entry)
                        : addresses[count] + table.layout().bodyPointerOffset();
        owners[count] = bucket;
        count++;
        int entryWords = table.entryBytes / Long.BYTES;
        if (wordCount + entryWords > words.length) {
            words = Arrays.copyOf(words, Math.max(2 * words.length, wordCount + entryWords));
        }
        words[wordCount++] = header;
        for (int word = 1; word < entryWords; word++) {
            words[wordCount++] = LocalMemory.longAt(view + 8L * word);
        }
    }
}
