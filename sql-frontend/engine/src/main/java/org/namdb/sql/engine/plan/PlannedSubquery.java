package org.namdb.sql.engine.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Subquery;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// A subquery with its plan. It runs once if it takes nothing from the query around it, else
/// whenever its arguments change.
public final class PlannedSubquery extends Subquery {
    private final PlanNode plan;

    PlannedSubquery(
            Form form, SqlType type, PlanNode plan, List<Scalar> tests, List<Scalar> arguments) {
        super(form, type, tests, arguments);
        this.plan = plan;
    }

    /// How it is run. In its expressions the arguments are outer columns of depth 1.
    public PlanNode plan() {
        return plan;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return ((PlanRunner) frame.environment()).subquery(this, frame);
    }

    @Override
    protected Scalar with(List<Scalar> newTests, List<Scalar> newArguments) {
        return new PlannedSubquery(form(), type(), plan, newTests, newArguments);
    }
}
