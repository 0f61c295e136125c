package org.namdb.sql.type;

/// A type of SQL, and the Java class of its values (never null; NULL is null):
///
/// | kind | Java |
/// |---|---|
/// | BOOLEAN | Boolean |
/// | SMALLINT, INTEGER, BIGINT | Long |
/// | DECIMAL | java.math.BigDecimal |
/// | REAL | Float |
/// | DOUBLE | Double |
/// | CHAR, VARCHAR, TEXT, UNKNOWN | String; of CHAR without the blanks it is filled up with |
/// | DATE, TIME, TIMESTAMP | java.time.LocalDate, LocalTime, LocalDateTime |
/// | INTERVAL | [Interval] |
/// | BYTEA | [ByteString] |
/// | UUID | java.util.UUID |
///
/// @param kind what a value is
/// @param length for CHAR and VARCHAR the most characters, for DECIMAL the most digits; 0 if there is no limit
/// @param scale for DECIMAL the digits behind the point
/// @param inBytes whether `length` counts bytes of UTF-8
public record SqlType(Kind kind, int length, int scale, boolean inBytes) {
    /// What a value is.
    public enum Kind {
        BOOLEAN,
        SMALLINT,
        INTEGER,
        BIGINT,
        DECIMAL,
        REAL,
        DOUBLE,
        CHAR,
        VARCHAR,
        TEXT,
        DATE,
        TIME,
        TIMESTAMP,
        INTERVAL,
        BYTEA,
        UUID,
        /// Of a string literal, NULL or a parameter, before the context gives it a type.
        UNKNOWN
    }

    public static final SqlType BOOLEAN = of(Kind.BOOLEAN);
    public static final SqlType SMALLINT = of(Kind.SMALLINT);
    public static final SqlType INTEGER = of(Kind.INTEGER);
    public static final SqlType BIGINT = of(Kind.BIGINT);

    /// Of any precision, for values in flight.
    public static final SqlType DECIMAL = of(Kind.DECIMAL);

    public static final SqlType REAL = of(Kind.REAL);
    public static final SqlType DOUBLE = of(Kind.DOUBLE);
    public static final SqlType TEXT = of(Kind.TEXT);
    public static final SqlType DATE = of(Kind.DATE);
    public static final SqlType TIME = of(Kind.TIME);
    public static final SqlType TIMESTAMP = of(Kind.TIMESTAMP);
    public static final SqlType INTERVAL = of(Kind.INTERVAL);
    public static final SqlType BYTEA = of(Kind.BYTEA);
    public static final SqlType UUID = of(Kind.UUID);
    public static final SqlType UNKNOWN = of(Kind.UNKNOWN);

    private static SqlType of(Kind kind) {
        return new SqlType(kind, 0, 0, false);
    }
}
