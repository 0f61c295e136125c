package org.namdb.sql.engine.expression.array;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.ValueOrder;

/// Functions and operators that take or give arrays of any type.
public final class ArrayFunctions {
    private static final Set<String> NAMES =
            Set.of(
                    "array_append",
                    "array_cat",
                    "array_dims",
                    "array_length",
                    "array_lower",
                    "array_ndims",
                    "array_position",
                    "array_positions",
                    "array_prepend",
                    "array_remove",
                    "array_replace",
                    "array_set",
                    "array_to_string",
                    "array_upper",
                    "cardinality",
                    "string_to_array");

    /// An element that is assigned may be so far behind the end of an array.
    private static final int MAX_GAP = 1 << 20;

    private ArrayFunctions() {}

    /// The names of the functions.
    public static Set<String> names() {
        return NAMES;
    }

    /// A call of a function; null if there is none of this name for these arguments.
    public static @Nullable Scalar call(String name, List<Scalar> arguments) {
        if (!NAMES.contains(name)) {
            return null;
        }
        if (name.equals("string_to_array")) {
            return stringToArray(arguments);
        }
        if (name.equals("array_prepend")) {
            return arguments.size() == 2 ? prepend(arguments.get(0), arguments.get(1)) : null;
        }
        if (!arguments.isEmpty() && arguments.getFirst().type().isVector()) {
            return VectorFunctions.call(name, arguments);
        }
        if (arguments.isEmpty() || !arguments.getFirst().type().isArray()) {
            if (name.equals("array_set") && arguments.size() == 3) {
                throw notSubscripted(arguments.getFirst().type());
            }
            boolean isCat = name.equals("array_cat") && arguments.size() == 2;
            return isCat ? concatenation(arguments.get(0), arguments.get(1)) : null;
        }
        Scalar array = arguments.getFirst();
        return switch (name + arguments.size()) {
            case "cardinality1" -> of(name, SqlType.INTEGER, arguments, v -> size(v[0]));
            case "array_ndims1" ->
                    of(name, SqlType.INTEGER, arguments, v -> isEmpty(v[0]) ? null : 1L);
            case "array_dims1" ->
                    of(
                            name,
                            SqlType.TEXT,
                            arguments,
                            v -> isEmpty(v[0]) ? null : "[1:" + array(v[0]).values().size() + "]");
            case "array_length2", "array_upper2" ->
                    ofDimension(name, arguments, a -> (long) a.values().size());
            case "array_lower2" -> ofDimension(name, arguments, _ -> 1L);
            case "array_to_string2", "array_to_string3" -> toText(name, arguments);
            case "array_append2" -> append(array, arguments.get(1));
            case "array_cat2" -> concatenation(array, arguments.get(1));
            case "array_position2", "array_position3" -> position(name, arguments);
            case "array_positions2" -> positions(name, arguments);
            case "array_remove2", "array_replace3" -> replace(name, arguments);
            case "array_set3" -> withElement(array, arguments.get(1), arguments.get(2));
            default -> null;
        };
    }

    /// That values of a type have no elements.
    public static SqlException notSubscripted(SqlType type) {
        return new SqlException(
                SqlState.DATATYPE_MISMATCH,
                "cannot subscript type "
                        + type.name()
                        + " because it does not support subscripting");
    }

    /// The element of an array of a number; NULL if there is none.
    ///
    /// @throws SqlException 42804 if either is none
    public static Scalar subscript(Scalar array, Scalar index) {
        return of(
                "array_subscript",
                array.type().element(),
                List.of(array, Casts.implicit(index, SqlType.INTEGER)),
                v -> array(v[0]).at((Long) v[1]));
    }

