package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.SubqueryScalar.Form;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// A query within an expression. It runs once if it takes nothing from the query around it, else
/// whenever its arguments change.
public final class PlannedSubquery extends Scalar {
    private final Form form;
    private final PlanNode plan;
    private final List<Scalar> tests;
    private final List<Scalar> arguments;

    PlannedSubquery(
            Form form, SqlType type, PlanNode plan, List<Scalar> tests, List<Scalar> arguments) {
        super(type);
        this.form = form;
        this.plan = plan;
        this.tests = List.copyOf(tests);
        this.arguments = List.copyOf(arguments);
    }

    /// What is computed of the query.
    public Form form() {
        return form;
    }

    /// How it is run. In its expressions the arguments are outer columns of depth 1.
    public PlanNode plan() {
        return plan;
    }

    /// The values that are searched for in it.
    public List<Scalar> tests() {
        return tests;
    }

    /// What it takes from the query around it.
    public List<Scalar> arguments() {
        return arguments;
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        return ((PlanRunner) frame.environment()).subquery(this, frame);
    }

    @Override
    public List<Scalar> operands() {
        List<Scalar> all = new ArrayList<>(tests);
        all.addAll(arguments);
        return all;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new PlannedSubquery(
                form,
                type(),
                plan,
                newOperands.subList(0, tests.size()),
                newOperands.subList(tests.size(), newOperands.size()));
    }

    @Override
    public String toString() {
        return switch (form) {
            case VALUE -> "(subquery)";
            case EXISTS -> "EXISTS (subquery)";
            case IN -> (tests.size() == 1 ? tests.getFirst() : tests) + " IN (subquery)";
        };
    }
}
