package org.namdb.mvcc.tree;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.OrderedCursor;

/// A search of a [LeafDirectory] for the leaf in whose range a key is, and for those beside it. It
/// is posted and landed like a cursor, or waits where leaves are needed that are not here.
final class LeafSearch {
    private static final long HIGHEST = -1L;

    private final LeafDirectory directory;
    private final int keyWords;

    /// The separators at the key, and below it.
    private final OrderedCursor down;

    /// Those above the key; made when it is first needed.
    private @Nullable OrderedCursor up;

    private final long[] bound;
    private final long[] lowest;
    private final long[] last;

    /// The separator that was found last, if one was.
    private final long[] found;

    private boolean isFound;
    private boolean ascending;
    private int wanted;

    LeafSearch(LeafDirectory directory, int keyWords) {
        this.directory = directory;
        this.keyWords = keyWords;
        this.down = directory.separators().cursor();
        this.bound = new long[keyWords + 1];
        this.lowest = new long[keyWords + 1];
        this.last = new long[keyWords];
        this.found = new long[keyWords + 1];
    }

    /// Starts again.
    ///
    /// @param key its leaf is the first one
    /// @param lastKey its leaf is the last one that is wanted
    /// @param most how many leaves are wanted at the most
    void start(long[] key, long[] lastKey, boolean isAscending, int most) {
        ascending = isAscending;
        wanted = most;
        isFound = false;
        System.arraycopy(lastKey, 0, last, 0, keyWords);
        down.descendFrom(behind(key));
        down.expect(ascending ? 1 : wanted, lowest);
        if (ascending && wanted > 1) {
            if (up == null) {
                up = directory.separators().cursor();
            }
            up.ascendFrom(bound);
            up.expect(wanted - 1, behind(lastKey));
        }
    }

    /// What is behind every separator of a key.
    private long[] behind(long[] key) {
        System.arraycopy(key, 0, bound, 0, keyWords);
        bound[keyWords] = HIGHEST;
        return bound;
    }

    /// As [OrderedCursor#post].
    boolean post() {
        if (!down.post()) {
            return false;
        }
        if (hasUp() && !up().post()) {
            wanted = 1;
        }
        return true;
    }

    /// As [OrderedCursor#land].
    boolean land() {
        if (hasUp() && !up().land()) {
            wanted = 1;
        }
        return down.land();
    }

    int landedBytes() {
        return down.landedBytes() + (hasUp() ? up().landedBytes() : 0);
    }

    private boolean hasUp() {
        return ascending && wanted > 1;
    }

    private OrderedCursor up() {
        return Objects.requireNonNull(up);
    }

    /// The first leaf: that of the key.
    ///
    /// @return null if it is the leftmost one, as far as the separators show
    long first() {
        return nextDown();
    }

    /// The leaf of the separator before the one that was found last; null for the leftmost leaf.
    long before() {
        if (isFound) {
            System.arraycopy(found, 0, bound, 0, bound.length);
            bound[keyWords]--; // an address is not 0
            down.descendFrom(bound);
            down.expect(1, lowest);
        }
        return isFound ? nextDown() : RemoteAddress.NULL;
    }

    private long nextDown() {
        isFound = down.next();
        if (isFound) {
            directory.found();
        }
        for (int word = 0; isFound && word <= keyWords; word++) {
            found[word] = down.word(word);
        }
        return isFound ? found[keyWords] : RemoteAddress.NULL;
    }

    /// Whether the separator that was found last leads to this leaf.
    boolean hasFound(long leaf) {
        return isFound && found[keyWords] == leaf;
    }

    void copyFound(long[] separator) {
        System.arraycopy(found, 0, separator, 0, found.length);
    }

    /// The leaves from that of the key to that of the last key, as many as are wanted.
    ///
    /// @param leftmost the leftmost leaf
    /// @return how many
    int take(long leftmost, long[] into) {
        int count = 0;
        long leaf = first();
        into[count++] = isFound ? leaf : leftmost;
        if (ascending) {
            while (count < wanted && up().next()) {
                into[count++] = up().word(keyWords);
            }
            return count;
        }
        while (count < wanted && isFound && isAboveLast()) {
            leaf = nextDown();
            into[count++] = isFound ? leaf : leftmost;
        }
        return count;
    }

    /// Whether the leaf that was found begins above the last key.
    private boolean isAboveLast() {
        return Arrays.compareUnsigned(found, 0, keyWords, last, 0, keyWords) > 0;
    }
}
