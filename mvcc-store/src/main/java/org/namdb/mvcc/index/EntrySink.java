package org.namdb.mvcc.index;

/// Receives the entries that a lookup finds.
@FunctionalInterface
public interface EntrySink {
    /// Takes an entry's words; they are overwritten afterwards.
    void accept(long[] entry);
}
