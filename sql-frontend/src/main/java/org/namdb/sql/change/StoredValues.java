package org.namdb.sql.change;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.catalog.SqlColumn;
import org.namdb.sql.catalog.SqlTable;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;
import org.namdb.sql.type.ByteString;
import org.namdb.sql.type.SqlType;

/// Writes values of SQL to records and keys, and reads them from records. Values are of the column's type already; what is left to check is whether their bytes fit.
public final class StoredValues {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1000;
    private static final LocalDateTime EPOCH = LocalDate.EPOCH.atStartOfDay();

    private StoredValues() {}

    /// Writes the value of a column that is not in the key.
    ///
    /// @throws SqlException 22001 or 22003 if it does not fit
    public static void write(Row row, Column stored, @Nullable Object value) {
        switch (value) {
            case null -> row.setNull(stored);
            case Float number -> row.setFloat64(stored, number);
            case Double number -> row.setFloat64(stored, number);
            case UUID id ->
                    row.setUuid(stored, id.getMostSignificantBits(), id.getLeastSignificantBits());
            default -> {
                if (stored.type().isSized()) {
                    byte[] bytes = fitting(stored, value);
                    row.setBytes(stored, bytes, 0, bytes.length);
                } else {
                    row.setInt64(stored, inRange(stored.type(), integral(stored, value)));
                }
            }
        }
    }

    /// Adds a value to a key whose next column is `stored`.
    ///
    /// @throws SqlException 22001 or 22003 if it does not fit
    public static void add(Key key, Column stored, Object value) {
        if (!addFitting(key, stored.type(), value)) {
            throw isText(value) ? tooLong(stored, value) : outOfRange(stored.type());
        }
    }

    /// Adds a value to a key, unless no value of the key's column is equal to it.
    ///
    /// @param type the type of the key's next column
    /// @return whether it was added
    public static boolean addFitting(Key key, ColumnType type, Object value) {
        if (type.isFloating()) {
            if (!(value instanceof Number number)) {
                return false;
            }
            key.add(number.doubleValue());
            return true;
        }
        if (type.kind() == ColumnType.Kind.UUID) {
            UUID id = (UUID) value;
            key.addUuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
            return true;
        }
        if (type.isSized()) {
            byte[] bytes = bytes(value);
            if (bytes.length > type.length()) {
                return false;
            }
            key.add(bytes, 0, bytes.length);
            return true;
        }
        Long number = exact(type, value);
        if (number == null || !isInRange(type, number)) {
            return false;
        }
        key.add(number);
        return true;
    }

    /// The values of all columns of a row that was read whole.
    public static @Nullable Object[] tuple(SqlTable table, Row row) {
        @Nullable Object[] tuple = new @Nullable Object[table.columns().size()];
        for (int i = 0; i < tuple.length; i++) {
            SqlColumn column = table.columns().get(i);
            tuple[i] = read(row, column.stored(), column.type());
        }
        return tuple;
    }

