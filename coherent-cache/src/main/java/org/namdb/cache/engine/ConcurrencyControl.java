package org.namdb.cache.engine;

import java.util.Locale;

/// How transactions that meet at a tuple are ordered (SELCC, section 6.4). All that use a table at
/// a time do it the same way.
public enum ConcurrencyControl {
    /// Two-phase locking: the guards of lines are the locks, and are held until the end. One that
    /// is not free at once aborts the transaction (no wait).
    TWO_PHASE_LOCKING("2pl"),
    /// Timestamp ordering: a transaction gets a timestamp as it begins, by one FAA, and leaves it
    /// at all that it reads; a transaction that arrives too late aborts.
    TIMESTAMP_ORDERING("to"),
    /// Optimistic: what was read is compared at the commit, under guards of all lines, which are
    /// latched in the order of their addresses.
    OPTIMISTIC("occ");

    private final String option;

    ConcurrencyControl(String option) {
        this.option = option;
    }

    /// As options name it.
    @Override
    public String toString() {
        return option.toLowerCase(Locale.ROOT);
    }
}
