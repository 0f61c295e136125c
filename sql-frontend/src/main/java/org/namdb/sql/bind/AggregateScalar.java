package org.namdb.sql.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.expression.Aggregate;
import org.namdb.sql.expression.Aggregates;
import org.namdb.sql.expression.Frame;
import org.namdb.sql.expression.Scalar;

/// A call of an aggregate function, before the rows are grouped.
public final class AggregateScalar extends Scalar {
    private final String name;
    private final List<Scalar> arguments;
    private final boolean isStar;
    private final boolean isDistinct;
    private final Aggregate aggregate;

    AggregateScalar(String name, List<Scalar> arguments, boolean isStar, boolean isDistinct) {
        this(
                name,
                arguments,
                isStar,
                isDistinct,
                Aggregates.resolve(name, arguments, isStar, isDistinct));
    }

    private AggregateScalar(
            String name,
            List<Scalar> arguments,
            boolean isStar,
            boolean isDistinct,
            Aggregate aggregate) {
        super(aggregate.type());
        this.name = name;
        this.arguments = List.copyOf(arguments);
        this.isStar = isStar;
        this.isDistinct = isDistinct;
        this.aggregate = aggregate;
    }

    /// The function's name.
    public String name() {
        return name;
    }

    /// What is aggregated; empty for `count(*)`.
    public List<Scalar> arguments() {
        return arguments;
    }

    /// Whether equal values count once.
    public boolean isDistinct() {
        return isDistinct;
    }

    /// Makes the accumulators.
    public Aggregate aggregate() {
        return aggregate;
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        throw new IllegalStateException("an aggregate outside of a group: " + this);
    }

    @Override
    public List<Scalar> operands() {
        return arguments;
    }

    @Override
    public AggregateScalar withOperands(List<Scalar> newOperands) {
        return new AggregateScalar(name, newOperands, isStar, isDistinct);
    }

    @Override
    protected Object traits() {
        return List.of(name, isStar, isDistinct);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name).append(isDistinct ? "(DISTINCT " : "(");
        for (int i = 0; i < arguments.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(arguments.get(i));
        }
        return text.append(isStar ? "*)" : ")").toString();
    }
}
