package org.namdb.sql.engine.record;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlArray;

/// Writes values of SQL to records. They are of the column's type already; what is left to check is
/// whether their bytes fit.
public final class RowWriter {
    private static final int NANOS_PER_MICRO = 1000;

    private RowWriter() {}

    /// Writes the value of a column that is not in the key.
    ///
    /// @throws SqlException 22001 or 22003 if it does not fit, 54000 if it is too long for an index
    public static void write(Row row, Column stored, @Nullable Object value) {
        switch (value) {
            case null -> row.setNull(stored);
            case Float number -> row.setFloat64(stored, number);
            case Double number -> row.setFloat64(stored, number);
            case UUID id ->
                    row.setUuid(stored, id.getMostSignificantBits(), id.getLeastSignificantBits());
            default -> {
                if (value instanceof LongValue reference) {
                    writeBytes(row, stored, reference.stored());
                } else if (stored.type().isSized()) {
                    byte[] bytes = fitting(stored, value);
                    writeBytes(row, stored, bytes);
                } else {
                    row.setInt64(stored, inRange(stored.type(), integral(stored, value)));
                }
            }
        }
    }

    /// Whether a text, byte string or array may have more bytes than a number; false of other
    /// values.
    static boolean mayExceed(@Nullable Object value, int bytes) {
        return switch (value) {
            case String text -> text.length() > bytes / 3; // a char has at most three bytes
            case ByteString string -> string.length() > bytes;
            case SqlArray _ -> true;
            case null, default -> false;
        };
    }

    private static void writeBytes(Row row, Column stored, byte[] bytes) {
        try {
            row.setBytes(stored, bytes, 0, bytes.length);
        } catch (KeyTooLongException e) {
            throw KeyLengths.tooLong(e, row.table().name());
        }
    }

    /// Adds a value to a key.
    ///
    /// @param index the key's name
    /// @throws SqlException 54000 or 22003 if it does not fit
    public static void add(Key key, String index, Object value) {
        ColumnType type = key.layout().type(key.columns());
        if (!KeyWriter.add(key, value)) {
            int length = value instanceof LongValue reference ? reference.length() : 0;
            throw isText(value)
                    ? KeyLengths.tooLong(
                            index, length > 0 ? length : bytes(value).length, type.length())
                    : outOfRange(type);
        }
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
            case LocalDateTime time -> KeyWriter.micros(time);
            case Instant moment -> KeyWriter.micros(moment);
            default ->
                    throw new IllegalArgumentException(
                            stored.name() + " can't keep a " + value.getClass().getSimpleName());
        };
    }

    private static long inRange(ColumnType type, long value) {
        if (!type.holds(value)) {
            throw outOfRange(type);
        }
        return value;
    }

    private static SqlException outOfRange(ColumnType type) {
        if (type.kind() == ColumnType.Kind.DECIMAL) {
            return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "numeric field overflow")
                    .withDetail("A value of " + type + " is out of range.");
        }
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
            throw tooLong(stored, bytes.length, stored.type().length());
        }
        return bytes;
    }

    static byte[] bytes(Object value) {
        return switch (value) {
            case String text -> text.getBytes(StandardCharsets.UTF_8);
            case ByteString bytes -> bytes.toByteArray();
            case SqlArray array -> array.toString().getBytes(StandardCharsets.UTF_8);
            default ->
                    throw new IllegalArgumentException(
                            "neither text nor bytes: " + value.getClass().getSimpleName());
        };
    }

    private static boolean isText(Object value) {
        return value instanceof String || value instanceof ByteString || value instanceof LongValue;
    }

    static SqlException tooLong(Column stored, int bytes, int most) {
        return new SqlException(
                        SqlState.STRING_TOO_LONG,
                        "value too long for column \""
                                + stored.name()
                                + "\": "
                                + bytes
                                + " bytes, at most "
                                + most)
                .withHint(
                        "TEXT, BYTEA and VARCHAR(n) keep up to a megabyte, VARCHAR(n BYTES) and BYTEA(n) up to "
                                + ColumnType.MAX_LENGTH
                                + " bytes.");
    }
}
