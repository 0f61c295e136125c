package org.namdb.compute.schema;

/// The word that holds which schema change is the last one, and whether it still runs.
/// ```
///  63                       32 31                        0
/// |          count            |        coordinator        |
/// ```
/// The count rises by one when a schema change begins, and by one when it ends: it is odd while one
/// runs. The coordinator is one more than the number of the compute server that runs it; 0 between
/// changes. So a word that is greater is a later one, and of two compute servers that want
/// to change the schema, one wins the CAS.
public final class SchemaEpoch {
    /// Before all schema changes: the word of zeroed memory.
    public static final long FIRST = 0;

    private static final int COUNT_SHIFT = 32;
    private static final long COORDINATOR_MASK = (1L << COUNT_SHIFT) - 1;

    private SchemaEpoch() {}

    /// The word while the next schema change after `open` runs.
    static long changing(long open, int coordinator) {
        assert !isChanging(open) : "a schema change runs";
        return count(open) + 1 << COUNT_SHIFT | coordinator + 1L;
    }

    /// The word when the schema change of `changing` has ended.
    static long opened(long changing) {
        assert isChanging(changing) : "no schema change runs";
        return count(changing) + 1 << COUNT_SHIFT;
    }

    /// Whether a schema change runs.
    static boolean isChanging(long epoch) {
        return (count(epoch) & 1) == 1;
    }

    static long count(long epoch) {
        return epoch >>> COUNT_SHIFT;
    }

    /// The number of the compute server whose schema change runs.
    static int coordinator(long epoch) {
        assert isChanging(epoch) : "no schema change runs";
        return (int) (epoch & COORDINATOR_MASK) - 1;
    }
}
