package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// AND of two or more conditions: false if one is, else NULL if one is, else true. Made by [Logic].
public final class Conjunction extends Scalar {
    private final Scalar[] operands;

    public Conjunction(List<Scalar> operands) {
        super(SqlType.BOOLEAN);
        this.operands = operands.toArray(new Scalar[0]);
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        Object result = true;
        for (Scalar operand : operands) {
            Object value = operand.evaluate(frame);
            if (value == null) {
                result = null;
            } else if (!(Boolean) value) {
                return false;
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
        return new Conjunction(newOperands);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "AND";
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(" AND ", "(", ")"));
    }
}
