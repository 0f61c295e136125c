package org.namdb.sql.engine.procedure;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.type.RecordType;

/// One implementation of a procedure, with its parameters and the columns of its result.
public final class ProcedureVersion {
    /// The schema that SQL/JRT (ISO 9075-13) has for jars.
    private static final String UTILITIES = "sqlj.";

    private final String name;
    private final Body body;
    private final List<RecordType.Column> parameters;
    private final List<RecordType.Column> columns;
    private final boolean isSet;
    private final String origin;
    private final ProcedureStatistics statistics;
    private final @Nullable Routine routine;

    /// What a procedure does.
    @FunctionalInterface
    public interface Body {
        /// Runs it.
        ///
        /// @param arguments of the parameters' types
        /// @return its rows
        /// @throws Exception what it throws
        List<@Nullable Object[]> run(ProcedureContext context, @Nullable Object[] arguments)
                throws Exception;
    }

    private ProcedureVersion(
            String name,
            Body body,
            List<RecordType.Column> parameters,
            List<RecordType.Column> columns,
            boolean isSet,
            String origin,
            ProcedureStatistics statistics,
            @Nullable Routine routine) {
        this.name = name;
        this.body = body;
        this.parameters = List.copyOf(parameters);
        this.columns = List.copyOf(columns);
        this.isSet = isSet;
        this.origin = origin;
        this.statistics = statistics;
        this.routine = routine;
    }

    /// A version that the database holds the source of.
    ///
    /// @param columns of its rows
    static ProcedureVersion of(
            Routine routine,
            List<RecordType.Column> columns,
            Body body,
            ProcedureStatistics statistics) {
        List<RecordType.Column> parameters = new ArrayList<>();
        for (Routine.Parameter each : routine.inputs()) {
            String parameter = each.name() == null ? "" : each.name();
            parameters.add(new RecordType.Column(parameter, each.type(), true));
        }
        return new ProcedureVersion(
                routine.name(),
                body,
                parameters,
                columns,
                routine.isSet(),
                "",
                statistics,
                routine);
    }

    /// A version that is called once, by no name.
    public static ProcedureVersion once(Body body, Routine routine) {
        return of(routine, List.of(), body, new ProcedureStatistics());
    }

    @SuppressWarnings("unchecked") // its input is made by the type that it was declared with
    private static ProcedureVersion ofJava(
            String name,
            Procedure<?, ?> procedure,
            RecordType<?> input,
            RecordType<?> output,
            boolean isSet,
            String origin,
            ProcedureStatistics statistics) {
        Procedure<@Nullable Object, ?> known = (Procedure<@Nullable Object, ?>) procedure;
        return new ProcedureVersion(
                name,
                (context, arguments) ->
                        rows(known.run(context, input.object(arguments)), output, isSet),
                input.columns(),
                output.columns(),
                isSet,
                origin,
                statistics,
                null);
    }

