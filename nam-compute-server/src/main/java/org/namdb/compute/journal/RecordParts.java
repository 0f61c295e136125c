package org.namdb.compute.journal;

/// Divides records among the threads that recover them: each has all that was done to its own.
final class RecordParts {
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private RecordParts() {}

    static int part(long[] key, int words, int parts) {
        long hash = 0;
        for (int word = 0; word < words; word++) {
            hash = (hash ^ key[word]) * GOLDEN_RATIO;
            hash ^= hash >>> 32;
        }
        return (int) Long.remainderUnsigned(hash, parts);
    }
}
