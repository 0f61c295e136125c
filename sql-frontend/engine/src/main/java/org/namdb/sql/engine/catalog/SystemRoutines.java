package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.ast.RoutineStatement.Parameter;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.parser.SqlWriter;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// `pg_proc`, `pg_language`, and the texts of a routine that clients query.
public final class SystemRoutines {
    private static final int PUBLIC_NAMESPACE = 2200;
    private static final long LANGUAGE = 13_600;
    private static final long SQL = 14;
    private static final long JAVA = 13_601;

    /// A function that stands in FROM as a relation does.
    public static final String KEYWORDS = "pg_get_keywords";

    private static final int VOID = 2278;
    private static final int RECORD = 2249;

    private final SystemCatalog catalog;
    private final Map<String, Long> oids = new HashMap<>();
    private final Map<Long, String> results = new TreeMap<>();
    private final Map<Long, String> arguments = new TreeMap<>();
    private final Map<Long, String> definitions = new TreeMap<>();

    SystemRoutines(SystemCatalog catalog) {
        this.catalog = catalog;
    }

    /// The number of a routine; null if there is none of this name.
    public @Nullable Long oid(String name) {
        return oids.get(name);
    }

    /// What routines return, as SQL declares it, by their numbers; nothing for procedures.
    public Map<Long, String> results() {
        return results;
    }

    /// The parameters of routines, as SQL declares them, by their numbers.
    public Map<Long, String> arguments() {
        return arguments;
    }

    /// The statements that make routines, by their numbers.
    public Map<Long, String> definitions() {
        return definitions;
    }

    void fill(List<Routine> routines) {
        SystemRelation keywords = catalog.add(KEYWORDS, "word text, catcode char, catdesc text");
        for (String word : Keywords.all()) {
            boolean isReserved = Keywords.reserved().contains(word);
            keywords.row(word, isReserved ? "R" : "U", isReserved ? "reserved" : "unreserved");
        }
        catalog.add(
                        "pg_language",
                        "oid oid, lanname text, lanowner oid, lanispl bool, lanpltrusted bool, lanacl text")
                .row(LANGUAGE, "plpgsql", SystemRoles.BOOTSTRAP_OID, true, true, null)
                .row(SQL, "sql", SystemRoles.BOOTSTRAP_OID, false, true, null)
                .row(JAVA, Routine.JAVA, SystemRoles.BOOTSTRAP_OID, true, false, null);
        SystemRelation relation =
                catalog.add(
                        "pg_proc",
                        "oid oid, proname text, pronamespace oid, proowner oid, prolang oid, prokind text, prosecdef bool,"
                                + " proretset bool, provolatile text, pronargs int2, prorettype oid, proargtypes oidvector,"
                                + " proallargtypes text, proargmodes text, proargnames text, prosrc text, proacl text,"
                                + " proisstrict bool, proparallel text, pronargdefaults int2, provariadic oid, procost float4,"
                                + " prorows float4, proleakproof bool");
        for (Routine routine : routines) {
            long oid = catalog.newOid("routine " + routine.name());
            oids.put(routine.name(), oid);
            if (!routine.isProcedure()) {
                results.put(oid, result(routine));
            }
            arguments.put(oid, arguments(routine));
            definitions.put(oid, definition(routine));
            boolean hasOutputs = !routine.outputs().isEmpty();
            relation.row(
                    oid,
                    routine.name(),
                    PUBLIC_NAMESPACE,
                    catalog.roles().oid(routine.owner()),
                    language(routine),
                    routine.isProcedure() ? "p" : "f",
                    false,
                    routine.isSet(),
                    routine.volatility().substring(0, 1),
                    routine.inputs().size(),
                    resultOid(routine),
                    routine.inputs().stream()
                            .map(each -> String.valueOf(TypeOids.oid(each.type())))
                            .collect(Collectors.joining(" ")),
                    hasOutputs
                            ? array(
                                    routine.parameters().stream()
                                            .map(each -> String.valueOf(TypeOids.oid(each.type())))
                                            .toList())
                            : null,
                    hasOutputs
                            ? array(
                                    routine.parameters().stream()
                                            .map(each -> mode(each.mode()))
                                            .toList())
                            : null,
                    routine.parameters().stream().allMatch(each -> each.name() == null)
                            ? null
                            : array(
                                    routine.parameters().stream()
                                            .map(each -> each.name() == null ? "" : each.name())
                                            .toList()),
                    routine.body(),
                    null,
                    routine.isStrict());
        }
        new InformationRoutines(catalog, this).fill(routines);
    }

