package org.namdb.compute.commit;

/// Takes the image of every commit between its locks and its install: then all records of the write
/// set are locked, or claimed, by this commit, and every image of a transaction that it depends on
/// was taken before.
public interface CommitJournal {
    /// Takes nothing.
    CommitJournal NONE =
            new CommitJournal() {
                @Override
                public void reserve(WriteSet writes) {
                    // Nothing will be appended.
                }

                @Override
                public void append(WriteSet writes, long commitTimestamp, long snapshot) {
                    // No caller needs it.
                }
            };

    /// A transaction begins.
    default void begin() {
        // Ignored by default.
    }

    /// Makes sure that there is space for the image, before anything is locked: it may wait for a
    /// disk. Then the image is [appended][#append], or the space is [released][#release].
    ///
    /// @throws JournalFullException if there is no space
    void reserve(WriteSet writes);

    /// The commit that has reserved space failed before its image was taken.
    default void release() {
        // Nothing was reserved.
    }

    /// Whether the transaction is committed as soon as its image is whole, even if its session dies
    /// at that moment: then all locks and claims are awaited before the image is taken.
    default boolean isImageCommit() {
        return false;
    }

    /// Takes the image. From now on the commit timestamp is taken, and nothing may fail but the
    /// fabric; what is posted here has taken effect when the install is awaited.
    ///
    /// @param commitTimestamp a word of [org.namdb.timestamp.CommitTimestamp]
    /// @param snapshot the number of the member of the snapshot chain that the transaction has read
    void append(WriteSet writes, long commitTimestamp, long snapshot);

    /// The commit whose image was taken last is installed, and not published yet.
    default void installed() {
        // Ignored by default.
    }

    /// Others can see the commit whose image was taken last.
    default void published() {
        // Ignored by default.
    }

    /// The commit whose image was taken last was not installed to its end.
    default void failed(Throwable cause) {
        // Ignored by default.
    }
}
