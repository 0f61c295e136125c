package org.namdb.sql.engine.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.AggregateScalar;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.language.type.SqlType;

/// Finds the minimum or maximum of a column as the first row of an index, where there is one.
final class ExtremePlanner {
    private final RelationPlanner planner;

    ExtremePlanner(RelationPlanner planner) {
        this.planner = planner;
    }

    /// The plan; null if it takes more than the first row.
    @Nullable Planned plan(Relation.Grouped grouped) {
        if (!grouped.keys().isEmpty() || grouped.calls().size() != 1) {
            return null;
        }
        AggregateScalar call = grouped.calls().getFirst();
        boolean isLeast = call.aggregate().name().equals("min");
        if (!isLeast && !call.aggregate().name().equals("max")
                || !(call.argument() instanceof ColumnScalar column)) {
            return null;
        }
        Scalar isThere = Logic.isNull(column, true);
        Want want =
                Want.uses(List.of(column))
                        .where(List.of(isThere))
                        .ordered(List.of(new Relation.Ordering(column, !isLeast, !isLeast)), 1);
        Planned input = planner.plan(grouped.input(), want);
        if (!input.isOrdered()) {
            return null;
        }
        PlanNode first =
                new PlanNode.Limit(input.node(), new ConstantScalar(1L, SqlType.BIGINT), null, 1);
        Scalar argument = planner.over(first.fields(), column);
        return new Planned(
                new PlanNode.Aggregation(
                        first,
                        List.of(),
                        List.of(call.withArgument(argument)),
                        grouped.fields(),
                        List.of(),
                        1),
                input.cost(),
                true);
    }
}
