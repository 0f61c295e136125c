package org.namdb.mvcc.index;

/// Forecasts what operations on an index by equality post, in the ordinary case: no other session
/// interferes, and nothing is split.
public interface EqualityForecast {
    /// Adds lookups, one after the other.
    ///
    /// @param entries how many they find, all together
    void lookUp(double lookups, double entries);

    /// Adds inserts, each with its round trip.
    void insert(double entries);
}
