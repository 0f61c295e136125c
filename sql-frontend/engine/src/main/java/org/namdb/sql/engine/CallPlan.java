package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.plan.Planner;
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
record CallPlan(
        ProcedureVersion version,
        List<Scalar> arguments,
        List<ResultColumn> columns,
        boolean isSelect) {
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
                || query.having() != null
                || query.isDistinct()) {
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
    /// @param isSelect whether a query calls it
    static CallPlan plan(
            Statement.Call call, ProcedureVersion version, Planner planner, boolean isSelect) {
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
        return new CallPlan(version, arguments, columns, isSelect);
    }

    /// There is no such procedure.
    static SqlException undefined(Name procedure) {
        return new SqlException(
                SqlState.UNDEFINED_FUNCTION,
                "procedure " + procedure.text() + " with these arguments does not exist",
                procedure.position());
    }

    /// The rows as the statement gives them: of a query that calls what gives none, an empty one.
    List<@Nullable Object[]> shown(List<@Nullable Object[]> rows) {
        return isSelect && version.columns().isEmpty()
                ? List.<@Nullable Object[]>of(new @Nullable Object[] {""})
                : rows;
    }
}
