package org.namdb.mvcc.schema;

/// The type of a column; all values of a column take the same number of bytes (NAM-DB,
/// section 5.1).
///
/// @param kind what a value is
/// @param length for CHAR, VARCHAR and BYTES the most bytes of a value (UTF-8 for text); for
///     DECIMAL the digits
/// @param scale for DECIMAL the digits behind the point
public record ColumnType(Kind kind, int length, int scale) {
    /// What a value is.
    public enum Kind {
        INT8(1, Byte.MIN_VALUE, Byte.MAX_VALUE),
        INT16(2, Short.MIN_VALUE, Short.MAX_VALUE),
        INT32(4, Integer.MIN_VALUE, Integer.MAX_VALUE),
        INT64(8, Long.MIN_VALUE, Long.MAX_VALUE),
        /// An exact decimal of at most 18 digits, kept as its unscaled long.
        DECIMAL(8),
        /// Microseconds since 1970-01-01 UTC.
        TIMESTAMP(8, Long.MIN_VALUE, Long.MAX_VALUE),
        /// Days since 1970-01-01.
        DATE(4, Integer.MIN_VALUE, Integer.MAX_VALUE),
        /// Microseconds of the day.
        TIME(8, 0, DAY_MICROS - 1),
        FLOAT64(8),
        FLOAT32(4),
        BOOLEAN(1, 0, 1),
        /// 128 bits, ordered as an unsigned number.
        UUID(16),
        /// Text of a fixed length, filled up with zero bytes.
        CHAR(0),
        /// Text with its length in two bytes before it.
        VARCHAR(0),
        /// Bytes with their length in two bytes before them.
        BYTES(0);

        private final int bytes;

        /// The range of an integral kind whose types have one range; empty for the others.
        private final long least;

        private final long greatest;

        Kind(int bytes) {
            this(bytes, 0, -1);
        }

        Kind(int bytes, long least, long greatest) {
            this.bytes = bytes;
            this.least = least;
            this.greatest = greatest;
        }
    }

    /// The longest text or byte string.
    public static final int MAX_LENGTH = 8000;

    public static final ColumnType INT8 = new ColumnType(Kind.INT8, 0, 0);
    public static final ColumnType INT16 = new ColumnType(Kind.INT16, 0, 0);
    public static final ColumnType INT32 = new ColumnType(Kind.INT32, 0, 0);
    public static final ColumnType INT64 = new ColumnType(Kind.INT64, 0, 0);
    public static final ColumnType TIMESTAMP = new ColumnType(Kind.TIMESTAMP, 0, 0);
    public static final ColumnType DATE = new ColumnType(Kind.DATE, 0, 0);
    public static final ColumnType TIME = new ColumnType(Kind.TIME, 0, 0);
    public static final ColumnType FLOAT64 = new ColumnType(Kind.FLOAT64, 0, 0);
    public static final ColumnType FLOAT32 = new ColumnType(Kind.FLOAT32, 0, 0);
    public static final ColumnType UUID = new ColumnType(Kind.UUID, 0, 0);
    public static final ColumnType BOOLEAN = new ColumnType(Kind.BOOLEAN, 0, 0);

    private static final int LENGTH_BYTES = 2;
    private static final int MAX_DIGITS = 18;
    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long[] POWERS_OF_TEN = new long[MAX_DIGITS + 1];

    static {
        long power = 1;
        for (int digits = 0; digits <= MAX_DIGITS; digits++) {
            POWERS_OF_TEN[digits] = power;
            power *= 10;
        }
    }

    public ColumnType {
        boolean sized = kind.bytes == 0;
        if (sized && (length < 1 || length > MAX_LENGTH)) {
            throw new IllegalArgumentException(
                    kind + "(" + length + "): the length must be 1 to " + MAX_LENGTH);
        }
        if (kind == Kind.DECIMAL
                && (length < 1 || length > MAX_DIGITS || scale < 0 || scale > length)) {
            throw new IllegalArgumentException(
                    "DECIMAL("
                            + length
                            + ","
                            + scale
                            + "): 1 to "
                            + MAX_DIGITS
                            + " digits, and not more of them behind the point");
        }
    }

    /// An exact decimal of `digits` digits, `scale` of them behind the point.
    public static ColumnType decimal(int digits, int scale) {
        return new ColumnType(Kind.DECIMAL, digits, scale);
    }

    /// Text of at most `length` bytes, filled up with zero bytes; they are not part of the value.
    public static ColumnType character(int length) {
        return new ColumnType(Kind.CHAR, length, 0);
    }

    /// Text of at most `length` bytes.
    public static ColumnType varchar(int length) {
        return new ColumnType(Kind.VARCHAR, length, 0);
    }

    /// A byte string of at most `length` bytes.
    public static ColumnType bytes(int length) {
        return new ColumnType(Kind.BYTES, length, 0);
    }

    /// Whether values are numbers that fit in a long: integers, decimals, timestamps, dates, times,
    /// booleans.
    public boolean isIntegral() {
        return !isSized() && !isFloating() && kind != Kind.UUID;
    }

    /// The least value of an integral type, of a decimal unscaled.
    public long least() {
        return kind == Kind.DECIMAL ? -greatest() : kind.least;
    }

    /// The greatest value of an integral type, of a decimal unscaled.
    public long greatest() {
        return kind == Kind.DECIMAL ? POWERS_OF_TEN[length] - 1 : kind.greatest;
    }

    /// Whether a column of this integral type can have a value, of a decimal unscaled. Every key
    /// and every record is checked by it.
    public boolean holds(long value) {
        return value >= least() && value <= greatest();
    }

    /// Whether values are floating-point numbers.
    public boolean isFloating() {
        return kind == Kind.FLOAT64 || kind == Kind.FLOAT32;
    }

    /// Whether values are text or bytes.
    public boolean isSized() {
        return kind.bytes == 0;
    }

    /// Whether the value's length is kept before it.
    public boolean hasLength() {
        return kind == Kind.VARCHAR || kind == Kind.BYTES;
    }

    /// The bytes that a value takes in a payload.
    public int payloadBytes() {
        return isSized() ? length + (hasLength() ? LENGTH_BYTES : 0) : kind.bytes;
    }

    /// The bytes that a value takes in a key. A byte string has its length behind it, because zero
    /// bytes at its end are part of it.
    public int keyBytes() {
        return isSized() ? length + (kind == Kind.BYTES ? LENGTH_BYTES : 0) : kind.bytes;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case DECIMAL -> "DECIMAL(" + length + "," + scale + ")";
            case CHAR, VARCHAR, BYTES -> kind + "(" + length + ")";
            case INT8,
                    INT16,
                    INT32,
                    INT64,
                    TIMESTAMP,
                    DATE,
                    TIME,
                    FLOAT64,
                    FLOAT32,
                    BOOLEAN,
                    UUID ->
                    kind.toString();
        };
    }
}
