package org.namdb.compute.journal;

import org.namdb.compute.commit.CommitImageReader;

/// Gets what a recovery replays: rows of a checkpoint, and then the writes of commits.
public interface ReplayVisitor {
    /// A row of a checkpoint.
    ///
    /// @param key its primary key; the same array each time
    /// @param payload the native address of its payload, valid during the call
    void row(TableWrites table, long[] key, long payload);

    /// A write of a commit.
    ///
    /// @param key the record's primary key; the same array each time
    /// @param image is at the write, with its runs still to be read
    void write(TableWrites table, long[] key, CommitImageReader image);
}
