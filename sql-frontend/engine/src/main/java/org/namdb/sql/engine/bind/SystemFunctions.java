package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SystemCatalog;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Functions and types by which clients read the system's catalog: objects have numbers there, and
/// these give their names and definitions.
final class SystemFunctions {
    private static final Set<String> TYPES =
            Set.of(
                    "oid",
                    "xid",
                    "int2vector",
                    "oidvector",
                    "name",
                    "regclass",
                    "regtype",
                    "regnamespace",
                    "regrole",
                    "regproc",
                    "regprocedure",
                    "regoper");

    /// Those whose first argument is a sequence.
    private static final Set<String> OF_SEQUENCES =
            Set.of("nextval", "currval", "setval", "pg_sequence_last_value");

    private static final Set<String> WITH_EFFECTS =
            Set.of("setval", "pg_cancel_backend", "pg_terminate_backend");

    private SystemFunctions() {}

    /// The arguments of a call; a cast of a sequence's name to regclass is left out: these
    /// functions look the name up themselves, and a plan that does so depends on all tables. A
    /// temporary sequence hides a permanent one of its name.
    static List<Expression> arguments(Expression.Call call, BindContext context) {
        if (!OF_SEQUENCES.contains(call.function().text()) || call.arguments().isEmpty()) {
            return call.arguments();
        }
        Expression first = call.arguments().getFirst();
        boolean isCast =
                first instanceof Expression.Cast cast && cast.type().name().equals("regclass");
        Expression sequence = isCast ? ((Expression.Cast) first).operand() : first;
        if (!(sequence instanceof Expression.Literal literal)
                || literal.kind() != Expression.Literal.Kind.STRING) {
            return call.arguments();
        }
        String name = SessionSequences.name(literal.text());
        String meant = context.resolve(name);
        ViewNames view = context.viewNames();
        if (view != null) {
            view.sequence(meant);
        }
        List<Expression> arguments = new ArrayList<>(call.arguments());
        arguments.set(
                0,
                meant.equals(name)
                        ? literal
                        : new Expression.Literal(
                                literal.kind(), Keywords.quoted(meant), literal.position()));
        return arguments;
    }

    /// A call of a function whose first argument is a sequence's number.
    private static Scalar ofSequence(String name, List<Scalar> arguments, BindContext context) {
        Map<Long, String> names = context.system().relationNames();
        Scalar sequence =
                Functions.of(
                        name,
                        SqlType.TEXT,
                        oid -> {
                            String known = names.get((Long) oid);
                            if (known == null) {
                                throw new SqlException(
                                        SqlState.UNDEFINED_TABLE,
                                        "could not open relation with OID " + oid);
                            }
                            return '"' + known.replace("\"", "\"\"") + '"';
                        },
                        Casts.explicit(arguments.getFirst(), SqlType.BIGINT));
        List<Scalar> named = new ArrayList<>(arguments);
        named.set(0, sequence);
        return Functions.call(name, named);
    }

