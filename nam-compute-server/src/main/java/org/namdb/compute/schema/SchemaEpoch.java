package org.namdb.compute.schema;

/// The word that says which definition (change of the schema) is the last one, and whether it still
/// goes on.
/// ```
///  63                       32 31                        0
/// |          count            |          definer          |
/// ```
/// The count rises by one when a definition begins, and by one when it ends: it is odd while one
/// goes on. The definer is one more than the number of the compute server that makes it; 0 between
/// definitions. So a word that is greater is a later one, and of two compute servers that want to
/// define, one wins the compare-and-swap.
public final class SchemaEpoch {
    /// Before all definitions: the word of zeroed memory.
    public static final long FIRST = 0;

    private static final int COUNT_SHIFT = 32;
    private static final long DEFINER_MASK = (1L << COUNT_SHIFT) - 1;

    private SchemaEpoch() {}

    /// The word while the next definition after `open` goes on.
    static long defined(long open, int definer) {
        assert !isDefined(open) : "a definition goes on";
        return count(open) + 1 << COUNT_SHIFT | definer + 1L;
    }

    /// The word when the definition of `defined` has ended.
    static long opened(long defined) {
        assert isDefined(defined) : "no definition goes on";
        return count(defined) + 1 << COUNT_SHIFT;
    }

    /// Whether a definition goes on.
    static boolean isDefined(long epoch) {
        return (count(epoch) & 1) == 1;
    }

    static long count(long epoch) {
        return epoch >>> COUNT_SHIFT;
    }

    /// The number of the compute server whose definition goes on.
    static int definer(long epoch) {
        assert isDefined(epoch) : "no definition goes on";
        return (int) (epoch & DEFINER_MASK) - 1;
    }
}
