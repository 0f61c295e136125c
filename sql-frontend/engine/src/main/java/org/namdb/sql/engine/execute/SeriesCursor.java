package org.namdb.sql.engine.execute;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Series;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.operator.DatetimeArithmetic;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// The values of a series, one after the other. It has none if a bound or the step is NULL, and
/// ends where its type does.
final class SeriesCursor implements TupleCursor {
    private final Execution execution;
    private final @Nullable Object stop;
    private final @Nullable Object step;
    private final boolean isDown;
    private final boolean isInteger32;
    private @Nullable Object next;

    SeriesCursor(Execution execution, Series series, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        EvaluationFrame frame = execution.emptyFrame(outer);
        Object start = series.start().evaluate(frame);
        stop = series.stop().evaluate(frame);
        step = series.step().evaluate(frame);
        int sign = step == null ? 1 : sign(step);
        if (sign == 0) {
            throw new SqlException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot equal zero");
        }
        isDown = sign < 0;
        isInteger32 = series.type().equals(SqlType.INTEGER);
        next = stop == null || step == null ? null : start;
    }

    private static int sign(Object step) {
        return step instanceof Interval interval
                ? ValueOrder.INTERVAL.compare(interval, Interval.ZERO)
                : Long.signum((Long) step);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        Object value = next;
        if (value == null || isBeyond(value)) {
            next = null;
            return null;
        }
        execution.tick();
        execution.progress().read();
        next =
                switch (value) {
                    case LocalDateTime time -> after(time);
                    case Instant moment ->
                            DatetimeArithmetic.plus(
                                    moment,
                                    (Interval) Objects.requireNonNull(step),
                                    execution.zone());
                    default -> after((Long) value);
                };
        return new @Nullable Object[] {value};
    }

    private boolean isBeyond(Object value) {
        Object last = Objects.requireNonNull(stop);
        int order =
                switch (value) {
                    case LocalDateTime time -> time.compareTo((LocalDateTime) last);
                    case Instant moment -> moment.compareTo((Instant) last);
                    default -> Long.compare((Long) value, (Long) last);
                };
        return isDown ? order < 0 : order > 0;
    }

    private @Nullable Long after(long value) {
        long by = (Long) Objects.requireNonNull(step);
        long sum = value + by;
        boolean isOverflow = ((value ^ sum) & (by ^ sum)) < 0;
        return isOverflow || isInteger32 && (int) sum != sum ? null : Long.valueOf(sum);
    }

    private LocalDateTime after(LocalDateTime value) {
        return DatetimeArithmetic.plus(value, (Interval) Objects.requireNonNull(step));
    }

    @Override
    public void close() {
        next = null;
    }
}
