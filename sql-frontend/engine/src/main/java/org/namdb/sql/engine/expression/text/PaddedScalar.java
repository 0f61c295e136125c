package org.namdb.sql.engine.expression.text;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// A value of CHAR(n) with its blanks at the end: LIKE and octet_length see them.
public final class PaddedScalar extends Scalar {
    private final Scalar operand;

    public PaddedScalar(Scalar operand) {
        super(SqlType.TEXT);
        this.operand = operand;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        return value == null ? null : TextFormat.format(value, operand.type());
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new PaddedScalar(newOperands.getFirst());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "padded";
    }

    @Override
    public String toString() {
        return operand.toString();
    }
}
