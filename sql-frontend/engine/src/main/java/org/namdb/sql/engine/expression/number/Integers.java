package org.namdb.sql.engine.expression.number;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType.Kind;

/// The ranges of SMALLINT, INTEGER and BIGINT.
public final class Integers {
    private Integers() {}

    static long least(Kind kind) {
        return kind == Kind.SMALLINT
                ? Short.MIN_VALUE
                : kind == Kind.INTEGER ? Integer.MIN_VALUE : Long.MIN_VALUE;
    }

    static long greatest(Kind kind) {
        return kind == Kind.SMALLINT
                ? Short.MAX_VALUE
                : kind == Kind.INTEGER ? Integer.MAX_VALUE : Long.MAX_VALUE;
    }

    /// The number itself.
    ///
    /// @throws SqlException 22003 if the type can't hold it
    public static Long inRange(Long value, Kind kind) {
        long number = value;
        if (number < least(kind) || number > greatest(kind)) {
            throw outOfRange(kind);
        }
        return value;
    }

    /// The number with the other sign.
    ///
    /// @throws SqlException 22003 if the type can't hold it
    public static Long negated(Long value, Kind kind) {
        if (value == Long.MIN_VALUE) {
            throw outOfRange(kind);
        }
        return inRange(-value, kind);
    }

    /// The error of a number that the type can't hold.
    public static SqlException outOfRange(Kind kind) {
        String name =
                kind == Kind.SMALLINT ? "smallint" : kind == Kind.INTEGER ? "integer" : "bigint";
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, name + " out of range");
    }
}