    /// An array with another value for one element; with NULLs between where it is behind the end.
    private static Scalar withElement(Scalar array, Scalar index, Scalar value) {
        SqlType element = array.type().element();
        return nullable(
                "array_set",
                array.type(),
                List.of(
                        array,
                        Casts.implicit(index, SqlType.INTEGER),
                        Casts.assignment(value, element, "array element")),
                v -> {
                    if (!(v[1] instanceof Long number)) {
                        throw new SqlException(
                                SqlState.NULL_VALUE_NOT_ALLOWED,
                                "array subscript in assignment must not be null");
                    }
                    List<@Nullable Object> values =
                            new ArrayList<>(v[0] == null ? List.of() : array(v[0]).values());
                    if (number < 1) {
                        throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "elements of arrays are numbered from 1, not from " + number);
                    }
                    if (number - values.size() > MAX_GAP) {
                        throw new SqlException(
                                SqlState.PROGRAM_LIMIT_EXCEEDED,
                                "element " + number + " is too far behind the end of the array");
                    }
                    while (values.size() < number) {
                        values.add(null);
                    }
                    values.set((int) (number - 1), v[2]);
                    return new SqlArray(element, values);
                });
    }

    /// The elements from one number to another, as an array of its own.
    ///
    /// @param lower null for the first element
    /// @param upper null for the last one
    /// @throws SqlException 42804 if a number is none
    public static Scalar slice(Scalar array, @Nullable Scalar lower, @Nullable Scalar upper) {
        Scalar first = lower == null ? new ConstantScalar(1L, SqlType.INTEGER) : lower;
        Scalar last =
                upper == null
                        ? new ConstantScalar((long) Integer.MAX_VALUE, SqlType.INTEGER)
                        : upper;
        return of(
                "array_slice",
                array.type(),
                List.of(
                        array,
                        Casts.implicit(first, SqlType.INTEGER),
                        Casts.implicit(last, SqlType.INTEGER)),
                v -> {
                    int from = (int) Math.max((Long) v[1], 1) - 1;
                    int to = (int) Math.min((Long) v[2], size(v[0]));
                    SqlArray all = array(v[0]);
                    return new SqlArray(
                            all.element(), from < to ? all.values().subList(from, to) : List.of());
                });
    }

    /// `||` with an array on a side; null if the types don't go together.
    public static @Nullable Scalar concatenation(Scalar left, Scalar right) {
        boolean isLeft = left.type().isArray();
        boolean isRight = right.type().isArray();
        if (isLeft && !isRight && !right.type().isUnknown()) {
            return append(left, right);
        }
        if (isRight && !isLeft && !left.type().isUnknown()) {
            return prepend(left, right);
        }
        if (!isLeft && !isRight) {
            return null;
        }
        SqlType type = common(isLeft ? left : right, isRight ? right : left);
        return type == null
                ? null
                : nullable(
                        "array_cat",
                        type,
                        List.of(Casts.implicit(left, type), Casts.implicit(right, type)),
                        v -> v[0] == null ? v[1] : v[1] == null ? v[0] : joined(v[0], v[1]));
    }

    /// `@>`, `<@` and `&&`; null if the types don't go together.
    public static @Nullable Scalar operator(String operator, Scalar left, Scalar right) {
        SqlType type = left.type().isArray() ? left.type() : right.type();
        boolean goTogether = type.isArray() && isOrUnknown(left, type) && isOrUnknown(right, type);
        if (!goTogether) {
            return null;
        }
        List<Scalar> sides = List.of(Casts.implicit(left, type), Casts.implicit(right, type));
        return of(
                operator,
                SqlType.BOOLEAN,
                sides,
                switch (operator) {
                    case "@>" -> v -> contains(array(v[0]), array(v[1]));
                    case "<@" -> v -> contains(array(v[1]), array(v[0]));
                    default -> v -> overlaps(array(v[0]), array(v[1]));
                });
    }

    private static boolean isOrUnknown(Scalar side, SqlType type) {
        return side.type().isUnknown()
                || side.type().isArray() && side.type().element().kind() == type.element().kind();
    }

    private static Set<Object> keys(SqlArray array) {
        ValueOrder order = ValueOrder.of(array.element());
        Set<Object> keys = new HashSet<>();
        for (Object value : array.values()) {
            if (value != null) {
                keys.add(order.key(value));
            }
        }
        return keys;
    }

    private static boolean contains(SqlArray all, SqlArray some) {
        return !some.values().contains(null) && keys(all).containsAll(keys(some));
    }

    private static boolean overlaps(SqlArray one, SqlArray other) {
        Set<Object> shared = keys(one);
        shared.retainAll(keys(other));
        return !shared.isEmpty();
    }

    private static @Nullable Scalar append(Scalar array, Scalar element) {
        SqlType type = withElement(array, element);
        return type == null
                ? null
                : nullable(
                        "array_append",
                        type,
                        List.of(
                                Casts.implicit(array, type),
                                Casts.implicit(element, type.element())),
                        v -> joined(v[0], one(type, v[1])));
    }

    private static @Nullable Scalar prepend(Scalar element, Scalar array) {
        SqlType type = withElement(array, element);
        return type == null
                ? null
                : nullable(
                        "array_prepend",
                        type,
                        List.of(
                                Casts.implicit(element, type.element()),
                                Casts.implicit(array, type)),
                        v -> joined(one(type, v[0]), v[1]));
    }

    private static SqlArray one(SqlType type, @Nullable Object value) {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(value);
        return new SqlArray(type.element(), values);
    }

    /// NULL is an array without elements.
    private static SqlArray joined(@Nullable Object first, @Nullable Object second) {
        SqlArray known = array(first == null ? second : first);
        List<@Nullable Object> values = new ArrayList<>();
        for (Object each : new @Nullable Object[] {first, second}) {
            if (each != null) {
                values.addAll(array(each).values());
            }
        }
        return new SqlArray(known.element(), values);
    }

    private static @Nullable Scalar position(String name, List<Scalar> arguments) {
        SqlType type = withElement(arguments.get(0), arguments.get(1));
        if (type == null) {
            return null;
        }
        List<Scalar> values = cast(arguments, type, type.element());
        if (arguments.size() == 3) {
            values.add(Casts.implicit(arguments.get(2), SqlType.INTEGER));
        }
        return nullable(
                name,
                SqlType.INTEGER,
                values,
                v -> {
                    if (v[0] == null) {
                        return null;
                    }
                    long from = v.length < 3 || v[2] == null ? 1 : (Long) v[2];
                    return places(array(v[0]), v[1]).stream()
                            .filter(place -> place >= from)
                            .findFirst()
                            .orElse(null);
                });
    }

    private static @Nullable Scalar positions(String name, List<Scalar> arguments) {
        SqlType type = withElement(arguments.get(0), arguments.get(1));
        return type == null
                ? null
                : nullable(
                        name,
                        SqlType.arrayOf(SqlType.INTEGER),
                        cast(arguments, type, type.element()),
                        v ->
                                v[0] == null
                                        ? null
                                        : new SqlArray(SqlType.INTEGER, places(array(v[0]), v[1])));
    }

    /// The numbers of the elements that are not distinct from a value.
    private static List<Long> places(SqlArray array, @Nullable Object value) {
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < array.values().size(); i++) {
            if (isSame(array, array.values().get(i), value)) {
                places.add(i + 1L);
            }
        }
        return places;
    }

    private static boolean isSame(SqlArray array, @Nullable Object a, @Nullable Object b) {
        return a == null || b == null
                ? a == null && b == null
                : ValueOrder.of(array.element()).isEqual(a, b);
    }

    /// An array without an element, or with another in its place.
    private static @Nullable Scalar replace(String name, List<Scalar> arguments) {
        SqlType type = withElement(arguments.get(0), arguments.get(1));
        if (type == null) {
            return null;
        }
        List<Scalar> values = cast(arguments, type, type.element());
        if (arguments.size() == 3) {
            values.add(Casts.implicit(arguments.get(2), type.element()));
        }
        return nullable(
                name,
                type,
                values,
                v -> {
                    if (v[0] == null) {
                        return null;
                    }
                    List<@Nullable Object> kept = new ArrayList<>();
                    for (Object each : array(v[0]).values()) {
                        if (!isSame(array(v[0]), each, v[1])) {
                            kept.add(each);
                        } else if (v.length == 3) {
                            kept.add(v[2]);
                        }
                    }
                    return new SqlArray(type.element(), kept);
                });
    }

    private static List<Scalar> cast(List<Scalar> arguments, SqlType first, SqlType second) {
        List<Scalar> values = new ArrayList<>();
        values.add(Casts.implicit(arguments.get(0), first));
        values.add(Casts.implicit(arguments.get(1), second));
        return values;
    }

    /// The texts of the elements that are not NULL, and those of NULLs where one is given.
    private static Scalar toText(String name, List<Scalar> arguments) {
        SqlType element = arguments.getFirst().type().element();
        List<Scalar> values = new ArrayList<>(arguments);
        values.set(1, Casts.implicit(arguments.get(1), SqlType.TEXT));
        if (arguments.size() == 3) {
            values.set(2, Casts.implicit(arguments.get(2), SqlType.TEXT));
        }
        boolean isZoned = element.kind() == Kind.TIMESTAMPTZ;
        return new ArrayCall(
                name,
                SqlType.TEXT,
                isZoned ? Volatility.STABLE : Volatility.IMMUTABLE,
                values,
                (frame, v) -> {
                    if (v[0] == null || v[1] == null) {
                        return null;
                    }
                    ZoneId zone = isZoned ? frame.environment().zone() : ZoneOffset.UTC;
                    List<String> texts = new ArrayList<>();
                    for (Object value : array(v[0]).values()) {
                        if (value != null) {
                            texts.add(TextFormat.format(value, element, zone));
                        } else if (v.length == 3 && v[2] != null) {
                            texts.add((String) v[2]);
                        }
                    }
                    return String.join((String) v[1], texts);
                });
    }

    private static @Nullable Scalar stringToArray(List<Scalar> arguments) {
        boolean areTexts =
                arguments.stream().allMatch(a -> Casts.isImplicit(a.type(), SqlType.TEXT));
        if (arguments.size() < 2 || arguments.size() > 3 || !areTexts) {
            return null;
        }
        return nullable(
                "string_to_array",
                SqlType.arrayOf(SqlType.TEXT),
                arguments.stream().map(a -> Casts.implicit(a, SqlType.TEXT)).toList(),
                v -> {
                    if (v[0] == null) {
                        return null;
                    }
                    List<@Nullable Object> parts = new ArrayList<>();
                    for (String part : split((String) v[0], (String) v[1])) {
                        parts.add(v.length == 3 && part.equals(v[2]) ? null : part);
                    }
                    return new SqlArray(SqlType.TEXT, parts);
                });
    }

    /// @param delimiter null: each character is a part; empty: all is one
    private static List<String> split(String text, @Nullable String delimiter) {
        if (text.isEmpty()) {
            return List.of();
        }
        if (delimiter == null) {
            return text.codePoints().mapToObj(Character::toString).toList();
        }
        if (delimiter.isEmpty()) {
            return List.of(text);
        }
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
            parts.add(text.substring(from, at));
            from = at + delimiter.length();
        }
        parts.add(text.substring(from));
        return parts;
    }

    private static Scalar ofDimension(
            String name, List<Scalar> arguments, Function<SqlArray, Long> value) {
        return of(
                name,
                SqlType.INTEGER,
                List.of(arguments.get(0), Casts.implicit(arguments.get(1), SqlType.INTEGER)),
                v -> (Long) v[1] != 1 || isEmpty(v[0]) ? null : value.apply(array(v[0])));
    }

    private static boolean isEmpty(@Nullable Object array) {
        return array(array).values().isEmpty();
    }

    private static long size(@Nullable Object array) {
        return array(array).values().size();
    }

    static SqlArray array(@Nullable Object value) {
        return (SqlArray) Objects.requireNonNull(value);
    }

    /// The type of an array to which an element is added; null if there is none.
    private static @Nullable SqlType withElement(Scalar array, Scalar element) {
        if (!array.type().isArray() || element.type().isArray()) {
            return null;
        }
        return commonOf(new ConstantScalar(null, array.type().element()), element);
    }

    private static @Nullable SqlType common(Scalar left, Scalar right) {
        return commonOf(
                new ConstantScalar(null, left.type().element()),
                new ConstantScalar(null, right.type().element()));
    }

    private static @Nullable SqlType commonOf(Scalar a, Scalar b) {
        try {
            return SqlType.arrayOf(Casts.commonType("ARRAY", List.of(a, b)).unbounded());
        } catch (SqlException _) {
            return null;
        }
    }

    /// A function that gives NULL if an argument is NULL.
    static Scalar of(
            String name,
            SqlType type,
            List<Scalar> arguments,
            Function<@Nullable Object[], @Nullable Object> body) {
        return nullable(
                name,
                type,
                arguments,
                values -> {
                    for (Object value : values) {
                        if (value == null) {
                            return null;
                        }
                    }
                    return body.apply(values);
                });
    }

    private static Scalar nullable(
            String name,
            SqlType type,
            List<Scalar> arguments,
            Function<@Nullable Object[], @Nullable Object> body) {
        return new ArrayCall(
                name, type, Volatility.IMMUTABLE, arguments, (_, values) -> body.apply(values));
    }
}