    private static List<@Nullable Object[]> rows(
            @Nullable Object out, RecordType<?> output, boolean isSet) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        if (isSet && out instanceof List<?> list) {
            list.forEach(each -> rows.add(output.row(each)));
        } else if (!isSet && !output.columns().isEmpty() && out != null) {
            rows.add(output.row(out));
        } else if (!isSet && output.columns().size() == 1) {
            rows.add(new @Nullable Object[1]);
        }
        return rows;
    }

    /// A version with the types that the procedure's class gives for `I` and `O`.
    ///
    /// @param origin where it is from: the name of a jar; empty for the program
    /// @throws IllegalArgumentException if the class does not declare these types, or they are no
    ///     rows of SQL
    static ProcedureVersion of(
            Procedure<?, ?> procedure, String origin, ProcedureStatistics statistics) {
        Type[] types = arguments(procedure.getClass());
        String name = procedure.name();
        boolean isSet =
                types[1] instanceof ParameterizedType list && list.getRawType() == List.class;
        Type row = isSet ? ((ParameterizedType) types[1]).getActualTypeArguments()[0] : types[1];
        return ofJava(
                name,
                procedure,
                RecordType.of(asClass(types[0], procedure), "input"),
                RecordType.of(asClass(row, procedure), name),
                isSet,
                origin,
                statistics);
    }

    /// A version whose types the program gives.
    static <I, O> ProcedureVersion of(
            String name,
            Class<I> input,
            Class<O> output,
            Procedure<I, O> procedure,
            ProcedureStatistics statistics) {
        return ofJava(
                name,
                procedure,
                RecordType.of(input, "input"),
                RecordType.of(output, name),
                false,
                "",
                statistics);
    }

    private static Type[] arguments(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Type implemented : each.getGenericInterfaces()) {
                if (implemented instanceof ParameterizedType generic
                        && generic.getRawType() == Procedure.class) {
                    return generic.getActualTypeArguments();
                }
            }
        }
        throw new IllegalArgumentException(
                type.getName()
                        + " does not say what it takes and gives: it is to be a class that"
                        + " implements Procedure<I, O> itself, with a record or a type of single"
                        + " values for each");
    }

    private static Class<?> asClass(Type type, Procedure<?, ?> procedure) {
        if (type instanceof Class<?> found) {
            return found;
        }
        throw new IllegalArgumentException(
                procedure.getClass().getName()
                        + ": "
                        + type
                        + " is neither a record nor a type of single values");
    }

    /// What it is called by.
    public String name() {
        return name;
    }

    /// The parameters.
    public List<RecordType.Column> parameters() {
        return parameters;
    }

    /// The columns of its rows; none if it gives none.
    public List<RecordType.Column> columns() {
        return columns;
    }

    /// Whether it gives any number of rows, and not just one.
    public boolean isSet() {
        return isSet;
    }

    /// The jar that it is from; empty if the program has registered it.
    public String origin() {
        return origin;
    }

    /// Whether it is no transaction, but changes what procedures there are.
    public boolean isUtility() {
        return name.startsWith(UTILITIES);
    }

    /// What its calls have cost.
    public ProcedureStatistics statistics() {
        return statistics;
    }

    /// The parameters as SQL declares them.
    public String signature() {
        return parameters().stream()
                .map(column -> (column.name() + " " + column.type().name()).strip())
                .collect(Collectors.joining(", "));
    }

    /// What it gives, as SQL declares it.
    public String result() {
        String shown =
                columns.stream()
                        .map(column -> column.name() + " " + column.type().name())
                        .collect(Collectors.joining(", "));
        if (columns.isEmpty()) {
            return "";
        }
        return isSet ? "TABLE(" + shown + ")" : shown;
    }

    /// Its definition, if the database holds its source; null of one in Java.
    public @Nullable Routine routine() {
        return routine;
    }

    /// One in Java as the system's catalog shows it; the name of its jar is its body.
    Routine shown(Roles roles) {
        List<Routine.Parameter> all = new ArrayList<>();
        for (RecordType.Column each : parameters) {
            all.add(new Routine.Parameter(each.name(), Mode.IN, each.type(), null));
        }
        for (RecordType.Column each : columns) {
            all.add(new Routine.Parameter(each.name(), Mode.OUT, each.type(), null));
        }
        return new Routine(
                name,
                Kind.PROCEDURE,
                all,
                null,
                null,
                isSet,
                Routine.JAVA,
                "volatile",
                false,
                origin,
                ownership(roles).owner());
    }

    /// What a call in an expression gives if it returns nothing: as in PostgreSQL, a function in
    /// SQL gives NULL, and others an empty text.
    public @Nullable Object nothing() {
        return routine != null && routine.language().equals("sql") ? null : "";
    }

    /// Its owner, and who may execute it.
    public Ownership ownership(Roles roles) {
        return routine == null
                ? roles.ofProcedure(name, origin)
                : new Ownership(routine.owner(), roles.of(Securable.PROCEDURE, name).acl());
    }

    /// Runs it.
    ///
    /// @param arguments of the parameters' types
    /// @return its rows
    /// @throws Exception what it throws
    public List<@Nullable Object[]> run(ProcedureContext context, @Nullable Object[] arguments)
            throws Exception {
        return body.run(context, arguments);
    }
}
