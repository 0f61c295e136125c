package org.namdb.sql.engine.plpgsql;

import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.RecordType;

/// A routine that is ready to run; [ProgramBuilder] makes it. Shared by all sessions.
public final class Program {
    /// What a DO statement's routine is called.
    public static final String BLOCK = "inline_code_block";

    /// The language of functions that are statements of SQL.
    static final String SQL = "sql";

    private final Routine routine;
    private final RoutineResult result;
    private final String conflicts;
    private final List<Variable> parameters;
    private final int foundSlot;
    private int slots;
    private Step[] body = {};

    /// @param parameters those that a call gives values, in order, in the first slots
    /// @param conflicts as [org.namdb.sql.engine.bind.Variables#conflicts]
    Program(
            Routine routine,
            RoutineResult result,
            String conflicts,
            List<Variable> parameters,
            int foundSlot) {
        this.routine = routine;
        this.result = result;
        this.conflicts = conflicts;
        this.parameters = List.copyOf(parameters);
        this.foundSlot = foundSlot;
    }

    /// Its builder knows these last.
    void complete(int allSlots, Step first) {
        slots = allSlots;
        body = new Step[] {first};
    }

    /// The definition.
    public Routine routine() {
        return routine;
    }

    /// The routine that a DO statement is.
    public static Routine block(String body) {
        return new Routine(
                BLOCK,
                Kind.FUNCTION,
                List.of(),
                null,
                null,
                false,
                "plpgsql",
                "volatile",
                false,
                body,
                "");
    }

    /// What errors call the routine.
    String shownName() {
        return routine.name().equals(BLOCK) ? BLOCK : routine.signature();
    }

    /// Where an error was.
    String placeOf(@Nullable Step step) {
        if (routine.language().equals(SQL)) {
            return "SQL function \""
                    + routine.name()
                    + '"'
                    + (step == null ? "" : " statement " + step.line);
        }
        return "PL/pgSQL function "
                + shownName()
                + (step == null ? "" : " line " + step.line + " " + step.place());
    }

    /// A row as its text, `(1,"two words",)`.
    ///
    /// @param zone in which moments are shown
    public static String rowText(
            List<RecordType.Column> columns, @Nullable Object[] row, ZoneId zone) {
        return RecordValue.text(
                new RowShape(
                        columns.stream().map(RecordType.Column::name).toList(),
                        columns.stream().map(RecordType.Column::type).toList()),
                row,
                zone);
    }

    String conflicts() {
        return conflicts;
    }

    int slots() {
        return slots;
    }

    int foundSlot() {
        return foundSlot;
    }

    /// The parameter that `$1` or a later one is; null if there are less.
    @Nullable Variable parameter(int index) {
        return index < parameters.size() ? parameters.get(index) : null;
    }

    /// Refuses a statement that changes rows in a function that is not VOLATILE.
    void requireVolatile(Statement statement) {
        if (!routine.volatility().equals("volatile")) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    statement.getClass().getSimpleName().toUpperCase(Locale.ROOT)
                            + " is not allowed in a non-volatile function");
        }
    }

    /// Runs the routine.
    ///
    /// @param arguments of the parameters' types, in order
    /// @return its rows; none of a function that returns nothing
    /// @throws SqlException what it raises, with the place in the routine
    public List<@Nullable Object[]> run(RoutineContext context, @Nullable Object[] arguments) {
        Activation a = new Activation(this, context);
        System.arraycopy(arguments, 0, a.slots, 0, arguments.length);
        a.slots[foundSlot] = false;
        try {
            Step.End end = Step.runAll(body, a);
            return rows(end, a);
        } catch (RuntimeException e) {
            throw a.located(e);
        }
    }

    private List<@Nullable Object[]> rows(Step.End end, Activation a) {
        if (result.isSet()) {
            return a.rows;
        }
        if (result.isVoid()) {
            return List.of();
        }
        if (end == Step.End.RETURN && a.result != null) {
            return List.<@Nullable Object[]>of(a.result);
        }
        if (result.variables().isEmpty()) {
            a.current = null;
            throw new SqlException(
                    SqlState.NO_RETURN_STATEMENT, "control reached end of function without RETURN");
        }
        return List.<@Nullable Object[]>of(Objects.requireNonNull(result.ofVariables(a)));
    }
}
