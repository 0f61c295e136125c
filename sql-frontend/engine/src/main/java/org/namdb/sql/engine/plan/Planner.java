package org.namdb.sql.engine.plan;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.ExpressionBinder;
import org.namdb.sql.engine.bind.QueryBinder;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.bind.Target;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Plans one statement: binds its names, and chooses how it is executed, by rules and estimated
/// costs. Row counts come from the statistics of ANALYZE, or are guessed. Belongs to one thread;
/// the plans it makes are shared.
public final class Planner {
    private final BindContext context;
    private final RelationPlanner relations;

    /// A planner for one statement.
    ///
    /// @param context the statement's tables and parameters
    public Planner(BindContext context) {
        this.context = context;
        this.relations = new RelationPlanner(new Estimates(context::statistics));
    }

    /// Plans a query.
    ///
    /// @throws org.namdb.sql.language.error.SqlException with a position, if the query has
    ///     no meaning
    public QueryPlan plan(Query query) {
        return guarded(() -> plan(new QueryBinder(context).bind(query)));
    }

    /// Plans the query of an INSERT: literals whose type nothing in the query determines keep the
    /// type UNKNOWN, for the columns to give.
    public QueryPlan planSource(Query query) {
        return guarded(() -> plan(new QueryBinder(context).bindOpen(query)));
    }

    private QueryPlan plan(Relation relation) {
        PlanNode root = relations.plan(relation);
        return QueryPlan.of(root, relation.fields(), context.usedTables());
    }

    /// An expression that can be evaluated, its subqueries planned. Its frame's environment must be
    /// an `Execution` if it has any.
    ///
    /// @param scope made by [Scope#of] and [Scope#join], or that of [TargetRows]
    public Scalar scalar(Expression expression, Scope scope) {
        return guarded(() -> scalar(new ExpressionBinder(context).bind(expression, scope)));
    }

    /// A bound expression, its subqueries planned.
    public Scalar scalar(Scalar bound) {
        return Constants.fold(relations.withPlannedSubqueries(bound));
    }

    /// The rows that an UPDATE or DELETE is about, each with all columns of the table, the hidden
    /// row id too, in the order of their numbers; behind them, with FROM or USING, all columns of
    /// the other tables. A row that joins with several others is returned as often; only its first
    /// time counts.
    ///
    /// @param alias what the statement calls the table
    /// @param from the tables of FROM or USING; empty without
    /// @param where the condition; null for all rows
    public TargetRows targetRows(
            SqlTable table, String alias, List<Query.Source> from, @Nullable Expression where) {
        return guarded(() -> targetRows(Target.of(context, table, alias, from, where)));
    }

    private TargetRows targetRows(Target target) {
        PlanNode root = relations.plan(target.relation());
        return new TargetRows(
                QueryPlan.of(root, target.relation().fields(), context.usedTables()),
                target.scope().onTuplesOf(root.fields()));
    }

    /// Trees are walked by recursion; one that is too deep for that is the statement's fault.
    private static <T> T guarded(Supplier<T> planning) {
        try {
            return planning.get();
        } catch (StackOverflowError e) {
            throw new SqlException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                    .withHint("Write the statement with fewer nested or chained operators.")
                    .causedBy(e);
        }
    }
}
