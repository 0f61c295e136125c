package org.namdb.compute.read;

/// The reads of one kind that a transaction has in flight, which [ReadsInFlight] awaits together
/// with those of the other kinds. It calls each kind by its class, so that no call is an
/// interface's.
sealed interface PostedReads
        permits PostedRows, PostedNeighbourhoods, PostedLookups, PostedCursors {
    /// Drops all reads: a transaction begins, or an await has failed.
    void clear();

    /// Whether an await is to bring more.
    boolean areInFlight();

    /// Posts the reads in flight once more, as another snapshot was chosen than they were for.
    void postAgain();

    /// Goes on with what the last await has brought, and posts more if need be.
    ///
    /// @param bytes how many bytes reads of other kinds may land with the next await
    /// @return how many all may land then, these included
    long advance(long bytes);
}
