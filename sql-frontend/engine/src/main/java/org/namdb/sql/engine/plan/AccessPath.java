package org.namdb.sql.engine.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;

/// How a table's rows are reached. Keys are expressions that don't depend on the rows; a key that
/// is NULL, or that the column can't have, finds nothing.
public sealed interface AccessPath {
    /// A range with a larger share of a table's rows is not read by its index, but by a scan.
    double MAX_RANGE = Costs.SCANNED / Costs.READ;

    /// All rows are read.
    record Scan() implements AccessPath {}

    /// By whole primary keys: all of them by one round trip.
    ///
    /// @param keys the columns of each key; each key is looked up once
    record ByKey(List<List<Scalar>> keys) implements AccessPath {
        public ByKey {
            keys = List.copyOf(keys);
        }
    }

    /// By the keys of a unique index: a round trip for its table, and one for the rows.
    record ByUnique(SqlIndex index, List<List<Scalar>> keys) implements AccessPath {
        public ByUnique {
            keys = List.copyOf(keys);
        }
    }

    /// By the first columns of the primary key, whose rows are neighbours in the table's buckets.
    record ByNeighbours(List<Scalar> prefix) implements AccessPath {
        public ByNeighbours {
            prefix = List.copyOf(prefix);
        }
    }

    /// By all columns of a hashed index.
    record ByHash(SqlIndex index, List<List<Scalar>> keys) implements AccessPath {
        public ByHash {
            keys = List.copyOf(keys);
        }
    }

    /// By a range of an ordered index: its first columns equal some values, the next lies
    /// between bounds.
    ///
    /// @param prefixes the values of the first columns; several ones are processed one after the
    ///     other
    /// @param interval where the next column lies
    /// @param order the order in which the rows are wanted
    record ByRange(SqlIndex index, List<List<Scalar>> prefixes, Interval interval, Order order)
            implements AccessPath {
        public ByRange {
            prefixes = List.copyOf(prefixes);
        }

        /// Whether the range is read from its end.
        public boolean isDescending() {
            return order == Order.DESCENDING;
        }

        /// Whether a scan in the range's place finds the same rows, as all its conditions are
        /// checked on them, in no order: then it is chosen when the statement runs, and knows the
        /// bounds.
        public boolean mayBeScanned() {
            return order == Order.NONE
                    && prefixes.getFirst().isEmpty()
                    && interval.start() == null
                    && (interval.low() != null || interval.high() != null);
        }

        /// Whether the interval turns out to hold the whole index, for what its texts begin with is
        /// empty, and nothing is lost if a scan finds the rows. A scan is the cheaper way then, and
        /// finds rows with NULL too.
        public boolean isWhole(EvaluationFrame frame) {
            Scalar start = interval.start();
            return start != null
                    && order == Order.NONE
                    && prefixes.getFirst().isEmpty()
                    && "".equals(start.evaluate(frame));
        }
    }

    /// The order of a range's rows.
    enum Order {
        NONE,
        ASCENDING,
        DESCENDING
    }

    /// Where a column of an index lies, between bounds of which each may be missing. The rows must
    /// be checked for what lies outside.
    ///
    /// @param low the least value
    /// @param high the greatest value
    /// @param start what the texts begin with; none where it is empty
    /// @param hasNulls whether NULL is in it; never where there is a bound
    record Interval(
            @Nullable Scalar low, @Nullable Scalar high, @Nullable Scalar start, boolean hasNulls) {
        /// Whether anything lies outside.
        boolean isBounded() {
            return low != null || high != null || start != null;
        }
    }
}
