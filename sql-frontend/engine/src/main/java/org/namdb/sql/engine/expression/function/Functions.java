package org.namdb.sql.engine.expression.function;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Environment;
import org.namdb.sql.engine.expression.NearestName;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.array.ArrayFunctions;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.engine.expression.text.ConcatScalar;
import org.namdb.sql.engine.expression.text.JsonObjectScalar;
import org.namdb.sql.engine.expression.text.PaddedScalar;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The functions that expressions can call. Aggregates are a package of their own.
public final class Functions {
    private static final String VERSION = "NamDB 0.1.0, with the SQL dialect of PostgreSQL 15";

    /// There is one database.
    private static final List<String> NAMES_OF_DATABASE =
            List.of("current_catalog", "current_database");

    private static final List<String> NAMES_OF_USER =
            List.of("current_user", "user", "current_role");

    private static final FunctionTable TABLE = table();

    /// Those of [#special] that are called like others.
    private static final List<String> SPECIAL =
            List.of(
                    "coalesce",
                    "concat",
                    "concat_ws",
                    "format",
                    "greatest",
                    "json_build_object",
                    "least",
                    "nullif",
                    "octet_length",
                    "overlaps",
                    "pg_typeof",
                    "quote_nullable");

    private Functions() {}

    private static FunctionTable table() {
        FunctionTable table = new FunctionTable();
        StringFunctions.addTo(table);
        PatternFunctions.addTo(table);
        PaddingFunctions.addTo(table);
        BinaryFunctions.addTo(table);
        MathFunctions.addTo(table);
        DoubleFunctions.addTo(table);
        DatetimeFunctions.addTo(table);
        FormatFunctions.addTo(table);
        table.add("version", SqlType.TEXT, Volatility.STABLE, (_, _) -> VERSION);
        for (String name : NAMES_OF_DATABASE) {
            table.add(name, SqlType.TEXT, Volatility.STABLE, (_, _) -> "namdb");
        }
        for (String name : NAMES_OF_USER) {
            table.add(
                    name,
                    SqlType.TEXT,
                    Volatility.STABLE,
                    (frame, _) -> frame.environment().session().currentUser());
        }
        table.add(
                "session_user",
                SqlType.TEXT,
                Volatility.STABLE,
                (frame, _) -> frame.environment().session().sessionUser());
        SystemTableFunctions.addTo(table);
        table.add("current_schema", SqlType.TEXT, Volatility.STABLE, (_, _) -> "public");
        table.add(
                "gen_random_uuid",
                SqlType.UUID,
                Volatility.VOLATILE,
                (frame, _) -> randomUuid(frame.environment()));
        return table;
    }