    private static long language(Routine routine) {
        return switch (routine.language()) {
            case "sql" -> SQL;
            case Routine.JAVA -> JAVA;
            default -> LANGUAGE;
        };
    }

    /// The statement that makes a routine; of a procedure in Java, which none makes, a comment.
    private static String definition(Routine routine) {
        if (!routine.language().equals(Routine.JAVA)) {
            return SqlWriter.write(statement(routine, true));
        }
        return "-- "
                + routine.name()
                + "("
                + arguments(routine)
                + ") is a procedure in Java, "
                + (routine.body().isEmpty()
                        ? "which the program has registered"
                        : "of the jar " + routine.body())
                + "\n";
    }

    private static String array(List<String> values) {
        return values.stream()
                .map(each -> each.isEmpty() ? "\"\"" : each)
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String mode(Mode mode) {
        return switch (mode) {
            case IN -> "i";
            case OUT -> "o";
            case INOUT -> "b";
            case TABLE -> "t";
        };
    }

    private static long resultOid(Routine routine) {
        if (routine.isVoid()) {
            return VOID;
        }
        SqlType type = singleType(routine);
        return type == null ? RECORD : TypeOids.oid(type);
    }

    /// The type of the only value that a routine returns, or of those of its rows; null if it
    /// returns nothing, or several.
    static @Nullable SqlType singleType(Routine routine) {
        List<Routine.Parameter> outputs = routine.outputs();
        if (routine.rowTable() != null || outputs.size() > 1) {
            return null;
        }
        return outputs.isEmpty() ? routine.returns() : outputs.getFirst().type();
    }

    private static String result(Routine routine) {
        List<Routine.Parameter> columns =
                routine.parameters().stream().filter(each -> each.mode() == Mode.TABLE).toList();
        if (!columns.isEmpty()) {
            return columns.stream()
                    .map(each -> each.name() + " " + each.type().name())
                    .collect(Collectors.joining(", ", "TABLE(", ")"));
        }
        List<Routine.Parameter> outputs = routine.outputs();
        SqlType type = outputs.size() == 1 ? outputs.getFirst().type() : routine.returns();
        String single =
                routine.rowTable() != null
                        ? routine.rowTable()
                        : outputs.size() > 1 ? "record" : type == null ? "void" : type.name();
        return routine.isSet() ? "SETOF " + single : single;
    }

    private static String arguments(Routine routine) {
        return routine.parameters().stream()
                .filter(each -> each.mode() != Mode.TABLE)
                .map(each ->
                        (routine.isProcedure() || each.mode() != Mode.IN ? each.mode() + " " : "")
                                + (each.name() == null ? "" : each.name() + " ")
                                + each.type().name()
                                + (each.defaultText() == null
                                        ? ""
                                        : " DEFAULT " + each.defaultText()))
                .collect(Collectors.joining(", "));
    }

    /// The statement that makes a routine.
    public static RoutineStatement statement(Routine routine, boolean isReplace) {
        List<Parameter> parameters = new ArrayList<>();
        for (Routine.Parameter each : routine.parameters()) {
            parameters.add(
                    new Parameter(
                            each.name() == null ? null : name(each.name()),
                            each.mode(),
                            type(each.type()),
                            each.defaultText(),
                            Position.NONE));
        }
        return new RoutineStatement.CreateRoutine(
                routine.kind(),
                isReplace,
                name(routine.name()),
                parameters,
                returns(routine),
                routine.isSet(),
                routine.language(),
                routine.volatility(),
                routine.isStrict(),
                routine.body(),
                Position.NONE,
                Position.NONE);
    }

    private static @Nullable TypeReference returns(Routine routine) {
        String table = routine.rowTable();
        SqlType type = routine.returns();
        if (table != null) {
            return type(table);
        }
        if (type != null) {
            return type(type);
        }
        boolean isVoid = !routine.isProcedure() && routine.outputs().isEmpty();
        return isVoid ? type("void") : null;
    }

    private static Name name(String text) {
        return new Name(text, Position.NONE);
    }

    private static TypeReference type(SqlType type) {
        return type(
                type.kind() == SqlType.Kind.TIMESTAMPTZ
                        ? "timestamptz"
                        : type.name().replace(" without time zone", ""));
    }

    private static TypeReference type(String name) {
        return new TypeReference(
                new TypeName(name, List.of(), false, Position.NONE), TypeReference.Form.PLAIN);
    }
}
