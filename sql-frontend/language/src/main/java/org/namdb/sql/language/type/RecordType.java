package org.namdb.sql.language.type;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A Java class as a row of SQL. A record's components are its columns: `int fromAccount` is
/// `from_account INTEGER`. A class of single values, as `Long` or `String`, is a row of one column,
/// and `Void` one of none. A column of a primitive type can't be NULL.
///
/// | Java | SQL |
/// |---|---|
/// | boolean, Boolean | BOOLEAN |
/// | short, Short; int, Integer; long, Long | SMALLINT; INTEGER; BIGINT |
/// | float, Float; double, Double | REAL; DOUBLE PRECISION |
/// | BigDecimal | NUMERIC |
/// | String | TEXT |
/// | LocalDate, LocalTime, LocalDateTime | DATE, TIME, TIMESTAMP |
/// | Instant, OffsetDateTime (in UTC) | TIMESTAMPTZ |
/// | byte\[\], [ByteString] | BYTEA |
/// | UUID, [Interval] | UUID, INTERVAL |
///
/// @param <T> the class
public final class RecordType<T> {
    private static final Map<Class<?>, SqlType> TYPES =
            Map.ofEntries(
                    Map.entry(Boolean.class, SqlType.BOOLEAN),
                    Map.entry(Short.class, SqlType.SMALLINT),
                    Map.entry(Integer.class, SqlType.INTEGER),
                    Map.entry(Long.class, SqlType.BIGINT),
                    Map.entry(Float.class, SqlType.REAL),
                    Map.entry(Double.class, SqlType.DOUBLE),
                    Map.entry(BigDecimal.class, SqlType.DECIMAL),
                    Map.entry(String.class, SqlType.TEXT),
                    Map.entry(LocalDate.class, SqlType.DATE),
                    Map.entry(LocalTime.class, SqlType.TIME),
                    Map.entry(LocalDateTime.class, SqlType.TIMESTAMP),
                    Map.entry(Instant.class, SqlType.TIMESTAMPTZ),
                    Map.entry(OffsetDateTime.class, SqlType.TIMESTAMPTZ),
                    Map.entry(byte[].class, SqlType.BYTEA),
                    Map.entry(ByteString.class, SqlType.BYTEA),
                    Map.entry(UUID.class, SqlType.UUID),
                    Map.entry(Interval.class, SqlType.INTERVAL));

    private static final Map<Class<?>, Class<?>> BOXES =
            Map.of(
                    boolean.class,
                    Boolean.class,
                    short.class,
                    Short.class,
                    int.class,
                    Integer.class,
                    long.class,
                    Long.class,
                    float.class,
                    Float.class,
                    double.class,
                    Double.class);

    private final Class<T> type;
    private final List<Column> columns;
    private final List<Class<?>> classes;

    /// Null for a class of single values.
    private final @Nullable Constructor<T> constructor;

    private final List<Method> accessors;

    /// A column.
    ///
    /// @param name as SQL writes it
    /// @param isNullable whether it may be NULL
    public record Column(String name, SqlType type, boolean isNullable) {}

    private RecordType(
            Class<T> type,
            List<Column> columns,
            List<Class<?>> classes,
            @Nullable Constructor<T> constructor,
            List<Method> accessors) {
        this.type = type;
        this.columns = List.copyOf(columns);
        this.classes = List.copyOf(classes);
        this.constructor = constructor;
        this.accessors = List.copyOf(accessors);
    }

    /// The columns of a class.
    ///
    /// @param name of the only column of a class of single values
    /// @throws IllegalArgumentException if it has a component that no type of SQL is for
    public static <T> RecordType<T> of(Class<T> type, String name) {
        if (type == Void.class) {
            return new RecordType<>(type, List.of(), List.of(), null, List.of());
        }
        if (!type.isRecord()) {
            Column column = new Column(name, sqlType(type, type.getName()), !type.isPrimitive());
            return new RecordType<>(type, List.of(column), List.of(type), null, List.of());
        }
        RecordComponent[] components = type.getRecordComponents();
        List<Column> columns = new ArrayList<>();
        List<Class<?>> classes = new ArrayList<>();
        List<Method> accessors = new ArrayList<>();
        for (RecordComponent component : components) {
            Class<?> each = component.getType();
            String place = type.getName() + "." + component.getName();
            columns.add(
                    new Column(
                            snakeCase(component.getName()),
                            sqlType(each, place),
                            !each.isPrimitive()));
            classes.add(each);
            accessors.add(component.getAccessor());
        }
        try {
            Constructor<T> constructor =
                    type.getDeclaredConstructor(classes.toArray(new Class<?>[0]));
            constructor.setAccessible(true);
            accessors.forEach(accessor -> accessor.setAccessible(true));
            return new RecordType<>(type, columns, classes, constructor, accessors);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its constructor: " + type, e);
        }
    }

