package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.PlpgsqlStatement.Target;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The steps that run SQL.
final class SqlSteps {
    private SqlSteps() {}

    /// A statement, and the values of its parameters.
    ///
    /// @param text as errors show it; null if they don't
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Ready(
            PreparedSql prepared,
            RowShape shape,
            @Nullable Object[] values,
            @Nullable String text) {
        /// Opens a query.
        ///
        /// @throws SqlException 42P11 if it is none
        TupleCursor open(Activation a, boolean isCollected) {
            if (!prepared.isQuery()) {
                throw new SqlException(
                        SqlState.INVALID_CURSOR_DEFINITION,
                        "cannot open a statement that is no query as cursor");
            }
            try {
                return a.context.open(prepared, values, isCollected);
            } catch (RuntimeException e) {
                throw failed(e, a);
            }
        }

        /// The next row of a query.
        @Nullable Object @Nullable [] next(TupleCursor rows, Activation a) {
            try {
                return rows.next();
            } catch (RuntimeException e) {
                throw failed(e, a);
            }
        }

        SqlException failed(RuntimeException e, Activation a) {
            SqlException error = a.context.errorOf(e);
            return text == null ? error : error.within("SQL statement \"" + text + '"');
        }
    }

    /// Where a statement comes from.
    sealed interface Source {
        Ready ready(Activation a);
    }

    /// From the routine's text.
    record Written(SqlCode code) implements Source {
        @Override
        public Ready ready(Activation a) {
            SqlCode.Plan plan = code.plan(a);
            return new Ready(plan.prepared(), plan.shape(), a.slots, code.shown());
        }
    }

