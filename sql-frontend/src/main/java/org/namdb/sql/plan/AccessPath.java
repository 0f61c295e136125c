package org.namdb.sql.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.catalog.SqlIndex;
import org.namdb.sql.expression.Scalar;

/// How a table's rows are reached. Keys are expressions that don't depend on the rows; a key that is NULL, or that the column can't have, finds nothing.
public sealed interface AccessPath {
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

    /// By a range of an ordered index: its first columns equal some values, the next lies between bounds.
    ///
    /// @param prefixes the values of the first columns; several ones are gone through one after the other
    /// @param low the least value of the next column; null for none. The rows must be checked for what lies outside
    /// @param high the greatest value of the next column; null for none
    /// @param isDescending whether the range is read from its end
    record ByRange(
            SqlIndex index,
            List<List<Scalar>> prefixes,
            @Nullable Scalar low,
            @Nullable Scalar high,
            boolean isDescending)
            implements AccessPath {
        public ByRange {
            prefixes = List.copyOf(prefixes);
        }
    }
}
