package org.namdb.tpcc.procedure;

/// The time of day for TIMESTAMP columns.
final class Micros {
    private static final long PER_MILLISECOND = 1_000;

    private Micros() {}

    /// Microseconds since 1970-01-01 UTC.
    static long now() {
        return System.currentTimeMillis() * PER_MILLISECOND;
    }
}
