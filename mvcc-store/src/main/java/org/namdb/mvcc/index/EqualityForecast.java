package org.namdb.mvcc.index;

/// Foresees what operations on an index that is asked by equality post, in the ordinary case:
/// nobody interferes, and nothing has to make room.
public interface EqualityForecast {
    /// Adds look-ups, one after the other.
    ///
    /// @param entries how many they find, all together
    void lookUp(double lookups, double entries);

    /// Adds inserts, each with its round trip.
    void insert(double entries);
}