    /// The value of a column.
    ///
    /// @param type the column's type
    static @Nullable Object read(Row row, Column stored, SqlType type) {
        if (row.isNull(stored)) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> row.int64(stored) != 0;
            case SMALLINT, INTEGER, BIGINT -> row.int64(stored);
            case DECIMAL -> BigDecimal.valueOf(row.int64(stored), stored.type().scale());
            case REAL -> (float) row.float64(stored);
            case DOUBLE -> row.float64(stored);
            case CHAR, VARCHAR, TEXT -> row.string(stored);
            case DATE -> LocalDate.ofEpochDay(row.int64(stored));
            case TIME -> LocalTime.ofNanoOfDay(row.int64(stored) * NANOS_PER_MICRO);
            case TIMESTAMP -> timestamp(row.int64(stored));
            case BYTEA -> {
                byte[] bytes = new byte[stored.type().length()];
                yield ByteString.of(bytes, 0, row.copyBytes(stored, bytes, 0));
            }
            case UUID -> new UUID(row.uuidHigh(stored), row.uuidLow(stored));
            case INTERVAL, UNKNOWN ->
                    throw new IllegalStateException("no column is of type " + type);
        };
    }

    private static LocalDateTime timestamp(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND),
                (int) Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO,
                ZoneOffset.UTC);
    }

    private static long integral(Column stored, Object value) {
        return switch (value) {
            case Long number -> number;
            case Boolean truth -> truth ? 1 : 0;
            case BigDecimal number ->
                    number.setScale(stored.type().scale(), RoundingMode.HALF_UP)
                            .unscaledValue()
                            .longValueExact();
            case LocalDate date -> date.toEpochDay();
            case LocalTime time -> time.toNanoOfDay() / NANOS_PER_MICRO;
            case LocalDateTime time -> micros(time);
            default ->
                    throw new IllegalArgumentException(
                            stored.name() + " can't keep a " + value.getClass().getSimpleName());
        };
    }

    private static long micros(LocalDateTime time) {
        return ChronoUnit.MICROS.between(EPOCH, time);
    }

    /// The number that a column of this type keeps for a value; null if it has none that is equal.
    private static @Nullable Long exact(ColumnType type, Object value) {
        int scale = type.kind() == ColumnType.Kind.DECIMAL ? type.scale() : 0;
        return switch (value) {
            case Long number when scale == 0 -> number;
            case Long number -> unscaled(BigDecimal.valueOf(number), scale);
            case BigDecimal number -> unscaled(number, scale);
            case Boolean truth -> truth ? 1L : 0L;
            case LocalDate date -> date.toEpochDay();
            case LocalTime time -> time.toNanoOfDay() / NANOS_PER_MICRO;
            case LocalDateTime time -> micros(time);
            default -> null;
        };
    }

    private static @Nullable Long unscaled(BigDecimal number, int scale) {
        try {
            return number.setScale(scale, RoundingMode.UNNECESSARY)
                    .unscaledValue()
                    .longValueExact();
        } catch (ArithmeticException e) {
            return null; // more digits than the column keeps
        }
    }

    private static long inRange(ColumnType type, long value) {
        if (!isInRange(type, value)) {
            throw outOfRange(type);
        }
        return value;
    }

    private static boolean isInRange(ColumnType type, long value) {
        int unused = Long.SIZE - type.keyBytes() * Byte.SIZE;
        return value << unused >> unused == value;
    }

    private static SqlException outOfRange(ColumnType type) {
        String name =
                switch (type.keyBytes()) {
                    case Byte.BYTES -> "one byte";
                    case Short.BYTES -> "smallint";
                    case Integer.BYTES -> "integer";
                    default -> "bigint";
                };
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, name + " out of range");
    }

    private static byte[] fitting(Column stored, Object value) {
        byte[] bytes = bytes(value);
        if (bytes.length > stored.type().length()) {
            throw tooLong(stored, value);
        }
        return bytes;
    }

    private static byte[] bytes(Object value) {
        return switch (value) {
            case String text -> text.getBytes(StandardCharsets.UTF_8);
            case ByteString bytes -> bytes.toByteArray();
            default ->
                    throw new IllegalArgumentException(
                            "neither text nor bytes: " + value.getClass().getSimpleName());
        };
    }

    private static boolean isText(Object value) {
        return value instanceof String || value instanceof ByteString;
    }

    private static SqlException tooLong(Column stored, Object value) {
        int most = stored.type().length();
        return new SqlException(
                        SqlState.STRING_TOO_LONG,
                        "value too long for column \""
                                + stored.name()
                                + "\": "
                                + bytes(value).length
                                + " bytes, at most "
                                + most)
                .withHint(
                        "TEXT and BYTEA keep at most 1,024 bytes. VARCHAR(n BYTES) and BYTEA(n) keep up to "
                                + ColumnType.MAX_LENGTH
                                + ".");
    }
}
