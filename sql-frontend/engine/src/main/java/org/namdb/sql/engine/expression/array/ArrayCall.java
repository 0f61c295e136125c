package org.namdb.sql.engine.expression.array;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// A call of one of [ArrayFunctions], which sees NULLs among its arguments.
final class ArrayCall extends Scalar {
    private final String name;
    private final List<Scalar> arguments;
    private final Volatility volatility;
    private final Body body;

    /// What a function computes.
    @FunctionalInterface
    interface Body {
        @Nullable Object apply(EvaluationFrame frame, @Nullable Object[] values);
    }

    ArrayCall(String name, SqlType type, Volatility volatility, List<Scalar> arguments, Body body) {
        super(type);
        this.name = name;
        this.volatility = volatility;
        this.arguments = List.copyOf(arguments);
        this.body = body;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        @Nullable Object[] values = new @Nullable Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).evaluate(frame);
        }
        return body.apply(frame, values);
    }

    @Override
    public List<Scalar> operands() {
        return arguments;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ArrayCall(name, type(), volatility, newOperands, body);
    }

    @Override
    public Volatility volatility() {
        return volatility;
    }

    @Override
    protected Object traits() {
        return name;
    }

    @Override
    public String toString() {
        return arguments.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }
}
