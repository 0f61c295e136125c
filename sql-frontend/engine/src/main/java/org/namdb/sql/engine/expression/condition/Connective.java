package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// AND or OR of two or more conditions. One value decides it as soon as an operand has it; without
/// that it is NULL if an operand is, else the other value.
abstract sealed class Connective extends Scalar permits Conjunction, Disjunction {
    private final String word;
    private final boolean deciding;
    private final Scalar[] operands;

    Connective(String word, boolean deciding, List<Scalar> operands) {
        super(SqlType.BOOLEAN);
        this.word = word;
        this.deciding = deciding;
        this.operands = operands.toArray(new Scalar[0]);
    }

    @Override
    public final @Nullable Object evaluate(EvaluationFrame frame) {
        Object result = !deciding;
        for (Scalar operand : operands) {
            Object value = operand.evaluate(frame);
            if (value == null) {
                result = null;
            } else if ((Boolean) value == deciding) {
                return deciding;
            }
        }
        return result;
    }

    @Override
    public final List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public final Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected final Object traits() {
        return word;
    }

    @Override
    public final String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(" " + word + " ", "(", ")"));
    }
}
