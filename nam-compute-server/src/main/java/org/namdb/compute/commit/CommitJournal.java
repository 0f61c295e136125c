package org.namdb.compute.commit;

/// Takes the image of every commit between its locks and its install.
///
/// When it is called, all records of the write set are locked, or claimed, by this commit, and
/// every image of a transaction that it depends on was taken before. A commit that waits for a
/// journal on another machine does so here.
public interface CommitJournal {
    /// Takes nothing.
    CommitJournal NONE =
            new CommitJournal() {
                @Override
                public void reserve(WriteSet writes) {
                    // There is nothing to make room for.
                }

                @Override
                public void append(WriteSet writes, long commitTimestamp, long snapshot) {
                    // Nobody wants it.
                }
            };

    /// A transaction begins.
    default void begin() {
        // Most don't ask.
    }

    /// Makes sure that there is room for the image: the last step that may fail. The commit may be
    /// given up afterwards; then nothing is appended.
    ///
    /// @throws JournalFullException if there is no room
    void reserve(WriteSet writes);

    /// Takes the image. From now on the commit timestamp is taken, and nothing may fail but the
    /// fabric; what is posted here has taken effect when the install is awaited.
    ///
    /// @param commitTimestamp a word of [org.namdb.timestamp.CommitTimestamp]
    /// @param snapshot the number of the member of the snapshot chain that the transaction has read
    void append(WriteSet writes, long commitTimestamp, long snapshot);

    /// Everybody can see the commit whose image was taken last.
    default void published() {
        // Most don't ask.
    }

    /// The commit whose image was taken last was not installed to its end.
    default void failed(Throwable cause) {
        // Most don't ask.
    }
}
