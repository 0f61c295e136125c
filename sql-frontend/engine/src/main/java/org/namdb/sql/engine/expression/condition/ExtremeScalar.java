package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// GREATEST or LEAST of the operands that are not NULL.
public final class ExtremeScalar extends Scalar {
    private final Scalar[] operands;
    private final ValueOrder order;
    private final boolean isGreatest;

    public ExtremeScalar(List<Scalar> operands, SqlType type, boolean isGreatest) {
        super(type);
        this.operands = operands.toArray(new Scalar[0]);
        order = ValueOrder.of(type);
        this.isGreatest = isGreatest;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object extreme = null;
        for (Scalar operand : operands) {
            Object value = operand.evaluate(frame);
            if (value != null && (extreme == null || isBetter(value, extreme))) {
                extreme = value;
            }
        }
        return extreme;
    }

    private boolean isBetter(Object value, Object extreme) {
        int comparison = order.compare(value, extreme);
        return isGreatest ? comparison > 0 : comparison < 0;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ExtremeScalar(newOperands, type(), isGreatest);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return isGreatest;
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", isGreatest ? "GREATEST(" : "LEAST(", ")"));
    }
}
