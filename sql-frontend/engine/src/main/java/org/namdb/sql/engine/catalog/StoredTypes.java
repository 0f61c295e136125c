package org.namdb.sql.engine.catalog;

import org.namdb.mvcc.schema.ColumnType;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// How values of SQL's types are kept in records. Everything has a fixed length there, so every
/// type has its bound:
///
/// | SQL | record |
/// |---|---|
/// | SMALLINT, INTEGER, BIGINT | INT16, INT32, INT64 |
/// | DECIMAL(p, s), p at most 18 | DECIMAL(p, s); bare DECIMAL as (18, 6), and nothing is rounded |
/// | REAL, DOUBLE PRECISION | FLOAT32, FLOAT64 |
/// | BOOLEAN, DATE, TIME, TIMESTAMP, UUID | the same |
/// | TIMESTAMPTZ | TIMESTAMP, in UTC |
/// | CHAR(n), VARCHAR(n) up to 256 | CHAR, VARCHAR of 4n bytes, at most 8,000 |
/// | VARCHAR(n BYTES) | VARCHAR of n bytes |
/// | TEXT, VARCHAR, VARCHAR(n) beyond 256 | VARCHAR of 1,024 bytes, and [chunks][#isLong] |
/// | BYTEA | BYTES of 1,024, and chunks |
/// | arrays | their text, in UTC, as TEXT |
/// | BYTEA(n) | BYTES of n bytes |
public final class StoredTypes {
    /// The bytes that a record has for a TEXT, and for a BYTEA that names no length.
    public static final int TEXT_BYTES = 1024;

    private static final int MAX_DIGITS = SqlType.MAX_COLUMN_DIGITS;

    /// The digits behind the point of a DECIMAL column that names none.
    public static final int DEFAULT_SCALE = 6;

    private static final int BYTES_PER_CHARACTER = 4;

    private StoredTypes() {}

    /// The type of a column that is declared with `type`: the same, but with a precision where a
    /// DECIMAL has none.
    ///
    /// @throws SqlException 22023 if no record can keep such values
    public static SqlType columnType(SqlType type) {
        if (type.kind() == SqlType.Kind.DECIMAL) {
            if (type.length() == 0) {
                return SqlType.undeclaredDecimal(MAX_DIGITS, DEFAULT_SCALE);
            }
            if (type.length() > MAX_DIGITS) {
                throw new SqlException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "a column of type numeric has at most "
                                        + MAX_DIGITS
                                        + " digits, not "
                                        + type.length())
                        .withHint(
                                "Values are kept as 64-bit numbers. DOUBLE PRECISION has a wider range.");
            }
        }
        return type;
    }

    /// How a record keeps values of a column's type.
    ///
    /// @throws SqlException 22023 if it can't, as the type has no bound or too high a one
    public static ColumnType stored(SqlType type) {
        return switch (type.kind()) {
            case BOOLEAN -> ColumnType.BOOLEAN;
            case SMALLINT -> ColumnType.INT16;
            case INTEGER -> ColumnType.INT32;
            case BIGINT -> ColumnType.INT64;
            case DECIMAL -> {
                SqlType bounded = columnType(type);
                yield ColumnType.decimal(bounded.length(), bounded.scale());
            }
            case REAL -> ColumnType.FLOAT32;
            case DOUBLE -> ColumnType.FLOAT64;
            case CHAR -> ColumnType.character(textBytes(type));
            case VARCHAR, TEXT -> ColumnType.varchar(textBytes(type));
            case ARRAY -> ColumnType.varchar(TEXT_BYTES);
            case DATE -> ColumnType.DATE;
            case TIME -> ColumnType.TIME;
            case TIMESTAMP, TIMESTAMPTZ -> ColumnType.TIMESTAMP;
            case BYTEA ->
                    ColumnType.bytes(checked(type.length() == 0 ? TEXT_BYTES : type.length()));
            case UUID -> ColumnType.UUID;
            case INTERVAL, UNKNOWN ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "columns of type " + type.name() + " are not supported");
        };
    }

    /// The type of a column that a program has made without SQL.
    public static SqlType ofProgram(ColumnType type) {
        return switch (type.kind()) {
            case INT8, INT16 -> SqlType.SMALLINT;
            case INT32 -> SqlType.INTEGER;
            case INT64 -> SqlType.BIGINT;
            case DECIMAL -> SqlType.decimal(type.length(), type.scale());
            case TIMESTAMP -> SqlType.TIMESTAMP;
            case DATE -> SqlType.DATE;
            case TIME -> SqlType.TIME;
            case FLOAT32 -> SqlType.REAL;
            case FLOAT64 -> SqlType.DOUBLE;
            case BOOLEAN -> SqlType.BOOLEAN;
            case UUID -> SqlType.UUID;
            case CHAR -> new SqlType(SqlType.Kind.CHAR, type.length(), 0, true);
            case VARCHAR -> SqlType.varcharBytes(type.length());
            case BYTES -> SqlType.bytea(type.length());
        };
    }

    /// Whether a column's values may be longer than what a record has for them: then the rest is
    /// kept in chunks.
    public static boolean isLong(SqlType type) {
        return switch (type.kind()) {
            case TEXT, ARRAY -> true;
            case VARCHAR ->
                    type.length() == 0
                            || !type.inBytes() && type.length() > TEXT_BYTES / BYTES_PER_CHARACTER;
            case BYTEA -> type.length() == 0;
            default -> false;
        };
    }

    private static int textBytes(SqlType type) {
        if (type.length() == 0 || isLong(type)) {
            return TEXT_BYTES;
        }
        long bytes = type.inBytes() ? type.length() : (long) type.length() * BYTES_PER_CHARACTER;
        return checked(bytes);
    }

    private static int checked(long bytes) {
        if (bytes > ColumnType.MAX_LENGTH) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "a column has at most "
                                    + ColumnType.MAX_LENGTH
                                    + " bytes, and values of this type may have "
                                    + bytes)
                    .withHint(
                            "VARCHAR(n) takes 4n bytes; VARCHAR(n BYTES) goes to "
                                    + ColumnType.MAX_LENGTH
                                    + ".");
        }
        return (int) bytes;
    }
}