    /// From a text that is made when it is run.
    record Made(SqlValue text, List<SqlValue> using) implements Source {
        @Override
        public Ready ready(Activation a) {
            String sql = (String) text.evaluate(a);
            if (sql == null) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "query string argument of EXECUTE is null");
            }
            List<SqlType> types = new ArrayList<>();
            @Nullable Object[] values = new @Nullable Object[using.size()];
            for (int i = 0; i < values.length; i++) {
                types.add(using.get(i).type(a));
                values[i] = using.get(i).evaluate(a);
            }
            try {
                PreparedSql prepared = a.context.prepare(sql, types);
                return new Ready(prepared, RowShape.of(prepared.columns()), values, sql);
            } catch (RuntimeException e) {
                throw a.context.errorOf(e).within("SQL statement \"" + sql + '"');
            }
        }
    }

    /// A statement alone, with INTO or without, or PERFORM.
    static final class Execute extends Step {
        private final Source source;
        private final Destination into;
        private final boolean isStrict;
        private final boolean isPerform;
        private final boolean mayChange;

        /// Whether FOUND says whether there were rows: of all but EXECUTE.
        private final boolean setsFound;

        Execute(
                int line,
                String kind,
                Source source,
                Destination into,
                boolean isStrict,
                boolean mayChange) {
            super(line, kind);
            this.source = source;
            this.into = into;
            this.isStrict = isStrict;
            this.isPerform = kind.equals("PERFORM");
            this.setsFound = source instanceof Written;
            this.mayChange = mayChange;
        }

        @Override
        boolean mayChange() {
            return mayChange;
        }

        @Override
        End run(Activation a) {
            Ready ready = source.ready(a);
            if (ready.prepared.isQuery()) {
                query(ready, a);
            } else {
                change(ready, a);
            }
            return End.NEXT;
        }

        private void query(Ready ready, Activation a) {
            boolean isDropped = isPerform || !setsFound;
            if (into.isEmpty() && !isDropped) {
                throw noDestination();
            }
            long count = 0;
            @Nullable Object @Nullable [] first = null;
            try (TupleCursor rows = ready.open(a, false)) {
                // Without INTO all rows are made, for what that does; with it, the first.
                long wanted = into.isEmpty() ? Long.MAX_VALUE : isStrict ? 2 : 1;
                while (count < wanted) {
                    @Nullable Object @Nullable [] row = ready.next(rows, a);
                    if (row == null) {
                        break;
                    }
                    first = count == 0 ? row : first;
                    count++;
                }
            }
            taken(ready, first, count, a);
        }

        private void change(Ready ready, Activation a) {
            ChangePlan.ChangeResult done;
            try {
                a.program.requireVolatile(ready.prepared.statement());
                done = a.context.change(ready.prepared, ready.values);
            } catch (RuntimeException e) {
                throw ready.failed(e, a);
            }
            List<@Nullable Object[]> returned = done.returned();
            if (ready.shape.size() == 0) {
                if (!into.isEmpty()) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "INTO used with a command that cannot return data");
                }
                count(done.count(), a);
                return;
            }
            if (into.isEmpty() && setsFound) {
                throw noDestination();
            }
            if (!into.isEmpty() && returned.size() > 1) {
                throw tooMany();
            }
            taken(ready, returned.isEmpty() ? null : returned.getFirst(), done.count(), a);
        }

        private void taken(
                Ready ready, @Nullable Object @Nullable [] first, long count, Activation a) {
            if (!into.isEmpty()) {
                if (isStrict && count == 0) {
                    throw new SqlException(SqlState.NO_DATA_FOUND, "query returned no rows");
                }
                if (isStrict && count > 1) {
                    throw tooMany();
                }
                into.setRow(ready.shape, first, a);
            }
            count(count, a);
        }

        private void count(long count, Activation a) {
            a.rowCount = count;
            if (setsFound) {
                a.setFound(count > 0);
            }
        }

        private static SqlException noDestination() {
            return new SqlException(
                            SqlState.SYNTAX_ERROR, "query has no destination for result data")
                    .withHint(
                            "If you want to discard the results of a SELECT, use PERFORM instead.");
        }

        private static SqlException tooMany() {
            return new SqlException(SqlState.TOO_MANY_ROWS, "query returned more than one row")
                    .withHint("Make sure the query returns a single row, or use LIMIT 1.");
        }
    }

    /// CALL. What OUT parameters return goes to the variables that are their arguments.
    static final class Call extends Step {
        private final SqlCode code;
        private final @Nullable Names names;

        Call(int line, SqlCode code, @Nullable Names names) {
            super(line, "CALL");
            this.code = code;
            this.names = names;
        }

        @Override
        boolean mayChange() {
            return true;
        }

        @Override
        End run(Activation a) {
            SqlCode.Plan plan = code.plan(a);
            List<@Nullable Object[]> rows;
            try {
                a.program.requireVolatile(code.statement());
                rows = a.context.call(plan.prepared(), a.slots);
            } catch (RuntimeException e) {
                throw code.failed(e, a);
            }
            Statement.Call call = (Statement.Call) code.statement();
            Routine routine = a.context.catalog().routine(call.procedure().text());
            if (routine != null && !routine.outputs().isEmpty()) {
                Destination to = new Destination(names, targets(call, routine));
                to.setRow(plan.shape(), rows.isEmpty() ? null : rows.getFirst(), a);
            }
            return End.NEXT;
        }

        private static List<Target> targets(Statement.Call call, Routine routine) {
            List<Target> targets = new ArrayList<>();
            for (int i = 0; i < routine.parameters().size(); i++) {
                Routine.Parameter parameter = routine.parameters().get(i);
                if (parameter.mode() == Mode.IN) {
                    continue;
                }
                Expression given = i < call.arguments().size() ? call.arguments().get(i) : null;
                if (!(given instanceof Expression.ColumnName name)) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "procedure parameter \""
                                    + parameter.name()
                                    + "\" is an output parameter but corresponding argument is not"
                                    + " writable");
                }
                List<String> path = new ArrayList<>();
                if (name.qualifier() != null) {
                    path.add(name.qualifier().text());
                }
                path.add(name.column().text());
                targets.add(new Target(path, 0));
            }
            return targets;
        }
    }

    /// FOR over the rows of a query. They are read before the first turn if a turn may change
    /// something, as the rows that PostgreSQL's snapshot shows are.
    static final class ForQuery extends ControlSteps.Looping {
        private final Source source;
        private final Destination into;
        private final boolean isCollected;

        ForQuery(
                int line,
                Label label,
                Source source,
                Destination into,
                Step[] body,
                boolean isCollected) {
            super(
                    line,
                    source instanceof Made ? "FOR over EXECUTE statement" : "FOR over SELECT rows",
                    label,
                    body);
            this.source = source;
            this.into = into;
            this.isCollected = isCollected;
        }

        @Override
        End run(Activation a) {
            Ready ready = source.ready(a);
            Ready fixed = new Ready(ready.prepared, ready.shape, ready.values.clone(), ready.text);
            long count = 0;
            End end = null;
            try (TupleCursor rows = fixed.open(a, isCollected)) {
                while (end == null) {
                    @Nullable Object @Nullable [] row = ready.next(rows, a);
                    if (row == null) {
                        break;
                    }
                    count++;
                    into.setRow(fixed.shape, row, a);
                    end = once(a);
                }
            }
            if (count == 0) {
                into.setRow(fixed.shape, null, a);
            }
            a.counted(count);
            return end == null ? End.NEXT : end;
        }
    }

    /// RETURN QUERY.
    static final class ReturnQuery extends Step {
        private final Source source;
        private final RoutineResult result;

        ReturnQuery(int line, Source source, RoutineResult result) {
            super(line, "RETURN QUERY");
            this.source = source;
            this.result = result;
        }

        @Override
        End run(Activation a) {
            Ready ready = source.ready(a);
            result.requireMatch(ready.shape);
            long count = 0;
            if (ready.prepared.isQuery()) {
                try (TupleCursor rows = ready.open(a, false)) {
                    for (@Nullable Object @Nullable [] row = ready.next(rows, a);
                            row != null;
                            row = ready.next(rows, a)) {
                        a.add(row);
                        count++;
                    }
                }
            } else {
                a.program.requireVolatile(ready.prepared.statement());
                ChangePlan.ChangeResult done = a.context.change(ready.prepared, ready.values);
                for (@Nullable Object[] row : done.returned()) {
                    a.add(Objects.requireNonNull(row));
                }
                count = done.count();
            }
            a.counted(count);
            return End.NEXT;
        }
    }

    /// The last statement of a function in SQL, whose rows are the function's, as its types.
    static final class LastQuery extends Step {
        private final Source source;
        private final RoutineResult result;

        LastQuery(int number, Source source, RoutineResult result) {
            super(number, "SQL statement");
            this.source = source;
            this.result = result;
        }

        @Override
        End run(Activation a) {
            Ready ready = source.ready(a);
            if (ready.shape.size() != result.shape().size()) {
                throw new SqlException(
                                SqlState.INVALID_FUNCTION_DEFINITION,
                                "return type mismatch in function " + a.program.shownName())
                        .withDetail(
                                "Final statement returns %d columns, and the function %d."
                                        .formatted(ready.shape.size(), result.shape().size()));
            }
            Scalar[] casts = SqlValue.casts(ready.shape, result.shape().types());
            try (TupleCursor rows = rows(ready, a)) {
                @Nullable Object @Nullable [] row = ready.next(rows, a);
                if (!result.isSet()) {
                    a.result =
                            row == null
                                    ? new @Nullable Object[result.shape().size()]
                                    : SqlValue.converted(casts, row, a);
                    return End.RETURN;
                }
                for (; row != null; row = ready.next(rows, a)) {
                    a.add(SqlValue.converted(casts, row, a));
                }
            }
            return End.RETURN;
        }

        private static TupleCursor rows(Ready ready, Activation a) {
            if (ready.prepared.isQuery()) {
                return ready.open(a, false);
            }
            a.program.requireVolatile(ready.prepared.statement());
            Iterator<@Nullable Object[]> returned =
                    a.context.change(ready.prepared, ready.values).returned().iterator();
            return new TupleCursor() {
                @Override
                public @Nullable Object @Nullable [] next() {
                    return returned.hasNext() ? returned.next() : null;
                }

                @Override
                public void close() {
                    // They are in memory.
                }
            };
        }
    }
}
