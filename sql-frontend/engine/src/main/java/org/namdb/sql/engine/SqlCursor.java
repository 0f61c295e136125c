package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.language.ast.Statement.FetchCursor;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.ResultColumn;

/// A cursor of DECLARE: the rows of a query as they were then, and the place of FETCH among them.
final class SqlCursor {
    private final List<ResultColumn> columns;
    private final TupleList tuples;
    private final boolean isForwardOnly;

    /// The number of the current row, from 1; 0 before the first, and behind the last one more than
    /// there are.
    private long at;

    /// Reads on behind the row `readTo`.
    private @Nullable TupleCursor reader;

    private long readTo;

    SqlCursor(List<ResultColumn> columns, TupleList tuples, boolean isForwardOnly) {
        this.columns = columns;
        this.tuples = tuples;
        this.isForwardOnly = isForwardOnly;
    }

    /// The rows that a FETCH gives, by their numbers.
    ///
    /// @param last before `first` if there are none
    private record Range(long first, long last, boolean isBackward) {
        long count() {
            return Math.max(0, last - first + 1);
        }
    }

    boolean isForwardOnly() {
        return isForwardOnly;
    }

    List<ResultColumn> columns() {
        return columns;
    }

    /// Moves, and returns how many rows FETCH would have given.
    long move(FetchCursor fetch) {
        return advance(fetch).count();
    }

    /// Moves, and returns the rows.
    TupleCursor fetch(FetchCursor fetch) {
        Range range = advance(fetch);
        List<@Nullable Object[]> backward = new ArrayList<>();
        for (long i = range.first; range.isBackward && i <= range.last; i++) {
            backward.add(row(i));
        }
        return new TupleCursor() {
            private long given;

            @Override
            public @Nullable Object @Nullable [] next() {
                if (given >= range.count()) {
                    return null;
                }
                long index = given++;
                return range.isBackward
                        ? backward.get((int) (range.last - range.first - index))
                        : row(range.first + index);
            }

            @Override
            public void close() {
                // the rows are the cursor's
            }
        };
    }

    private @Nullable Object[] row(long number) {
        TupleCursor from = reader;
        if (from == null || readTo >= number) {
            from = tuples.read();
            reader = from;
            readTo = 0;
        }
        @Nullable Object @Nullable [] row;
        do {
            row = from.next();
            readTo++;
        } while (readTo < number);
        return Objects.requireNonNull(row);
    }

    private Range advance(FetchCursor fetch) {
        long end = tuples.count() + 1;
        long count = fetch.count();
        return switch (fetch.direction()) {
            case FORWARD -> steps(count, end);
            case BACKWARD -> steps(-count, end);
            case ABSOLUTE -> to(count < 0 ? end + count : count, end);
            case RELATIVE -> to(at + count, end);
        };
    }

    /// @param count how many rows forward; negative for backward, 0 for the current one
    private Range steps(long count, long end) {
        long from = at;
        if (count == 0) {
            return to(at, end);
        }
        if (count > 0) {
            at = count > end - from ? end : from + count;
            return new Range(from + 1, Math.min(at, end - 1), false);
        }
        refuseBackward();
        at = Math.max(0, from + count);
        return new Range(Math.max(1, at), from - 1, true);
    }

    /// Goes to a row; to the place before the first or behind the last if there is none.
    private Range to(long number, long end) {
        if (number <= at && at > 0) {
            refuseBackward();
        }
        at = Math.clamp(number, 0, end);
        return at == 0 || at == end ? new Range(1, 0, false) : new Range(at, at, false);
    }

    private void refuseBackward() {
        if (isForwardOnly) {
            throw new SqlException(
                            SqlState.NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
                    .withHint("Declare it with SCROLL option to enable backward scan.");
        }
    }

    void close() {
        tuples.close();
    }
}
