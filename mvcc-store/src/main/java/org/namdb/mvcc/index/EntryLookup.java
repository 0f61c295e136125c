package org.namdb.mvcc.index;

/// A lookup by equality in progress.
/// ```java
/// lookup.prepare(prefix, sink);
/// lookup.post();
/// do {
///     queuePair.await();
/// } while (!lookup.advance());
/// ```
public interface EntryLookup {
    /// Starts over.
    ///
    /// @param prefix an entry with the indexed columns; must stay as it is
    /// @param sink gets the entries that are found, in [#advance]
    void prepare(long[] prefix, EntrySink sink);

    /// How many bytes come with one await.
    int landedBytes();

    /// Posts the first READs.
    void post();

    /// After an await: hands over what has come, and posts what comes next.
    ///
    /// @return whether that was all
    boolean advance();
}
