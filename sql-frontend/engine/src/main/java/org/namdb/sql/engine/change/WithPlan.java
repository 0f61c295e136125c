package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.Tables;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A statement with changes in its WITH: they run one after the other, whether their rows are read
/// or not, and then the statement.
///
/// In PostgreSQL all parts see the database as it was before the statement. Here a part would see
/// what those before it have changed, so none may name a table that an earlier one changes: it gets
/// the rows by RETURNING alone, and the difference can't be seen.
///
/// @param parts the changes, in their order
/// @param change the statement; null if it is a query
/// @param query the statement; null if it is a change
public record WithPlan(List<Part> parts, @Nullable ChangePlan change, @Nullable QueryPlan query)
        implements ChangePlan {
    /// A change in WITH.
    ///
    /// @param number by which its rows are known
    public record Part(String name, int number, Statement statement, ChangePlan plan) {}

    public WithPlan {
        parts = List.copyOf(parts);
    }

    /// Plans one.
    ///
    /// @throws SqlException 0A000 if a part names a table that an earlier one changes
    public static WithPlan plan(
            Statement.With with, BindContext context, ConstraintSource constraints, Tables tables) {
        Set<String> changed = new HashSet<>();
        List<Part> parts = new ArrayList<>();
        for (Query.CommonTable table : with.changes()) {
            if (!(table.query().body() instanceof Query.Returned returned)) {
                throw new IllegalStateException("no change: " + table.name());
            }
            Set<SqlTable> named = new LinkedHashSet<>();
            ChangePlan plan =
                    context.part(() -> plan(returned.change(), context, constraints), named);
            requireApart(named, changed, returned.position());
            List<Field> columns = new ArrayList<>();
            for (OutputColumn column : plan.columns()) {
                columns.add(new Field(columns.size(), column.name(), column.type()));
            }
            int number = context.addChange(table, columns, plan.expectedRows());
            parts.add(new Part(table.name().text(), number, returned.change(), plan));
            addChanged(plan, tables, changed);
        }
        Statement.Plain statement = with.statement();
        Set<SqlTable> named = new LinkedHashSet<>();
        if (statement instanceof Statement.Select select) {
            QueryPlan query = context.part(() -> new Planner(context).plan(select.query()), named);
            requireApart(named, changed, select.position());
            return new WithPlan(parts, null, query);
        }
        ChangePlan change = context.part(() -> plan(statement, context, constraints), named);
        requireApart(named, changed, statement.position());
        return new WithPlan(parts, change, null);
    }

    private static ChangePlan plan(
            Statement.Plain statement, BindContext context, ConstraintSource constraints) {
        return switch (statement) {
            case Statement.Insert insert -> InsertPlan.plan(insert, context, constraints);
            case Statement.Update update -> UpdatePlan.plan(update, context, constraints);
            case Statement.Delete delete -> DeletePlan.plan(delete, context, constraints);
            default -> throw new IllegalStateException("no change: " + statement.getClass());
        };
    }

    /// Adds a change's table, and those whose rows its foreign keys change with it.
    private static void addChanged(ChangePlan plan, Tables tables, Set<String> changed) {
        switch (plan) {
            case InsertPlan insert -> {
                ConflictPlan conflict = insert.conflict();
                changed.add(insert.table().name());
                if (conflict != null && conflict.sets() != null) {
                    addReferences(insert.table(), false, tables, changed);
                }
            }
            case UpdatePlan update -> {
                changed.add(update.table().name());
                addReferences(update.table(), false, tables, changed);
            }
            case DeletePlan delete -> {
                changed.add(delete.table().name());
                addReferences(delete.table(), true, tables, changed);
            }
            case WithPlan with -> throw new IllegalStateException("WITH in WITH: " + with.parts);
        }
    }

    /// Adds the tables whose rows change when those of a table are deleted, or updated.
    private static void addReferences(
            SqlTable table, boolean isDelete, Tables tables, Set<String> changed) {
        for (ForeignKeyConstraint key : table.referencedBy()) {
            Action action = isDelete ? key.onDelete() : key.onUpdate();
            SqlTable child = tables.find(key.table());
            if (child != null && isChange(action) && changed.add(child.name())) {
                addReferences(child, isDelete && action == Action.CASCADE, tables, changed);
            }
        }
    }

    private static boolean isChange(Action action) {
        return action != Action.NO_ACTION && action != Action.RESTRICT;
    }

    private static void requireApart(Set<SqlTable> named, Set<String> changed, Position position) {
        for (SqlTable table : named) {
            if (changed.contains(table.name())) {
                throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "table \""
                                        + table.name()
                                        + "\" is already changed by a query of WITH in this statement",
                                position)
                        .withHint(
                                "Read the changed rows by RETURNING, or run the parts as statements of"
                                        + " one transaction.");
            }
        }
    }

    @Override
    public List<OutputColumn> columns() {
        if (query != null) {
            return query.columns();
        }
        return change == null ? List.of() : change.columns();
    }

    @Override
    public @Nullable QueryPlan source() {
        return change == null ? query : change.source();
    }

    @Override
    public PlanForecast.@Nullable PointRead onlyRow() {
        return null;
    }

    @Override
    public double expectedRows() {
        if (change != null) {
            return change.expectedRows();
        }
        return query == null ? 0 : query.root().rows();
    }

    @Override
    public void forecast(ChangeForecast forecast) {
        parts.forEach(part -> part.plan.forecast(forecast));
        if (change != null) {
            change.forecast(forecast);
        }
    }

    @Override
    public ChangeResult run(Run run) {
        for (Part part : parts) {
            ChangeResult done = part.plan.run(run);
            done.returned().forEach(run::keep);
            run.setReturned(part.number, done.returned());
        }
        if (change != null) {
            return change.run(run);
        }
        List<@Nullable Object[]> rows = query == null ? List.of() : ChangePlan.collect(run, query);
        return new ChangeResult(rows.size(), rows);
    }
}
