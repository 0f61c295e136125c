package org.namdb.sql.engine.execute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.TupleCursor;

/// What all joins have in common: they take left tuples one after the other, and for each of them
/// the right ones that may be its partners.
abstract class JoinCursor implements TupleCursor {
    final Execution execution;
    final EvaluationFrame frame;
    private final JoinKind kind;
    private final @Nullable Scalar condition;
    private final int leftWidth;
    private final int rightWidth;
    private @Nullable Object @Nullable [] left;
    private boolean isMatched;

    JoinCursor(
            Execution execution,
            @Nullable EvaluationFrame outer,
            JoinKind kind,
            @Nullable Scalar condition,
            int leftWidth,
            int rightWidth) {
        this.execution = execution;
        this.frame = execution.emptyFrame(outer);
        this.kind = kind;
        this.condition = condition;
        this.leftWidth = leftWidth;
        this.rightWidth = rightWidth;
    }

    /// The next left tuple; null if there is no more.
    abstract @Nullable Object @Nullable [] nextLeft();

    /// The next right tuple that may be a partner of the left one; null if there is no more.
    abstract @Nullable Object @Nullable [] nextRight();

    /// The right tuple given last is a partner.
    void matched() {}

    /// Whether the left tuple has no partner at all, when there are no more right ones.
    ///
    /// @param isMatched whether one of those that were given for it was a partner
    boolean isUnmatched(boolean isMatched) {
        return !isMatched;
    }

    /// Whether a left tuple without a partner stays out of NOT IN all the same, as NULLs are among
    /// what is compared.
    boolean isUnknown() {
        return false;
    }

    /// The next right tuple without a partner, when all left ones are done.
    @Nullable Object @Nullable [] nextUnmatchedRight() {
        return null;
    }

    /// Goes on with other left and right tuples, where the inputs are joined in parts.
    ///
    /// @return whether there are any
    boolean nextPart() {
        return false;
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        while (true) {
            @Nullable Object[] current = left;
            if (current == null) {
                current = nextLeft();
                if (current == null) {
                    @Nullable Object[] right = nextUnmatchedRight();
                    if (right != null) {
                        return both(new @Nullable Object[leftWidth], right);
                    }
                    if (!nextPart()) {
                        return null;
                    }
                    continue;
                }
                left = current;
                isMatched = false;
            }
            @Nullable Object[] given = step(current);
            if (given != null) {
                return given;
            }
        }
    }

    private @Nullable Object @Nullable [] step(@Nullable Object[] current) {
        @Nullable Object[] right = nextRight();
        if (right == null) {
            left = null;
            return isUnmatched(isMatched) ? unmatched(current) : null;
        }
        execution.tick();
        if (kind.isHalf() && condition == null) {
            return half(current);
        }
        @Nullable Object[] both = both(current, right);
        if (condition != null && !Boolean.TRUE.equals(condition.evaluate(frame.on(both)))) {
            return null;
        }
        if (kind.isHalf()) {
            return half(current);
        }
        isMatched = true;
        matched();
        return both;
    }

    /// The left tuple has a partner, and that is enough.
    private @Nullable Object @Nullable [] half(@Nullable Object[] current) {
        left = null;
        matched();
        return kind == JoinKind.SEMI ? current : null;
    }

    private @Nullable Object @Nullable [] unmatched(@Nullable Object[] current) {
        return switch (kind) {
            case INNER, SEMI -> null;
            case LEFT, FULL -> Arrays.copyOf(current, leftWidth + rightWidth);
            case ANTI -> current;
            case NOT_IN -> isUnknown() ? null : current;
        };
    }

    private static @Nullable Object[] both(@Nullable Object[] left, @Nullable Object[] right) {
        @Nullable Object[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }
}