    /// A call of one of them; null if the name is another one's.
    static @Nullable Scalar call(String name, List<Scalar> arguments, BindContext context) {
        if (name.startsWith("pg_advisory_")
                || name.startsWith("pg_try_advisory_")
                || name.equals("set_config")) {
            context.noteSessionChange();
        }
        if (arguments.isEmpty()) {
            return null;
        }
        if (WITH_EFFECTS.contains(name)) {
            context.noteEffect();
        }
        Scalar first = arguments.getFirst();
        if (OF_SEQUENCES.contains(name) && first.type().isNumeric()) {
            return ofSequence(name, arguments, context);
        }
        return switch (name) {
            case "pg_get_serial_sequence" ->
                    arguments.size() != 2
                            ? null
                            : Functions.of(
                                    name,
                                    SqlType.TEXT,
                                    names ->
                                            context.system()
                                                    .sequences()
                                                    .serial((String) names[0], (String) names[1]),
                                    List.of(
                                            Casts.implicit(first, SqlType.TEXT),
                                            Casts.implicit(arguments.get(1), SqlType.TEXT)));
            case "pg_get_indexdef" ->
                    isWhole(arguments)
                            ? lookup(name, first, context.system().indexDefinitions())
                            : Functions.of(
                                    name,
                                    SqlType.TEXT,
                                    key -> context.system().indexColumns().get((String) key),
                                    Functions.call(
                                            "concat_ws",
                                            List.of(
                                                    new ConstantScalar(".", SqlType.TEXT),
                                                    first,
                                                    arguments.get(1))));
            case "pg_get_constraintdef" ->
                    lookup(name, first, context.system().constraintDefinitions());
            case "pg_get_viewdef" ->
                    lookup(
                            name,
                            first.type().isNumeric() ? first : relation(first, context.system()),
                            context.system().viewDefinitions());
            case "format_type" ->
                    arguments.size() == 2
                                    && arguments.get(1) instanceof ConstantScalar modifier
                                    && modifier.value() == null
                            ? Functions.call(
                                    name, List.of(first, new ConstantScalar(-1L, SqlType.INTEGER)))
                            : null;
            case "to_regclass" ->
                    Functions.of(
                            name,
                            SqlType.BIGINT,
                            text -> context.system().relationOid((String) text),
                            Casts.implicit(first, SqlType.TEXT));
            case "col_description" ->
                    arguments.size() != 2
                            ? null
                            : Functions.of(
                                    name,
                                    SqlType.TEXT,
                                    values ->
                                            context.system()
                                                    .comments()
                                                    .onColumn((Long) values[0], (Long) values[1]),
                                    List.of(
                                            Casts.implicit(first, SqlType.BIGINT),
                                            Casts.implicit(arguments.get(1), SqlType.BIGINT)));
            case "obj_description" ->
                    arguments.size() > 2
                            ? null
                            : Functions.of(
                                    name,
                                    SqlType.TEXT,
                                    values ->
                                            context.system()
                                                    .comments()
                                                    .onObject(
                                                            (Long) values[0],
                                                            values.length == 1
                                                                    ? null
                                                                    : (String) values[1]),
                                    arguments.size() == 1
                                            ? List.of(Casts.implicit(first, SqlType.BIGINT))
                                            : List.of(
                                                    Casts.implicit(first, SqlType.BIGINT),
                                                    Casts.implicit(
                                                            arguments.get(1), SqlType.TEXT)));
            case "pg_get_function_result" ->
                    lookup(name, first, context.system().routines().results());
            case "pg_get_function_arguments", "pg_get_function_identity_arguments" ->
                    lookup(name, first, context.system().routines().arguments());
            case "pg_get_functiondef" ->
                    lookup(name, first, context.system().routines().definitions());
            case "pg_get_userbyid" -> lookup(name, first, context.system().roles().names());
            default -> RightsFunctions.call(name, arguments, context);
        };
    }

    /// Whether the definition of a whole index is queried, and not of one of its columns.
    private static boolean isWhole(List<Scalar> arguments) {
        return arguments.size() == 1
                || arguments.get(1) instanceof ConstantScalar column
                        && Long.valueOf(0).equals(column.value());
    }

    /// Whether a type is one of the system's catalog, which only casts may name.
    static boolean isType(String name) {
        return TYPES.contains(name);
    }

    /// The type of an array, of the system's catalog, too.
    static SqlType arrayType(TypeName type) {
        String element = type.name().substring(0, type.name().length() - 2);
        if (!isType(element)) {
            return SqlType.named(type);
        }
        boolean isNumber = element.equals("oid") || element.equals("xid");
        return SqlType.arrayOf(isNumber ? SqlType.OID : SqlType.TEXT);
    }

    /// A cast to one of the types of the system's catalog; null for other types.
    static @Nullable Scalar cast(Scalar operand, TypeName type, BindContext context) {
        if (type.name().endsWith("[]")) {
            SqlType array = arrayType(type);
            boolean isVector =
                    array.element().equals(SqlType.SMALLINT)
                            && operand instanceof ColumnScalar
                            && operand.type().kind() == SqlType.Kind.TEXT;
            return isVector
                    ? Casts.explicit(Functions.call("vector_text", List.of(operand)), array)
                    : Casts.explicit(operand, array);
        }
        return switch (type.name()) {
            case "oid", "xid" -> Casts.explicit(operand, SqlType.OID);
            case "int2vector" -> vector(operand, SqlType.VECTOR);
            case "oidvector" -> vector(operand, SqlType.OID_VECTOR);
            case "name" -> Casts.explicit(operand, SqlType.TEXT);
            case "regclass" -> {
                SystemCatalog system = context.system();
                yield operand.type().isNumeric()
                        ? lookup("regclass", operand, system.shownNames())
                        : relation(operand, system);
            }
            case "regtype" ->
                    operand.type().isNumeric()
                            ? lookup("regtype", operand, SystemCatalog.typeNames())
                            : named(operand, SystemCatalog.typeNames(), "type");
            case "regnamespace" ->
                    operand.type().isNumeric()
                            ? lookup("regnamespace", operand, context.system().namespaces())
                            : named(operand, context.system().namespaces(), "schema");
            case "regrole" ->
                    operand.type().isNumeric()
                            ? lookup("regrole", operand, context.system().roles().names())
                            : named(operand, context.system().roles().names(), "role");
            case "regproc", "regprocedure", "regoper" ->
                    operand.type().isNumeric()
                            ? lookup(type.name(), operand, Map.of())
                            : Functions.call(
                                    "replace",
                                    List.of(
                                            operand,
                                            new ConstantScalar("pg_catalog.", SqlType.TEXT),
                                            new ConstantScalar("", SqlType.TEXT)));
            default -> null;
        };
    }