    private static SqlType sqlType(Class<?> type, String place) {
        SqlType found = TYPES.get(BOXES.getOrDefault(type, type));
        if (found == null) {
            throw new IllegalArgumentException(
                    place
                            + " is of "
                            + type
                            + ", which is no type of SQL; there are boolean, short, int, long,"
                            + " float, double and their boxes, BigDecimal, String, LocalDate,"
                            + " LocalTime, LocalDateTime, Instant, OffsetDateTime, byte[], UUID"
                            + " and Interval");
        }
        return found;
    }

    /// A name of Java as one of SQL: `fromAccount` is `from_account`.
    public static String snakeCase(String name) {
        StringBuilder snake = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isUpper = Character.isUpperCase(c);
            boolean isStart =
                    i > 0
                            && (!Character.isUpperCase(name.charAt(i - 1))
                                    || i + 1 < name.length()
                                            && Character.isLowerCase(name.charAt(i + 1)));
            if (isUpper && isStart && name.charAt(i - 1) != '_') {
                snake.append('_');
            }
            snake.append(Character.toLowerCase(c));
        }
        return snake.toString();
    }

    /// The columns, in order.
    public List<Column> columns() {
        return columns;
    }

    /// Makes an object of a row.
    ///
    /// @param values of the columns' types, as SQL has them
    /// @throws SqlException 22004 if one is NULL that can't be
    public @Nullable T object(@Nullable Object[] values) {
        @Nullable Object[] given = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value == null && !columns.get(i).isNullable()) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "\"" + columns.get(i).name() + "\" can't be NULL");
            }
            given[i] = value == null ? null : ofSql(value, classes.get(i));
        }
        if (constructor == null) {
            return columns.isEmpty() ? null : cast(given[0]);
        }
        try {
            return constructor.newInstance(given);
        } catch (InvocationTargetException e) {
            throw thrown(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked") // Class.cast does not know primitive types
    private @Nullable T cast(@Nullable Object value) {
        return (T) value;
    }

    private static Object ofSql(Object value, Class<?> type) {
        return switch (value) {
            case Long number when type == int.class || type == Integer.class ->
                    Math.toIntExact(number);
            case Long number when type == short.class || type == Short.class -> number.shortValue();
            case ByteString bytes when type == byte[].class -> bytes.toByteArray();
            case Instant moment when type == OffsetDateTime.class ->
                    moment.atOffset(ZoneOffset.UTC);
            default -> value;
        };
    }

    /// The row that an object is, as SQL has it.
    ///
    /// @throws IllegalArgumentException if it is of another class
    public @Nullable Object[] row(@Nullable Object object) {
        @Nullable Object[] row = new @Nullable Object[columns.size()];
        if (constructor == null) {
            if (row.length == 1) {
                row[0] = toSql(object);
            }
            return row;
        }
        if (!type.isInstance(object)) {
            throw new IllegalArgumentException(
                    "a " + type.getName() + " is wanted, and this is " + object);
        }
        try {
            for (int i = 0; i < row.length; i++) {
                row[i] = toSql(accessors.get(i).invoke(object));
            }
        } catch (InvocationTargetException e) {
            throw thrown(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return row;
    }

    private static @Nullable Object toSql(@Nullable Object value) {
        return switch (value) {
            case Integer number -> (long) number;
            case Short number -> (long) number;
            case byte[] bytes -> ByteString.of(bytes);
            case Instant moment -> moment.truncatedTo(ChronoUnit.MICROS);
            case OffsetDateTime moment -> moment.toInstant().truncatedTo(ChronoUnit.MICROS);
            case null -> null;
            default -> value;
        };
    }

    private static RuntimeException thrown(InvocationTargetException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException(e.getCause());
    }
}
