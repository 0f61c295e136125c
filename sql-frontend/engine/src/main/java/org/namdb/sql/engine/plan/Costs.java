package org.namdb.sql.engine.plan;

/// What is assumed of costs and numbers of rows. The unit of cost is the read of one record by its
/// key, together with others.
final class Costs {
    /// A record that a scan passes.
    static final double SCANNED = 0.15;

    /// A record that is read by its key.
    static final double READ = 1;

    /// One round trip that waits alone.
    static final double ROUND_TRIP = 4;

    /// A tuple that is put in a hash table, or is looked up there.
    static final double HASHED = 0.05;

    /// A pair of tuples that is compared.
    static final double PAIRED = 0.01;

    /// A tuple that is sorted.
    static final double SORTED = 0.1;

    /// The rows that an index has for one value.
    static final double ROWS_OF_VALUE = 10;

    /// How many values a series has whose bounds are not known yet.
    static final double ROWS_OF_SERIES = 1000;

    /// How many times as many rows a recursive query has as its first part.
    static final double STEPS_OF_RECURSION = 10;

    static final double EQUAL = 0.1;
    static final double RANGE = 1.0 / 3;
    static final double OTHER = 0.25;

    private Costs() {}
}
