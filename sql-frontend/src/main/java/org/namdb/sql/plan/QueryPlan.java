package org.namdb.sql.plan;

import java.util.List;
import java.util.Set;
import org.namdb.sql.bind.Field;
import org.namdb.sql.catalog.SqlTable;

/// How a query is done. Immutable; good until one of its tables changes.
///
/// @param root its last operator
/// @param columns the columns of its tuples
/// @param tables the tables that it reads
public record QueryPlan(PlanNode root, List<OutputColumn> columns, Set<SqlTable> tables) {
    public QueryPlan {
        columns = List.copyOf(columns);
        tables = Set.copyOf(tables);
    }

    static QueryPlan of(PlanNode root, List<Field> fields, Set<SqlTable> tables) {
        return new QueryPlan(root, columns(fields), tables);
    }

    private static List<OutputColumn> columns(List<Field> fields) {
        return fields.stream().map(field -> new OutputColumn(field.name(), field.type())).toList();
    }
}
