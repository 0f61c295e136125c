package org.namdb.checker;

import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.Transaction;

/// One transaction must be before another.
///
/// @param from the earlier one
/// @param kind why
/// @param key the key that it is about, or null
/// @param to the later one
public record Dependency(Transaction from, Kind kind, @Nullable Long key, Transaction to) {

    /// Why one transaction is before another.
    public enum Kind {
        /// Write, then read.
        WR("wr", "the second read what the first wrote"),
        /// Write, then write.
        WW("ww", "the second overwrote what the first wrote"),
        /// Read, then write: the anti-dependency.
        RW("rw", "the first read a version that the second overwrote"),
        /// As `wr`, but no key shows it.
        SEEN_BY("seen by", "the second's snapshot shows the first's commit"),
        /// As `rw`, but no key shows it.
        MISSES("misses", "the first's snapshot doesn't show the second's commit"),
        /// Session order.
        SO("so", "the second follows the first in a session"),
        /// Real time.
        RT("rt", "the second began after the first had ended");

        private final String label;
        private final String meaning;

        Kind(String label, String meaning) {
            this.label = label;
            this.meaning = meaning;
        }

        /// The arrow's label, as in `wr`.
        public String label() {
            return label;
        }

        /// What it means.
        public String meaning() {
            return meaning;
        }
    }

    /// As in `wr(k17)`.
    public String label() {
        return key == null ? kind.label() : kind.label() + "(k" + key + ")";
    }
}
