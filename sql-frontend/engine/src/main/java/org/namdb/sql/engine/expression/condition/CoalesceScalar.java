package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// The first operand that is not NULL; those behind it are not evaluated.
public final class CoalesceScalar extends Scalar {
    private final Scalar[] operands;

    public CoalesceScalar(List<Scalar> operands, SqlType type) {
        super(type);
        this.operands = operands.toArray(new Scalar[0]);
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        for (Scalar operand : operands) {
            Object value = operand.evaluate(frame);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new CoalesceScalar(newOperands, type());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "COALESCE";
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", "COALESCE(", ")"));
    }
}
