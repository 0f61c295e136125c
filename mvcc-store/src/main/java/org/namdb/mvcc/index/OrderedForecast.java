package org.namdb.mvcc.index;

/// Forecasts what operations on an ordered index post, in the ordinary case: no other session
/// interferes, and nothing is split.
public interface OrderedForecast {
    /// Adds scans of ranges, one after the other.
    ///
    /// @param entries how many there are in all ranges
    void scan(double ranges, double entries);

    /// Adds inserts, without their round trips, which they share: see [#insertRoundTrips].
    void insert(double entries);

    /// How many round trips inserts take that run together.
    int insertRoundTrips();

    /// About how many bytes an insert reads.
    int insertBytes();
}
