package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement.Insert;
import org.namdb.sql.language.ast.Statement.OnConflict;
import org.namdb.sql.language.ast.Statement.Overriding;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// INSERT: rows that are written out, or those of a query, which are inserted while they are read.
///
/// @param table the table
/// @param targets the numbers of the columns that are given, in their order
/// @param rows the values of each row, of the columns' types; empty for a query
/// @param query the query; null for VALUES
/// @param casts the query's columns as the table's columns take them
/// @param defaults the values of the columns that are not given; null where there is none
/// @param conflict the ON CONFLICT clause; null without
/// @param returning what RETURNING gives
public record InsertPlan(
        SqlTable table,
        List<Integer> targets,
        List<List<Scalar>> rows,
        @Nullable QueryPlan query,
        List<Scalar> casts,
        List<@Nullable Scalar> defaults,
        @Nullable ConflictPlan conflict,
        List<OutputColumn> columns,
        List<Scalar> returning)
        implements ChangePlan {

    /// Plans one.
    ///
    /// @throws SqlException with a position, if the statement has no meaning
    public static InsertPlan plan(
            Insert insert, BindContext context, ConstraintSource constraints) {
        ChangePlanner planner = new ChangePlanner(context, constraints);
        SqlTable table = context.table(insert.table(), Privilege.INSERT);
        needMore(insert, table, context);
        String alias = ChangePlanner.alias(table, insert.alias());
        List<Integer> targets = targets(insert, table);
        List<List<Scalar>> rows = List.of();
        QueryPlan query = null;
        List<Scalar> casts = List.of();
        Query source = insert.source();
        if (source == null) {
            targets = List.of();
            rows = List.of(List.of());
        } else if (isPlainValues(source) && source.body() instanceof Query.Values values) {
            targets = cut(targets, values.rows().getFirst().size(), insert);
            rows =
                    overridden(
                            rows(values, targets, table, insert, planner),
                            targets,
                            table,
                            insert,
                            constraints);
        } else {
            query = planner.planner().planSource(source);
            targets = cut(targets, query.columns().size(), insert);
            for (int target : targets) {
                requireNotGenerated(insert, table.columns().get(target));
            }
            casts =
                    overridden(
                                    List.of(casts(query, targets, table, planner)),
                                    targets,
                                    table,
                                    insert,
                                    constraints)
                            .getFirst();
        }
        Scope scope = Scope.of(table, alias);
        ReturningList returning =
                ReturningList.plan(insert.returning(), scope, context, planner.planner());
        ConflictPlan conflict =
                insert.onConflict() == null
                        ? null
                        : ConflictPlan.plan(insert.onConflict(), table, alias, planner);
        return new InsertPlan(
                table,
                targets,
                rows,
                query,
                casts,
                constraints.of(table).defaults(),
                conflict,
                returning.columns(),
                returning.values());
    }

    /// RETURNING reads the row; ON CONFLICT reads the columns of a key, and DO UPDATE changes rows.
    private static void needMore(Insert insert, SqlTable table, BindContext context) {
        OnConflict conflict = insert.onConflict();
        boolean hasKey =
                conflict != null
                        && (!conflict.columns().isEmpty() || conflict.constraint() != null);
        if (hasKey || !insert.returning().isEmpty()) {
            context.need(table, Privilege.SELECT);
        }
        if (conflict != null && !conflict.sets().isEmpty()) {
            context.need(table, Privilege.UPDATE);
        }
    }

    /// The rows with values of the sequence in the place of those given for identity columns, if
    /// that is wanted.
    private static List<List<Scalar>> overridden(
            List<List<Scalar>> rows,
            List<Integer> targets,
            SqlTable table,
            Insert insert,
            ConstraintSource constraints) {
        if (insert.overriding() != Overriding.USER) {
            return rows;
        }
        List<@Nullable Scalar> defaults = constraints.of(table).defaults();
        List<List<Scalar>> overridden = new ArrayList<>(rows.size());
        for (List<Scalar> row : rows) {
            List<Scalar> values = new ArrayList<>(row);
            for (int i = 0; i < values.size(); i++) {
                Scalar generated = defaults.get(targets.get(i));
                if (table.columns().get(targets.get(i)).identity() != null && generated != null) {
                    values.set(i, generated);
                }
            }
            overridden.add(values);
        }
        return overridden;
    }

    /// @throws SqlException 428C9 if a value that is given for the column is refused
    private static void requireNotGenerated(Insert insert, SqlColumn column) {
        if (column.isGenerated()) {
            throw new SqlException(
                            SqlState.GENERATED_ALWAYS,
                            "cannot insert a non-DEFAULT value into column \""
                                    + column.name()
                                    + "\"")
                    .withDetail(ChangePlanner.generatedAlways(column));
        }
        if (insert.overriding() == null
                && column.identity() != null
                && column.identity().isAlways()) {
            throw new SqlException(
                            SqlState.GENERATED_ALWAYS,
                            "cannot insert a non-DEFAULT value into column \""
                                    + column.name()
                                    + "\"")
                    .withDetail(ChangePlanner.generatedAlways(column))
                    .withHint("Use OVERRIDING SYSTEM VALUE to override.");
        }
    }

    private static boolean isPlainValues(Query source) {
        return source.body() instanceof Query.Values
                && source.orderBy().isEmpty()
                && source.limit() == null
                && source.offset() == null;
    }

    private static List<Integer> targets(Insert insert, SqlTable table) {
        List<Integer> targets = new ArrayList<>();
        for (Name name : insert.columns()) {
            int column = ChangePlanner.column(table, name);
            if (targets.contains(column)) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + name.text() + "\" specified more than once",
                        name.position());
            }
            targets.add(column);
        }
        for (int i = 0; insert.columns().isEmpty() && i < table.columns().size(); i++) {
            if (!table.columns().get(i).isHidden()) {
                targets.add(i);
            }
        }
        return targets;
    }

    /// The columns that are given values: where none are named, the first ones.
    private static List<Integer> cut(List<Integer> targets, int given, Insert insert) {
        if (given > targets.size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "INSERT has more expressions than target columns",
                    Objects.requireNonNull(insert.source()).position());
        }
        if (given < targets.size() && !insert.columns().isEmpty()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "INSERT has more target columns than expressions",
                    insert.columns().get(given).position());
        }
        return List.copyOf(targets.subList(0, given));
    }

    private static List<List<Scalar>> rows(
            Query.Values values,
            List<Integer> targets,
            SqlTable table,
            Insert insert,
            ChangePlanner planner) {
        List<List<Scalar>> rows = new ArrayList<>(values.rows().size());
        for (List<Expression> row : values.rows()) {
            if (row.size() != targets.size()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "VALUES lists must all be the same length",
                        row.isEmpty() ? insert.position() : row.getFirst().position());
            }
            List<Scalar> scalars = new ArrayList<>(row.size());
            for (int i = 0; i < row.size(); i++) {
                if (!(row.get(i) instanceof Expression.Default)) {
                    requireNotGenerated(insert, table.columns().get(targets.get(i)));
                }
                scalars.add(planner.assigned(row.get(i), Scope.EMPTY, table, targets.get(i)));
            }
            rows.add(scalars);
        }
        return rows;
    }

    private static List<Scalar> casts(
            QueryPlan query, List<Integer> targets, SqlTable table, ChangePlanner planner) {
        List<Scalar> casts = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            OutputColumn column = query.columns().get(i);
            SqlColumn target = table.columns().get(targets.get(i));
            Scalar value = new ColumnScalar(i, column.type(), column.name());
            casts.add(
                    planner.planner()
                            .scalar(Casts.assignment(value, target.type(), target.name())));
        }
        return casts;
    }

    @Override
    public @Nullable QueryPlan source() {
        return query;
    }

    @Override
    public PlanForecast.@Nullable PointRead onlyRow() {
        return null;
    }

    @Override
    public double expectedRows() {
        return query == null ? rows.size() : Math.max(1, query.root().rows());
    }

    @Override
    public void forecast(ChangeForecast forecast) {
        List<Integer> given = new ArrayList<>(targets);
        for (int i = 0; i < defaults.size(); i++) {
            if (defaults.get(i) != null && !given.contains(i)) {
                given.add(i);
            }
        }
        List<Key> keys = rows.stream().map(this::key).filter(Objects::nonNull).toList();
        forecast.insert(table, keys, expectedRows(), given);
    }

    /// The primary key of a row, if it is known before.
    private @Nullable Key key(List<Scalar> row) {
        List<Scalar> values = new ArrayList<>();
        for (int column : table.primaryKey()) {
            int place = targets.indexOf(column);
            Scalar value = place < 0 ? defaults.get(column) : row.get(place);
            if (value == null || table.columns().get(column).isGenerated()) {
                return null;
            }
            values.add(value);
        }
        return PlanForecast.key(table.stored(), values);
    }

    @Override
    public ChangeResult run(Run run) {
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        Inserter inserter = new Inserter(this, run, changes);
        QueryPlan source = query;
        if (source == null) {
            for (List<Scalar> row : rows) {
                inserter.add(row);
            }
        } else if (inserter.isAtOnce) {
            ChangePlan.collect(run, source).forEach(inserter::add);
        } else {
            boolean isStreamed = !source.reads(table) || conflict == null && source.isScan();
            try (TupleCursor cursor = isStreamed ? run.open(source) : run.openCollected(source)) {
                for (@Nullable Object @Nullable [] tuple = cursor.next();
                        tuple != null;
                        tuple = cursor.next()) {
                    inserter.add(tuple);
                }
            }
        }
        return inserter.finish();
    }

    /// Whether a batch that is written could be seen by what the rows behind it are made of.
    private boolean isAtOnce() {
        return rows.size() > TableWriter.BATCH && rows.stream().anyMatch(PlanScalars::haveSubquery)
                || query != null
                        && conflict != null
                        && conflict.sets() != null
                        && !table.referencedBy().isEmpty();
    }

    /// Collects rows, and inserts them a batch at a time.
    private static final class Inserter {
        private final InsertPlan plan;
        private final EvaluationFrame frame;
        private final StatementChanges changes;
        private final TableWriter writer;
        private final TableConstraints constraints;
        private final @Nullable ConflictPolicy policy;
        private final ReturningList returning;

        /// Whether nothing may be written before the last row is known.
        private final boolean isAtOnce;

        /// Only if RETURNING or ON CONFLICT have subqueries.
        private final @Nullable ForeseenRows foreseen;

        private final Run run;
        private final List<@Nullable Object[]> returned = new ArrayList<>();
        private List<@Nullable Object[]> batch = new ArrayList<>();
        private long count;

        Inserter(InsertPlan plan, Run run, StatementChanges changes) {
            this.plan = plan;
            this.frame = run.frame();
            this.changes = changes;
            this.writer = changes.writer(plan.table);
            this.constraints = run.context().constraints(plan.table);
            this.policy = plan.conflict == null ? null : plan.conflict.policy(run.frame());
            this.returning = new ReturningList(plan.columns, plan.returning);
            this.run = run;
            boolean foresees =
                    returning.hasSubquery() || plan.conflict != null && plan.conflict.hasSubquery();
            this.foreseen = foresees ? new ForeseenRows(returning, run.frame()) : null;
            this.isAtOnce = foresees || plan.isAtOnce();
        }

        void add(List<Scalar> row) {
            @Nullable Object[] tuple = defaults();
            for (int i = 0; i < row.size(); i++) {
                tuple[plan.targets.get(i)] = row.get(i).evaluate(frame);
            }
            addTuple(tuple);
        }

        void add(@Nullable Object[] source) {
            @Nullable Object[] tuple = defaults();
            frame.on(source);
            for (int i = 0; i < plan.casts.size(); i++) {
                tuple[plan.targets.get(i)] = plan.casts.get(i).evaluate(frame);
            }
            addTuple(tuple);
        }

        private @Nullable Object[] defaults() {
            @Nullable Object[] tuple = new @Nullable Object[plan.table.columns().size()];
            for (int i = 0; i < tuple.length; i++) {
                if (constraints.defaults().get(i) != null && !plan.targets.contains(i)) {
                    tuple[i] = constraints.defaultValue(frame, i);
                }
            }
            return tuple;
        }

        private void addTuple(@Nullable Object[] tuple) {
            constraints.generate(frame, tuple);
            batch.add(tuple);
            if (isAtOnce) {
                run.keep(tuple);
            } else if (batch.size() == TableWriter.BATCH) {
                flush();
            }
        }

        private void flush() {
            ForeseenRows known = foreseen;
            if (known == null) {
                List<@Nullable Object[]> done = writer.insert(batch, policy);
                count += done.size();
                returning.evaluate(frame, done, returned);
            } else {
                known.compute(batch, policy, writer);
                List<@Nullable Object[]> done =
                        writer.insert(batch, policy == null ? null : known.policy(policy));
                count += done.size();
                if (!plan.returning.isEmpty()) {
                    done.forEach(tuple -> returned.add(known.returned(tuple)));
                }
            }
            batch = new ArrayList<>();
        }

        ChangeResult finish() {
            flush();
            changes.finish();
            return new ChangeResult(count, returned);
        }
    }
}
