package org.namdb.sql.engine.expression.text;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// What all texts begin with that match a pattern of LIKE: empty if it begins with a wildcard.
final class PrefixScalar extends Scalar {
    private final List<Scalar> operands;

    /// @param operands the pattern, and perhaps the escape character
    PrefixScalar(List<Scalar> operands) {
        super(SqlType.TEXT);
        this.operands = List.copyOf(operands);
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object pattern = operands.getFirst().evaluate(frame);
        Object escape = operands.size() == 1 ? "\\" : operands.get(1).evaluate(frame);
        return pattern == null || escape == null
                ? null
                : LikePattern.prefix((String) pattern, (String) escape);
    }

    @Override
    public List<Scalar> operands() {
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new PrefixScalar(newOperands);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "prefix";
    }

    @Override
    public String toString() {
        return "the prefix of " + operands.getFirst();
    }
}
