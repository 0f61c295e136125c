package org.namdb.sql.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;
import org.namdb.sql.language.type.TimeZones;

/// Values of parameters, as programs give them, made values of the parameters' types.
final class ParameterValues {
    private ParameterValues() {}

    /// @param zone the session's, of texts and local times that are to be moments
    /// @throws SqlException 42P02 if there are too few or too many, 42804 if one can't be of its
    ///     parameter's type, 22P02 if a text is none of it
    static @Nullable Object[] of(@Nullable Object[] values, List<SqlType> types, ZoneId zone) {
        if (values.length != types.size()) {
            throw new SqlException(
                    SqlState.UNDEFINED_PARAMETER,
                    "the statement has "
                            + types.size()
                            + " parameters, and "
                            + values.length
                            + " values are given");
        }
        @Nullable Object[] converted = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            converted[i] = value == null ? null : converted(value, types.get(i), zone, i);
        }
        return converted;
    }

    private static Object converted(Object value, SqlType type, ZoneId zone, int index) {
        if (value instanceof String text && !type.isString()) {
            return TextParser.parse(text, type, zone);
        }
        Object converted =
                switch (type.kind()) {
                    case SMALLINT, INTEGER, BIGINT -> integer(value, type);
                    case DECIMAL -> decimal(value);
                    case REAL -> value instanceof Number number ? number.floatValue() : null;
                    case DOUBLE -> value instanceof Number number ? number.doubleValue() : null;
                    case CHAR, VARCHAR, TEXT, UNKNOWN -> text(value, zone);
                    case BOOLEAN -> value instanceof Boolean ? value : null;
                    case DATE -> value instanceof LocalDate ? value : null;
                    case TIME -> value instanceof LocalTime ? value : null;
                    case TIMESTAMP ->
                            value instanceof LocalDate date
                                    ? date.atStartOfDay()
                                    : value instanceof LocalDateTime ? value : null;
                    case TIMESTAMPTZ -> moment(value, zone);
                    case INTERVAL -> value instanceof Interval ? value : null;
                    case BYTEA ->
                            value instanceof byte[] bytes
                                    ? ByteString.of(bytes)
                                    : value instanceof ByteString ? value : null;
                    case UUID -> value instanceof UUID ? value : null;
                    case ARRAY -> array(value, type.element(), zone, index);
                };
        if (converted == null) {
            throw new SqlException(
                    SqlState.DATATYPE_MISMATCH,
                    "parameter $"
                            + (index + 1)
                            + " is of type "
                            + type.name()
                            + ", and the value is a "
                            + value.getClass().getSimpleName());
        }
        return converted;
    }

    /// Of a list, an array of objects, or one of SQL.
    private static @Nullable Object array(Object value, SqlType element, ZoneId zone, int index) {
        List<?> given =
                switch (value) {
                    case SqlArray array -> array.values();
                    case List<?> list -> list;
                    case Object[] objects -> Arrays.asList(objects);
                    default -> null;
                };
        if (given == null) {
            return null;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (Object each : given) {
            values.add(each == null ? null : converted(each, element, zone, index));
        }
        return new SqlArray(element, values);
    }

    private static @Nullable Object integer(Object value, SqlType type) {
        long number;
        switch (value) {
            case Long l -> number = l;
            case Integer i -> number = i;
            case Short s -> number = s;
            case Byte b -> number = b;
            case BigInteger big -> {
                if (big.bitLength() >= Long.SIZE) {
                    throw outOfRange(type);
                }
                number = big.longValue();
            }
            default -> {
                return null;
            }
        }
        int unused = type.kind() == SqlType.Kind.SMALLINT ? 48 : 32;
        if (type.kind() != SqlType.Kind.BIGINT && number << unused >> unused != number) {
            throw outOfRange(type);
        }
        return number;
    }

    private static SqlException outOfRange(SqlType type) {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, type.name() + " out of range");
    }

    private static @Nullable Object decimal(Object value) {
        return switch (value) {
            case BigDecimal number -> number;
            case BigInteger number -> new BigDecimal(number);
            case Double number -> BigDecimal.valueOf(number);
            case Float number -> new BigDecimal(number.toString());
            case Number number -> BigDecimal.valueOf(number.longValue());
            default -> null;
        };
    }

    private static @Nullable Object moment(Object value, ZoneId zone) {
        Instant moment =
                switch (value) {
                    case Instant instant -> instant;
                    case OffsetDateTime time -> time.toInstant();
                    case ZonedDateTime time -> time.toInstant();
                    case LocalDateTime time -> TimeZones.instant(time, zone);
                    case LocalDate date -> TimeZones.instant(date.atStartOfDay(), zone);
                    default -> null;
                };
        return moment == null ? null : moment.truncatedTo(ChronoUnit.MICROS);
    }

    private static @Nullable Object text(Object value, ZoneId zone) {
        return switch (value) {
            case String text -> text;
            case Character c -> c.toString();
            case Boolean truth -> TextFormat.format(truth, SqlType.BOOLEAN);
            case Number number -> number.toString();
            case LocalDate date -> TextFormat.format(date, SqlType.DATE);
            case LocalTime time -> TextFormat.format(time, SqlType.TIME);
            case LocalDateTime time -> TextFormat.format(time, SqlType.TIMESTAMP);
            case Instant moment -> TextFormat.format(moment, SqlType.TIMESTAMPTZ, zone);
            case UUID id -> id.toString();
            default -> null;
        };
    }
}
