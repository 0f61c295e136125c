package org.namdb.sql.engine.expression.function;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;

/// A call of a function; NULL if an argument is.
final class FunctionScalar extends Scalar {
    private final FunctionSignature function;
    private final Scalar[] arguments;

    FunctionScalar(FunctionSignature function, List<Scalar> arguments) {
        super(function.result());
        this.function = function;
        this.arguments = arguments.toArray(new Scalar[0]);
    }

    /// The function's name, in lower case.
    String name() {
        return function.name();
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object[] values = new Object[arguments.length];
        for (int i = 0; i < values.length; i++) {
            Object value = arguments[i].evaluate(frame);
            if (value == null) {
                return null;
            }
            values[i] = value;
        }
        return function.body().apply(frame, values);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(arguments);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new FunctionScalar(function, newOperands);
    }

    @Override
    public Volatility volatility() {
        return function.volatility();
    }

    @Override
    protected @Nullable Object traits() {
        return function.volatility() == Volatility.VOLATILE ? null : function;
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", function.name() + "(", ")"));
    }
}
