package org.namdb.sql.engine.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Aggregate;

/// A call of an aggregate function, before the rows are grouped.
public final class AggregateScalar extends Scalar {
    private final Aggregate aggregate;

    AggregateScalar(Aggregate aggregate) {
        super(aggregate.type());
        this.aggregate = aggregate;
    }

    /// The function and its argument.
    public Aggregate aggregate() {
        return aggregate;
    }

    /// What is aggregated.
    public Scalar argument() {
        return aggregate.argument();
    }

    /// The same over another argument.
    public AggregateScalar withArgument(Scalar argument) {
        return new AggregateScalar(aggregate.withArgument(argument));
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("an aggregate outside of a group: " + this);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(aggregate.argument());
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return withArgument(newOperands.getFirst());
    }

    @Override
    protected Object traits() {
        return aggregate;
    }

    @Override
    public String toString() {
        return aggregate.toString();
    }
}
