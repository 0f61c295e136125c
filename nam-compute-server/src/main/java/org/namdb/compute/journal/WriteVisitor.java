package org.namdb.compute.journal;

import org.namdb.compute.commit.CommitImageReader;

/// Gets what commits have done, write by write.
@FunctionalInterface
public interface WriteVisitor {
    /// A write.
    ///
    /// @param key the record's primary key; the same array each time
    /// @param image is at the write, with its runs still to be read
    void write(TableWrites table, long[] key, CommitImageReader image);
}