    /// Whether a type is that of the names of functions and procedures.
    static boolean isRoutine(TypeName type) {
        return type.name().equals("regproc") || type.name().equals("regprocedure");
    }

    /// `'transfer'::regproc::oid`: the number of a routine that users have made.
    static Scalar routineOid(Scalar operand, BindContext context) {
        if (operand.type().isNumeric()) {
            return Casts.explicit(operand, SqlType.OID);
        }
        SystemCatalog system = context.system();
        return Functions.of(
                "regproc",
                SqlType.OID,
                text -> {
                    String given = ((String) text).replace("\"", "");
                    String name = given.replaceAll("^public\\.|\\(.*", "").strip();
                    Long oid = system.routines().oid(name);
                    if (oid == null) {
                        throw new SqlException(
                                SqlState.UNDEFINED_FUNCTION,
                                "function \"" + given + "\" does not exist");
                    }
                    return oid;
                },
                Casts.implicit(operand, SqlType.TEXT));
    }

    /// Numbers with blanks between them, which are written with one blank each.
    private static Scalar vector(Scalar operand, SqlType type) {
        SqlType given = operand.type();
        if (given.equals(type)) {
            return operand;
        }
        if (given.isVector() || !given.isString() && !given.isUnknown()) {
            throw Casts.impossible(given, type);
        }
        SqlType element = type.arrayOfVector().element();
        return Functions.of(
                type.name(),
                type,
                text ->
                        Arrays.stream(((String) text).split(" +"))
                                .filter(each -> !each.isEmpty())
                                .map(each -> TextParser.parse(each, element).toString())
                                .collect(Collectors.joining(" ")),
                Casts.implicit(operand, SqlType.TEXT));
    }

    /// The text that an object's number stands for: `-` for none, the number if it is unknown.
    private static Scalar lookup(String name, Scalar number, Map<Long, String> texts) {
        return Functions.of(
                name,
                SqlType.TEXT,
                key -> {
                    String text = texts.get((Long) key);
                    boolean isType = name.startsWith("reg");
                    return text != null || !isType ? text : key.equals(0L) ? "-" : key.toString();
                },
                Casts.implicit(Casts.explicit(number, SqlType.BIGINT), SqlType.BIGINT));
    }

    /// `'orders'::regclass`.
    private static Scalar relation(Scalar operand, SystemCatalog system) {
        return Functions.of(
                "regclass",
                SqlType.BIGINT,
                text -> {
                    String name = ((String) text).strip();
                    Long oid = system.relationOid(name.replace("\"", ""));
                    if (oid != null) {
                        return oid;
                    }
                    if (!name.isEmpty() && name.chars().allMatch(Character::isDigit)) {
                        return Long.valueOf(name);
                    }
                    throw new SqlException(
                            SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
                },
                Casts.implicit(operand, SqlType.TEXT));
    }

    private static Scalar named(Scalar operand, Map<Long, String> names, String kind) {
        Map<String, Long> numbers = new TreeMap<>();
        names.forEach((number, name) -> numbers.put(name, number));
        return Functions.of(
                kind,
                SqlType.BIGINT,
                text -> {
                    Long number = numbers.get((String) text);
                    if (number == null) {
                        throw new SqlException(
                                SqlState.UNDEFINED_OBJECT,
                                kind + " \"" + text + "\" does not exist");
                    }
                    return number;
                },
                Casts.implicit(operand, SqlType.TEXT));
    }
}
