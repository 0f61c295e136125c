package org.namdb.sql.language.ast;

import org.jspecify.annotations.Nullable;

/// Which rows around one of them a window function takes: `ROWS BETWEEN 1 PRECEDING AND CURRENT
/// ROW`.
///
/// @param end the current row if it is not said
public record WindowFrame(
        Unit unit, Bound start, Bound end, Exclusion exclusion, Position position) {
    /// What is counted.
    public enum Unit {
        /// Rows.
        ROWS,
        /// Differences of what the rows are ordered by; rows that are equal in it stay together.
        RANGE,
        /// Groups of rows that are equal in the order.
        GROUPS
    }

    /// Where it begins or ends.
    ///
    /// @param offset how far from the current row; null where the kind has none
    public record Bound(Kind kind, @Nullable Expression offset) {}

    /// Which rows are left out.
    public enum Exclusion {
        NO_OTHERS("NO OTHERS"),
        CURRENT_ROW("CURRENT ROW"),
        /// The current row and those that are equal to it in the order.
        GROUP("GROUP"),
        /// Those that are equal to the current row in the order, but not itself.
        TIES("TIES");

        private final String text;

        Exclusion(String text) {
            this.text = text;
        }

        /// As SQL writes it.
        public String text() {
            return text;
        }
    }

    /// From which side, in the order of the rows.
    public enum Kind {
        UNBOUNDED_PRECEDING("UNBOUNDED PRECEDING"),
        PRECEDING("PRECEDING"),
        CURRENT_ROW("CURRENT ROW"),
        FOLLOWING("FOLLOWING"),
        UNBOUNDED_FOLLOWING("UNBOUNDED FOLLOWING");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /// As SQL writes it, behind the offset if it has one.
        public String text() {
            return text;
        }
    }
}
