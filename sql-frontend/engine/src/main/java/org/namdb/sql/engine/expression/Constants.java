package org.namdb.sql.engine.expression;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Computes ahead what is the same in all executions.
public final class Constants {
    private static final EvaluationFrame NOWHERE =
            new EvaluationFrame(
                    new Environment() {
                        @Override
                        public SessionContext session() {
                            return SessionContext.NONE;
                        }

                        @Override
                        public @Nullable Object parameter(int index) {
                            throw new IllegalStateException("a constant has no parameter");
                        }

                        @Override
                        public Instant transactionTime() {
                            throw new IllegalStateException("a constant has no time");
                        }

                        @Override
                        public ZoneId zone() {
                            throw new IllegalStateException("a constant has no time zone");
                        }

                        @Override
                        public void checkCancelled() {
                            throw new SqlException(
                                    SqlState.QUERY_CANCELED,
                                    "this constant takes too long before the statement runs");
                        }

                        @Override
                        public long nextRandom() {
                            throw new IllegalStateException("a constant is not random");
                        }
                    },
                    null);

    private Constants() {}

    /// The expression with all that is immutable over constants replaced by its value. What can't
    /// be computed stays: the error is raised where, and if, it is evaluated.
    @SuppressWarnings(
            "ReferenceEquality") // what is unchanged is returned itself, and a tree is dear to
    // compare
    public static Scalar fold(Scalar scalar) {
        List<Scalar> operands = scalar.operands();
        boolean isChanged = false;
        boolean isConstant = scalar.volatility() == Volatility.IMMUTABLE;
        List<Scalar> folded = operands;
        for (int i = 0; i < operands.size(); i++) {
            Scalar operand = fold(operands.get(i));
            if (operand != operands.get(i)) {
                folded = isChanged ? folded : new ArrayList<>(operands);
                folded.set(i, operand);
                isChanged = true;
            }
            isConstant &= operand instanceof ConstantScalar;
        }
        Scalar result = isChanged ? scalar.withOperands(folded) : scalar;
        return isConstant && !(result instanceof ConstantScalar) ? computed(result) : result;
    }

    private static Scalar computed(Scalar scalar) {
        try {
            return new ConstantScalar(scalar.evaluate(NOWHERE), scalar.type());
        } catch (SqlException _) {
            return scalar;
        }
    }

    /// Whether the expression has the same value in all executions, so that [#fold] makes it a
    /// [ConstantScalar], unless it is an error.
    public static boolean isConstant(Scalar scalar) {
        return scalar.volatility() == Volatility.IMMUTABLE
                && scalar.operands().stream().allMatch(Constants::isConstant);
    }

    /// Whether the expression or a part of it is VOLATILE, so that it can't be evaluated more or
    /// less often than was written.
    public static boolean isVolatile(Scalar scalar) {
        return scalar.volatility() == Volatility.VOLATILE
                || scalar.operands().stream().anyMatch(Constants::isVolatile);
    }
}
