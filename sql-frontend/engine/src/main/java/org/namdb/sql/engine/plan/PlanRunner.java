package org.namdb.sql.engine.plan;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Environment;
import org.namdb.sql.engine.expression.EvaluationFrame;

/// What runs a plan, as the plan's expressions see it.
public interface PlanRunner extends Environment {
    /// The value of a subquery for the frame's tuple.
    @Nullable Object subquery(PlannedSubquery subquery, EvaluationFrame frame);
}
