package org.namdb.sql.engine.plan;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.catalog.SqlTable;

/// How a query is done. Immutable; good until one of its tables changes.
///
/// @param root its last operator
/// @param columns the columns of its tuples
/// @param tables the tables that it, and the statement around it, name
public record QueryPlan(PlanNode root, List<OutputColumn> columns, Set<SqlTable> tables) {
    public QueryPlan {
        columns = List.copyOf(columns);
        tables = Set.copyOf(tables);
    }

    static QueryPlan of(PlanNode root, List<Field> fields, Set<SqlTable> tables) {
        return new QueryPlan(root, columns(fields), tables);
    }

    /// Whether it reads a table, in a subquery perhaps.
    public boolean reads(SqlTable table) {
        return reads(root, table);
    }

    /// Whether its rows are those of one scan, and nothing else reads a table. A scan gives each
    /// row once, and none that is inserted after it was opened, so a statement may change the rows
    /// that it has given before it reads the next ones.
    public boolean isScan() {
        return isStreamable(null);
    }

    /// Whether its rows are those of one scan, or of one range of an index whose columns stay as
    /// they are, or one by its primary key, and nothing else reads a table: then rows may be
    /// changed or deleted as they are read.
    ///
    /// @param changed numbers of columns; null if rows are added
    public boolean isStreamable(@Nullable Collection<Integer> changed) {
        PlanNode node = root;
        while (PlanScalars.subqueries(node).isEmpty()) {
            switch (node) {
                case PlanNode.Filter filter -> node = filter.input();
                case PlanNode.Project project -> node = project.input();
                case PlanNode.TableRead read -> {
                    return switch (read.path()) {
                        case AccessPath.Scan _ -> true;
                        case AccessPath.ByRange range ->
                                changed != null
                                        && Collections.disjoint(changed, range.index().columns());
                        case AccessPath.ByKey byKey -> changed != null && byKey.keys().size() == 1;
                        default -> false;
                    };
                }
                default -> {
                    return false;
                }
            }
        }
        return false;
    }

    private static boolean reads(PlanNode node, SqlTable table) {
        boolean isRead =
                switch (node) {
                    case PlanNode.TableRead read -> isOf(read.shape(), table);
                    case PlanNode.IndexJoin join -> isOf(join.shape(), table);
                    default -> false;
                };
        return isRead
                || node.inputs().stream().anyMatch(input -> reads(input, table))
                || PlanScalars.subqueries(node).stream()
                        .anyMatch(subquery -> reads(subquery.plan(), table));
    }

    private static boolean isOf(TableShape shape, SqlTable table) {
        return shape.table().name().equals(table.name());
    }

    private static List<OutputColumn> columns(List<Field> fields) {
        return fields.stream().map(field -> new OutputColumn(field.name(), field.type())).toList();
    }
}
