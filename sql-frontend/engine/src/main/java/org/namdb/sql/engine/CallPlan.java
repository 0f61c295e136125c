package org.namdb.sql.engine;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.RoutineScalar;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.expression.ParameterScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plpgsql.Program;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.RecordType;
import org.namdb.sql.language.type.SqlType;

/// A call that is ready to run: which version of the procedure, and its arguments.
///
/// @param arguments of the parameters' types
/// @param columns those of the rows that it gives
/// @param isSelect whether it is `SELECT name(..)`, which gives a row, whatever the procedure does
/// @param isText whether a row of several columns is one text, as `SELECT f()` gives it
record CallPlan(
        ProcedureVersion version,
        List<Scalar> arguments,
        List<ResultColumn> columns,
        boolean isSelect,
        boolean isText) {
    CallPlan {
        arguments = List.copyOf(arguments);
        columns = List.copyOf(columns);
    }

    /// The call that a statement may be: CALL, or a query that does nothing but to call one
    /// function, `SELECT name(..)` or `SELECT * FROM name(..)`; null for others.
    static Statement.@Nullable Call callOf(Statement statement) {
        if (statement instanceof Statement.Call call) {
            return call;
        }
        boolean isPlain =
                statement instanceof Statement.Select select
                        && select.query().orderBy().isEmpty()
                        && select.query().limit() == null
                        && select.query().offset() == null
                        && !select.query().isForUpdate();
        if (!isPlain
                || !(((Statement.Select) statement).query().body() instanceof Query.Select query)
                || query.items().size() != 1
                || query.from().size() > 1
                || query.where() != null
                || !query.groupBy().isEmpty()
                || !query.groupingSets().isEmpty()
                || query.having() != null
                || query.isDistinct()
                || !query.distinctOn().isEmpty()) {
            return null;
        }
        Query.Item item = query.items().getFirst();
        if (query.from().isEmpty()) {
            return item instanceof Query.Value value
                            && value.expression() instanceof Expression.Call call
                            && !call.isStar()
                            && !call.isDistinct()
                    ? new Statement.Call(call.function(), call.arguments(), call.position())
                    : null;
        }
        return item instanceof Query.Star
                        && query.from().getFirst() instanceof Query.FunctionSource source
                        && source.columns().isEmpty()
                ? new Statement.Call(source.function(), source.arguments(), source.position())
                : null;
    }

    /// Plans a call.
    ///
    /// @param planner of the statement
    /// @param select the query that calls it; null for CALL
    static CallPlan plan(
            Statement.Call call,
            ProcedureVersion version,
            Planner planner,
            Statement.@Nullable Select select) {
        boolean isSelect = select != null;
        Routine routine = version.routine();
        if (routine != null) {
            return plan(call, routine, version, planner, select);
        }
        List<RecordType.Column> parameters = version.parameters();
        List<Expression> given = call.arguments();
        if (isSelect
                && given.size() == parameters.size() + 1
                && given.getFirst() instanceof Expression.Parameter) {
            // As which JDBC sends the place of the result: {? = call name(?)}.
            Scalar _ = planner.scalar(given.getFirst(), Scope.EMPTY);
            given = given.subList(1, given.size());
        }
        if (given.size() != parameters.size()) {
            throw undefined(call.procedure())
                    .withHint("It is " + version.name() + "(" + version.signature() + ").");
        }
        List<Scalar> arguments = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            Scalar argument = planner.scalar(given.get(i), Scope.EMPTY);
            RecordType.Column parameter = parameters.get(i);
            try {
                arguments.add(Casts.assignment(argument, parameter.type(), parameter.name()));
            } catch (SqlException e) {
                throw e.at(given.get(i).position());
            }
        }
        List<ResultColumn> columns = new ArrayList<>();
        version.columns().forEach(each -> columns.add(new ResultColumn(each.name(), each.type())));
        if (columns.isEmpty() && isSelect) {
            columns.add(new ResultColumn(version.name(), SqlType.TEXT));
        }
        return new CallPlan(version, arguments, columns, isSelect, false);
    }

    /// Plans a call of what the database holds the source of, as PostgreSQL does.
    private static CallPlan plan(
            Statement.Call call,
            Routine routine,
            ProcedureVersion version,
            Planner planner,
            Statement.@Nullable Select select) {
        if (routine.isProcedure() == (select != null)) {
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            routine.signature()
                                    + (select == null ? " is not a procedure" : " is a procedure"),
                            call.procedure().position())
                    .withHint(
                            select == null
                                    ? "To call a function, use SELECT."
                                    : "To call a procedure, use CALL.");
        }
        List<Scalar> given = new ArrayList<>();
        call.arguments().forEach(each -> given.add(planner.scalar(each, Scope.EMPTY)));
        if (select != null
                && given.size() == version.parameters().size() + 1
                && given.getFirst() instanceof ParameterScalar) {
            given.removeFirst(); // JDBC's place of the result
        }
        List<Scalar> all = RoutineScalar.arguments(routine, given, call.procedure());
        List<Scalar> arguments = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            boolean isInput = !routine.isProcedure() || routine.parameters().get(i).isInput();
            if (isInput) {
                arguments.add(all.get(i));
            }
        }
        List<ResultColumn> columns = new ArrayList<>();
        version.columns().forEach(each -> columns.add(new ResultColumn(each.name(), each.type())));
        boolean isValue = select != null && isValue(select);
        boolean isText = isValue && (columns.size() > 1 || routine.rowTable() != null);
        if (isText || columns.isEmpty() && select != null) {
            columns.clear();
            columns.add(new ResultColumn(routine.name(), SqlType.TEXT));
        }
        Name alias = select == null ? null : alias(select);
        if (columns.size() == 1 && (isValue || routine.outputs().isEmpty() && alias != null)) {
            String name = alias == null ? routine.name() : alias.text();
            columns.set(0, new ResultColumn(name, columns.getFirst().type()));
        }
        return new CallPlan(version, arguments, columns, select != null, isText);
    }

    private static Query.Select query(Statement.Select select) {
        return (Query.Select) select.query().body();
    }

    /// Whether the call is what is selected, and not where rows come from.
    private static boolean isValue(Statement.Select select) {
        return query(select).from().isEmpty();
    }

    private static @Nullable Name alias(Statement.Select select) {
        Query.Select query = query(select);
        if (query.from().isEmpty()) {
            return query.items().getFirst() instanceof Query.Value value ? value.alias() : null;
        }
        return query.from().getFirst() instanceof Query.FunctionSource source
                ? source.alias()
                : null;
    }

    /// There is no such procedure.
    static SqlException undefined(Name procedure) {
        return new SqlException(
                SqlState.UNDEFINED_FUNCTION,
                "procedure " + procedure.text() + " with these arguments does not exist",
                procedure.position());
    }

    /// The rows as the statement gives them: of a query that calls what gives none, an empty one.
    ///
    /// @param zone in which moments are shown
    List<@Nullable Object[]> shown(List<@Nullable Object[]> rows, ZoneId zone) {
        if (isSelect && version.columns().isEmpty() && !version.isSet()) {
            return List.<@Nullable Object[]>of(new @Nullable Object[] {version.nothing()});
        }
        if (!isText) {
            return rows;
        }
        List<@Nullable Object[]> texts = new ArrayList<>();
        for (@Nullable Object[] row : rows) {
            texts.add(new @Nullable Object[] {Program.rowText(version.columns(), row, zone)});
        }
        return texts;
    }
}
