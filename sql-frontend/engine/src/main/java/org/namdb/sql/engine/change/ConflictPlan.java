package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.ExpressionBinder;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Statement.OnConflict;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// An ON CONFLICT clause, planned.
///
/// @param coversAll whether any unique index may conflict
/// @param coversPrimaryKey whether the primary key may be
/// @param covered the unique indexes that may be
/// @param sets what SET does, on a tuple of the row that is there and then the one that is not
///     inserted; null for DO NOTHING
/// @param where the condition of DO UPDATE; null without
record ConflictPlan(
        boolean coversAll,
        boolean coversPrimaryKey,
        Set<SqlIndex> covered,
        ChangePlanner.@Nullable Sets sets,
        @Nullable Scalar where,
        int columns) {

    static ConflictPlan plan(
            OnConflict clause, SqlTable table, String alias, ChangePlanner planner) {
        boolean isUpdate = !clause.sets().isEmpty();
        boolean coversAll = clause.columns().isEmpty() && clause.constraint() == null;
        if (isUpdate && coversAll) {
            throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                            clause.position())
                    .withHint("For example, ON CONFLICT (column_name).");
        }
        boolean coversPrimaryKey = coversAll;
        Set<SqlIndex> covered = new HashSet<>();
        if (!coversAll) {
            coversPrimaryKey = findCovered(clause, table, covered);
        }
        Scope scope = Scope.of(table, alias).join(Scope.of(table, "excluded"));
        Scalar where =
                clause.where() == null
                        ? null
                        : planner.planner()
                                .scalar(
                                        new ExpressionBinder(planner.context())
                                                .condition(clause.where(), scope, "WHERE"));
        return new ConflictPlan(
                coversAll,
                coversPrimaryKey,
                covered,
                isUpdate ? planner.sets(clause.sets(), scope, table) : null,
                where,
                table.columns().size());
    }

    /// Adds the unique indexes that are meant.
    ///
    /// @return whether the primary key is meant
    private static boolean findCovered(OnConflict clause, SqlTable table, Set<SqlIndex> covered) {
        Name constraint = clause.constraint();
        Set<Integer> columns = new HashSet<>();
        for (Name name : clause.columns()) {
            int column = table.columnNumber(name.text());
            if (column < 0) {
                throw new SqlException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + name.text() + "\" does not exist",
                        name.position());
            }
            columns.add(column);
        }
        for (SqlIndex index : table.indexes()) {
            boolean isMeant =
                    constraint == null
                            ? columns.equals(new HashSet<>(index.columns()))
                            : TemporaryNames.bare(index.name()).equals(constraint.text());
            if (index.isUnique() && isMeant) {
                covered.add(index);
            }
        }
        boolean isKey =
                !table.hasHiddenKey()
                        && (constraint == null
                                ? columns.equals(new HashSet<>(table.primaryKey()))
                                : TemporaryNames.bare(table.primaryKeyName())
                                        .equals(constraint.text()));
        if (!isKey && covered.isEmpty()) {
            throw missing(clause, table);
        }
        return isKey;
    }

    private static SqlException missing(OnConflict clause, SqlTable table) {
        Name constraint = clause.constraint();
        return constraint == null
                ? new SqlException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "there is no unique or exclusion constraint matching the ON CONFLICT specification",
                        clause.position())
                : new SqlException(
                        SqlState.UNDEFINED_OBJECT,
                        "constraint \""
                                + constraint.text()
                                + "\" for table \""
                                + table.name()
                                + "\" does not exist",
                        constraint.position());
    }

    /// Whether SET or WHERE have subqueries.
    boolean hasSubquery() {
        List<Scalar> all = sets == null ? new ArrayList<>() : new ArrayList<>(sets.values());
        if (where != null) {
            all.add(where);
        }
        return PlanScalars.haveSubquery(all);
    }

    /// The error of a row that one statement inserts or changes, and would have to change again.
    static SqlException secondTime() {
        return new SqlException(
                        SqlState.CARDINALITY_VIOLATION,
                        "ON CONFLICT DO UPDATE command cannot affect row a second time")
                .withHint(
                        "Ensure that no rows proposed for insertion within the same command have duplicate"
                                + " constrained values.");
    }

    /// The policy for one run of the statement.
    ConflictPolicy policy(EvaluationFrame frame) {
        return new ConflictPolicy() {
            @Override
            public boolean covers(@Nullable SqlIndex index) {
                return coversAll || (index == null ? coversPrimaryKey : covered.contains(index));
            }

            @Override
            public boolean isDoNothing() {
                return sets == null;
            }

            @Override
            public @Nullable Object @Nullable [] changed(
                    @Nullable Object[] old, @Nullable Object[] excluded) {
                if (sets == null) {
                    return null;
                }
                @Nullable Object[] both = Arrays.copyOf(old, 2 * columns);
                System.arraycopy(excluded, 0, both, columns, columns);
                frame.on(both);
                if (where != null && !Boolean.TRUE.equals(where.evaluate(frame))) {
                    return null;
                }
                return sets.apply(old, frame, columns);
            }
        };
    }
}