    /// The names of all functions, sorted.
    public static SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>(TABLE.names());
        names.addAll(SPECIAL);
        names.addAll(ArrayFunctions.names());
        return names;
    }

    /// Whether there is a function of this name.
    public static boolean isFunction(String name) {
        return SPECIAL.contains(name)
                || ArrayFunctions.names().contains(name)
                || TABLE.names().contains(name);
    }

    /// Whether a function's value is an array with a row for each element.
    public static boolean givesRows(String name) {
        return PatternFunctions.GIVING_ROWS.contains(name);
    }

    /// A call of a function by name.
    ///
    /// @param name in lower case
    /// @throws SqlException 42883 if there is none of this name for these arguments
    public static Scalar call(String name, List<Scalar> arguments) {
        Scalar special = special(name, arguments);
        if (special == null) {
            special = ArrayFunctions.call(name, arguments);
        }
        if (special != null) {
            return special;
        }
        if (name.equals("octet_length") && isOneCharacter(arguments)) {
            return call(name, List.of(new PaddedScalar(arguments.getFirst())));
        }
        List<SqlType> types = arguments.stream().map(Scalar::type).toList();
        FunctionSignature function = TABLE.find(name, types);
        if (function == null) {
            throw names().contains(name) ? undefined(name, arguments) : unknown(name, arguments);
        }
        List<Scalar> values = new ArrayList<>(arguments.size());
        for (int i = 0; i < arguments.size(); i++) {
            values.add(Casts.implicit(arguments.get(i), function.parameters().get(i)));
        }
        return new FunctionScalar(function, values);
    }

    /// Of CHAR the blanks at its end have their bytes, too.
    private static boolean isOneCharacter(List<Scalar> arguments) {
        return arguments.size() == 1 && arguments.getFirst().type().kind() == SqlType.Kind.CHAR;
    }

    /// `a ~ b`, and with `!` and `*`: whether a text has a part that a regular expression matches.
    public static Scalar matches(String operator, Scalar text, Scalar pattern) {
        String name = operator.endsWith("*") ? "texticregexeq" : "textregexeq";
        Scalar matches = call(name, List.of(text, pattern));
        return operator.startsWith("!") ? Logic.not(matches) : matches;
    }

    /// An operator before its operand, of which some are functions.
    ///
    /// @throws SqlException 42883 if there is none for its type
    public static Scalar unary(String operator, Scalar operand) {
        return switch (operator) {
            case "|/" -> call("dsqrt", List.of(operand));
            case "||/" -> call("dcbrt", List.of(operand));
            case "@" -> call("abs", List.of(operand));
            default -> Operators.unary(operator, operand);
        };
    }

    /// A function of one argument that is made for one statement; NULL for NULL.
    public static Scalar of(
            String name, SqlType result, Function<Object, @Nullable Object> body, Scalar argument) {
        FunctionSignature function =
                new FunctionSignature(
                        name,
                        result,
                        List.of(argument.type()),
                        Volatility.STABLE,
                        (_, arguments) -> body.apply(arguments[0]));
        return new FunctionScalar(function, List.of(argument));
    }

    /// What a session does with the sequence of a name, each time anew.
    ///
    /// @param body gets the session's sequences, and the name
    public static Scalar ofSequence(
            String function,
            SqlType result,
            BiFunction<SessionSequences, String, @Nullable Object> body,
            String sequence) {
        FunctionSignature signature =
                new FunctionSignature(
                        function,
                        result,
                        List.of(SqlType.TEXT),
                        Volatility.VOLATILE,
                        (frame, values) ->
                                body.apply(
                                        frame.environment().session().sequences(),
                                        (String) values[0]));
        return new FunctionScalar(signature, List.of(new ConstantScalar(sequence, SqlType.TEXT)));
    }

    /// The next value of the sequence of an identity column.
    public static Scalar identity(String sequence) {
        return ofSequence("nextval", SqlType.BIGINT, SessionSequences::nextIdentity, sequence);
    }

    /// A call of a function of several arguments that is not in the table; NULL if one of them is.
    public static Scalar of(
            String name,
            SqlType result,
            Function<Object[], @Nullable Object> body,
            List<Scalar> arguments) {
        FunctionSignature function =
                new FunctionSignature(
                        name,
                        result,
                        arguments.stream().map(Scalar::type).toList(),
                        Volatility.STABLE,
                        (_, values) -> body.apply(values));
        return new FunctionScalar(function, arguments);
    }

    /// `EXTRACT(field FROM a)`.
    ///
    /// @param field in lower case
    public static Scalar extract(String field, Scalar operand) {
        return call("extract", List.of(new ConstantScalar(field, SqlType.TEXT), operand));
    }

    /// The error of a call of a name that has no function for these arguments.
    public static SqlException undefined(String name, List<Scalar> arguments) {
        return undefined(
                name,
                arguments,
                "No function matches the given name and argument types. You might need to add explicit type casts.");
    }

    /// The error of a call of a name that no function has: casts would not help.
    private static SqlException unknown(String name, List<Scalar> arguments) {
        String nearest = NearestName.hint(name, names());
        return undefined(name, arguments, nearest == null ? "No function has this name." : nearest);
    }

    private static SqlException undefined(String name, List<Scalar> arguments, String hint) {
        String types =
                arguments.stream().map(a -> a.type().name()).collect(Collectors.joining(", "));
        return new SqlException(
                        SqlState.UNDEFINED_FUNCTION,
                        "function " + name + "(" + types + ") does not exist")
                .withHint(hint);
    }

    /// Those that take arguments of any type, or NULL as a value.
    private static @Nullable Scalar special(String name, List<Scalar> arguments) {
        int count = arguments.size();
        return switch (name) {
            case "coalesce" -> count > 0 ? Logic.coalesce(arguments) : null;
            case "nullif" -> count == 2 ? Logic.nullIf(arguments.get(0), arguments.get(1)) : null;
            case "greatest" -> count > 0 ? Logic.greatest(arguments) : null;
            case "least" -> count > 0 ? Logic.least(arguments) : null;
            case "concat" -> count > 0 ? concat(arguments, ConcatScalar.Kind.CONCAT) : null;
            case "concat_ws" -> count > 1 ? withText(arguments, ConcatScalar.Kind.CONCAT_WS) : null;
            case "format" -> count > 0 ? withText(arguments, ConcatScalar.Kind.FORMAT) : null;
            case "quote_nullable" ->
                    count == 1 ? concat(arguments, ConcatScalar.Kind.QUOTE_NULLABLE) : null;
            case "overlaps" -> OverlapsScalar.of(arguments);
            case "json_build_object" ->
                    count % 2 == 0 ? new JsonObjectScalar(typed(arguments)) : null;
            // Of CHAR the blanks that fill it up count.
            case "octet_length" ->
                    count == 1 && arguments.getFirst().type().kind() == SqlType.Kind.CHAR
                            ? call(name, List.of(new PaddedScalar(arguments.getFirst())))
                            : null;
            case "pg_typeof" ->
                    count == 1
                            ? new ConstantScalar(arguments.getFirst().type().name(), SqlType.TEXT)
                            : null;
            default -> null;
        };
    }

    private static Scalar concat(List<Scalar> arguments, ConcatScalar.Kind kind) {
        return new ConcatScalar(typed(arguments), kind);
    }

    /// The same where the first argument is text.
    private static @Nullable Scalar withText(List<Scalar> arguments, ConcatScalar.Kind kind) {
        boolean isText = Casts.isImplicit(arguments.getFirst().type(), SqlType.TEXT);
        return isText ? concat(arguments, kind) : null;
    }

    /// What has no type is text.
    private static List<Scalar> typed(List<Scalar> operands) {
        return operands.stream()
                .map(o -> o.type().isUnknown() ? Casts.implicit(o, SqlType.TEXT) : o)
                .toList();
    }

    /// A UUID of version 4.
    private static UUID randomUuid(Environment environment) {
        long high = environment.nextRandom() & ~0xF000L | 0x4000L;
        long low = environment.nextRandom() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
