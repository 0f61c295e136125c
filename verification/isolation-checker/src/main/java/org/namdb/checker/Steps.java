package org.namdb.checker;

/// Counts what a check has done: an operation visited, a commit visited, two elements of snapshots
/// compared. It is the cost of a check that does not depend on the machine.
final class Steps {
    private long count;

    /// Adds some.
    void add(long steps) {
        count += steps;
    }

    /// How many were taken.
    long count() {
        return count;
    }
}
