package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// OR of two or more conditions: true if one is, else NULL if one is, else false. Made by [Logic].
public final class Disjunction extends Scalar {
    private final Scalar[] operands;

    public Disjunction(List<Scalar> operands) {
        super(SqlType.BOOLEAN);
        this.operands = operands.toArray(new Scalar[0]);
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        Object result = false;
        for (Scalar operand : operands) {
            Object value = operand.evaluate(frame);
            if (value == null) {
                result = null;
            } else if ((Boolean) value) {
                return true;
            }
        }
        return result;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new Disjunction(newOperands);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "OR";
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(" OR ", "(", ")"));
    }
}
