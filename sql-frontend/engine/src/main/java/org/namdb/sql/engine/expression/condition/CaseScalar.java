package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// `CASE WHEN .. THEN .. ELSE .. END`.
public final class CaseScalar extends Scalar {
    private final Scalar[] operands;

    /// @param operands condition and result of each branch, and then the value of ELSE
    public CaseScalar(List<Scalar> operands, SqlType type) {
        super(type);
        this.operands = operands.toArray(new Scalar[0]);
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        int last = operands.length - 1;
        for (int i = 0; i < last; i += 2) {
            Object condition = operands[i].evaluate(frame);
            if (condition != null && (Boolean) condition) {
                return operands[i + 1].evaluate(frame);
            }
        }
        return operands[last].evaluate(frame);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new CaseScalar(newOperands, type());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "CASE";
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder("CASE");
        int last = operands.length - 1;
        for (int i = 0; i < last; i += 2) {
            out.append(" WHEN ").append(operands[i]).append(" THEN ").append(operands[i + 1]);
        }
        return out.append(" ELSE ").append(operands[last]).append(" END").toString();
    }
}
