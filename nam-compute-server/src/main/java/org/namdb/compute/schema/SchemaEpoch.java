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
    private static final long DDL_SESSION_MASK = (1L << COUNT_SHIFT) - 1;

    private SchemaEpoch() {}

    /// The word while the next schema change after `open` runs.
    static long defined(long open, int ddlSession) {
        assert !isDefined(open) : "a schema change runs";
        return count(open) + 1 << COUNT_SHIFT | ddlSession + 1L;
    }

    /// The word when the schema change of `defined` has ended.
    static long opened(long defined) {
        assert isDefined(defined) : "no schema change runs";
        return count(defined) + 1 << COUNT_SHIFT;
    }

    /// Whether a schema change runs.
    static boolean isDefined(long epoch) {
        return (count(epoch) & 1) == 1;
    }

    static long count(long epoch) {
        return epoch >>> COUNT_SHIFT;
    }

    /// The number of the compute server whose schema change runs.
    static int ddlSession(long epoch) {
        assert isDefined(epoch) : "no schema change runs";
        return (int) (epoch & DDL_SESSION_MASK) - 1;
    }
}
