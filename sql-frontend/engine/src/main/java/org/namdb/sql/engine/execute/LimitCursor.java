package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Some of the tuples.
final class LimitCursor implements TupleCursor {
    private final TupleCursor input;
    private long toSkip;
    private long left;

    LimitCursor(Execution execution, PlanNode.Limit node, @Nullable EvaluationFrame outer) {
        EvaluationFrame frame = execution.emptyFrame(outer);
        left = limit(node.limit(), frame);
        toSkip = offset(node.offset(), frame);
        input = execution.open(node.input(), outer);
        if (left > 0 && left <= Integer.MAX_VALUE - toSkip) {
            input.expect((int) (left + toSkip));
        }
    }

    /// The most tuples; [Long#MAX_VALUE] without a limit.
    static long limit(@Nullable Scalar scalar, EvaluationFrame frame) {
        Object value = scalar == null ? null : scalar.evaluate(frame);
        long limit = value == null ? Long.MAX_VALUE : (Long) value;
        if (limit < 0) {
            throw new SqlException(
                    SqlState.INVALID_ROW_COUNT_IN_LIMIT, "LIMIT must not be negative");
        }
        return limit;
    }

    /// How many tuples are skipped.
    static long offset(@Nullable Scalar scalar, EvaluationFrame frame) {
        Object value = scalar == null ? null : scalar.evaluate(frame);
        long offset = value == null ? 0 : (Long) value;
        if (offset < 0) {
            throw new SqlException(
                    SqlState.INVALID_ROW_COUNT_IN_OFFSET, "OFFSET must not be negative");
        }
        return offset;
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (left == 0) {
            return null;
        }
        while (toSkip > 0) {
            if (input.next() == null) {
                left = 0;
                return null;
            }
            toSkip--;
        }
        left--;
        return input.next();
    }

    @Override
    public void close() {
        input.close();
    }
}
