package org.namdb.mvcc.index;

/// Goes over the entries of an ordered index, up or down. It stands before the first one after
/// [#ascendFrom] or [#descendFrom]. An entry that is there throughout is seen, once and in order;
/// one that comes or goes meanwhile may or may not be.
public interface OrderedCursor {
    /// Starts again: up, from `entry` or the next one above it.
    void ascendFrom(long[] entry);

    /// Starts again: down, from `entry` or the next one below it.
    void descendFrom(long[] entry);

    /// About so many more entries will be read, none of them behind `last`: a hint for reading
    /// ahead. Reset when the cursor starts again.
    void expect(int entries, long[] last);

    /// Whether the next entry is here, so that [#next] brings it without waiting.
    boolean isNextHere();

    /// Where no next entry [is here][#isNextHere]: posts what brings more, to go with the next
    /// await; [#land] follows.
    ///
    /// @return whether something is posted; else [#next] does all of it
    boolean post();

    /// How many bytes that lands.
    int landedBytes();

    /// After the await: takes what was posted, without waiting.
    ///
    /// @return whether it could be taken, be an entry among it or not; else [#next] waits
    boolean land();

    /// Moves to the next entry; mostly without a round trip.
    ///
    /// @return false if there is none
    boolean next();

    /// A word of the current entry.
    long word(int word);
}
