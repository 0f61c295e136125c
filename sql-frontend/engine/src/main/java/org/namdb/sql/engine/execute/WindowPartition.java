package org.namdb.sql.engine.execute;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.WindowScalar;
import org.namdb.sql.engine.bind.WindowScalar.Bounds;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Accumulator;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.language.ast.WindowFrame.Exclusion;
import org.namdb.sql.language.ast.WindowFrame.Kind;
import org.namdb.sql.language.ast.WindowFrame.Unit;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ValueOrder;

/// A window function over the rows of one partition, in their order. Its rows are read one after
/// the other.
final class WindowPartition {
    private final List<@Nullable Object[]> rows;

    /// Where each group of rows begins that are equal in the order, and the end of the last one.
    private final int[] groups;

    private final WindowScalar call;
    private final Bounds bounds;
    private final EvaluationFrame frame;
    private final Execution execution;

    /// The offsets of the frame in rows or groups, at most the number of rows; 0 if there are none.
    private final long startOffset;

    private final long endOffset;

    /// The group of the current row.
    private int group;

    private int start;
    private int end;

    /// The rows that are in the accumulator.
    private int addedFrom;

    private int addedTo;
    private @Nullable Accumulator accumulator;

    WindowPartition(
            List<@Nullable Object[]> rows,
            int[] groups,
            WindowScalar call,
            EvaluationFrame frame,
            Execution execution) {
        this.rows = rows;
        this.groups = groups;
        this.call = call;
        this.bounds = call.bounds();
        this.frame = frame;
        this.execution = execution;
        boolean isCounted = bounds.unit() != Unit.RANGE;
        this.startOffset = isCounted ? offset(bounds.start(), "starting") : 0;
        this.endOffset = isCounted ? offset(bounds.end(), "ending") : 0;
    }

    private long offset(@Nullable Scalar scalar, String side) {
        if (scalar == null) {
            return 0;
        }
        if (!(scalar.evaluate(frame.on(rows.getFirst())) instanceof Long offset)) {
            throw new SqlException(
                    SqlState.NULL_VALUE_NOT_ALLOWED, "frame " + side + " offset must not be null");
        }
        if (offset < 0) {
            throw new SqlException(
                    SqlState.INVALID_FRAME_OFFSET,
                    "frame " + side + " offset must not be negative");
        }
        return Math.min(offset, rows.size()); // no sum overflows
    }

    /// The function's value for a row.
    @Nullable Object value(int row) {
        while (groups[group + 1] <= row) {
            group++;
        }
        int count = rows.size();
        return switch (call.function()) {
            case "row_number" -> (long) row + 1;
            case "rank" -> (long) groups[group] + 1;
            case "dense_rank" -> (long) group + 1;
            case "percent_rank" -> count == 1 ? 0.0 : (double) groups[group] / (count - 1);
            case "cume_dist" -> (double) groups[group + 1] / count;
            case "ntile" -> tile(row);
            case "lag" -> away(row, -1);
            case "lead" -> away(row, 1);
            default -> ofFrame(row);
        };
    }

    private @Nullable Object argument(int number, int row) {
        return call.arguments().get(number).evaluate(frame.on(rows.get(row)));
    }

    /// The first tiles are one row larger, if not all can be of one size.
    private @Nullable Object tile(int row) {
        if (!(argument(0, 0) instanceof Long tiles)) {
            return null;
        }
        if (tiles <= 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_NTILE,
                    "argument of ntile must be greater than zero");
        }
        long size = rows.size() / tiles;
        long larger = rows.size() % tiles;
        return row < larger * (size + 1)
                ? row / (size + 1) + 1
                : larger + (row - larger * (size + 1)) / size + 1;
    }

    private @Nullable Object away(int row, int direction) {
        long by = 1;
        if (call.arguments().size() > 1) {
            if (!(argument(1, row) instanceof Long given)) {
                return null;
            }
            by = given;
        }
        long at = row + direction * by;
        if (at >= 0 && at < rows.size()) {
            return argument(0, (int) at);
        }
        return call.arguments().size() > 2 ? argument(2, row) : null;
    }

    private @Nullable Object ofFrame(int row) {
        start = start(row);
        end = Math.max(start, end(row));
        boolean isWhole = bounds.exclusion() == Exclusion.NO_OTHERS;
        Aggregate aggregate = call.aggregate();
        if (aggregate != null) {
            return isWhole ? aggregated(aggregate) : aggregatedOfSome(aggregate, row);
        }
        int at =
                switch (call.function()) {
                    case "first_value" -> isWhole ? start : member(row, 1);
                    case "last_value" -> isWhole ? end - 1 : lastMember(row);
                    default -> nth(row, isWhole);
                };
        return at >= start && at < end ? argument(0, at) : null;
    }

    private boolean isExcluded(int at, int row) {
        return switch (bounds.exclusion()) {
            case NO_OTHERS -> false;
            case CURRENT_ROW -> at == row;
            case GROUP -> at >= groups[group] && at < groups[group + 1];
            case TIES -> at != row && at >= groups[group] && at < groups[group + 1];
        };
    }

    /// Row `number`, from 1, of those in the frame that are not excluded; its end if there are not
    /// so many.
    private int member(int row, long number) {
        long left = number;
        int at = start;
        while (at < end) {
            execution.tick();
            if (!isExcluded(at, row) && --left == 0) {
                return at;
            }
            at++;
        }
        return end;
    }

    private int lastMember(int row) {
        int at = end - 1;
        while (at >= start && isExcluded(at, row)) {
            execution.tick();
            at--;
        }
        return at;
    }

    private @Nullable Object aggregatedOfSome(Aggregate aggregate, int row) {
        Accumulator values = aggregate.newAccumulator();
        for (int at = start; at < end; at++) {
            execution.tick();
            if (!isExcluded(at, row)) {
                values.add(argument(0, at));
            }
        }
        return values.result();
    }

    private int nth(int row, boolean isWhole) {
        if (!(argument(1, row) instanceof Long number)) {
            return -1;
        }
        if (number <= 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_NTH_VALUE,
                    "argument of nth_value must be greater than zero");
        }
        if (!isWhole) {
            return member(row, number);
        }
        return number > end - start ? -1 : (int) (start + number - 1);
    }

    /// A frame that has only grown is continued, another one is computed anew.
    private @Nullable Object aggregated(Aggregate aggregate) {
        Accumulator values = accumulator;
        if (values == null || start != addedFrom || end < addedTo) {
            values = aggregate.newAccumulator();
            accumulator = values;
            addedFrom = start;
            addedTo = start;
        }
        while (addedTo < end) {
            execution.tick();
            values.add(argument(0, addedTo++));
        }
        return values.result();
    }

    private int start(int row) {
        Kind kind = bounds.startKind();
        if (kind == Kind.UNBOUNDED_PRECEDING) {
            return 0;
        }
        return switch (bounds.unit()) {
            case ROWS ->
                    switch (kind) {
                        case PRECEDING -> clamp(row - startOffset);
                        case FOLLOWING -> clamp(row + startOffset);
                        default -> row;
                    };
            case GROUPS ->
                    switch (kind) {
                        case PRECEDING -> groupStart(group - startOffset);
                        case FOLLOWING -> groupStart(group + startOffset);
                        default -> groups[group];
                    };
            case RANGE ->
                    kind == Kind.CURRENT_ROW
                            ? groups[group]
                            : limit(row, bounds.start(), kind, false);
        };
    }

    private int end(int row) {
        Kind kind = bounds.endKind();
        if (kind == Kind.UNBOUNDED_FOLLOWING) {
            return rows.size();
        }
        return switch (bounds.unit()) {
            case ROWS ->
                    switch (kind) {
                        case PRECEDING -> clamp(row - endOffset + 1);
                        case FOLLOWING -> clamp(row + endOffset + 1);
                        default -> row + 1;
                    };
            case GROUPS ->
                    switch (kind) {
                        case PRECEDING -> groupStart(group - endOffset + 1);
                        case FOLLOWING -> groupStart(group + endOffset + 1);
                        default -> groups[group + 1];
                    };
            case RANGE ->
                    kind == Kind.CURRENT_ROW
                            ? groups[group + 1]
                            : limit(row, bounds.end(), kind, true);
        };
    }

    private int clamp(long row) {
        return Math.clamp(row, 0, rows.size());
    }

    private int groupStart(long number) {
        return groups[Math.clamp(number, 0, groups.length - 1)];
    }

    /// The first row behind a value of the order, or the first that is not before it. A row without
    /// a value has those without one in its frame.
    private int limit(int row, @Nullable Scalar scalar, Kind kind, boolean isBehind) {
        Scalar value = bounds.value();
        if (scalar == null || value == null) {
            throw new IllegalStateException("no offset");
        }
        Object own = value.evaluate(frame.on(rows.get(row)));
        boolean isBeyond = false;
        Object wanted = null;
        try {
            wanted = scalar.evaluate(frame.on(rows.get(row)));
        } catch (SqlException e) {
            if (e.state() != SqlState.NUMERIC_OUT_OF_RANGE) {
                throw e;
            }
            isBeyond = true; // all values of the type are on one side of it
        }
        if (own == null || wanted == null && !isBeyond) {
            return isBehind ? groups[group + 1] : groups[group];
        }
        ValueOrder order = ValueOrder.of(value.type());
        int direction = call.isDescending() ? -1 : 1;
        int side = kind == Kind.PRECEDING ? -1 : 1;
        if (wanted != null && side * direction * order.compare(wanted, own) < 0) {
            throw new SqlException(
                    SqlState.INVALID_FRAME_OFFSET,
                    "invalid preceding or following size in window function");
        }
        int low = 0;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            Object found = value.evaluate(frame.on(rows.get(middle)));
            boolean isBefore =
                    found == null
                            ? call.areNullsFirst()
                            : wanted == null
                                    ? side > 0
                                    : direction * order.compare(found, wanted) < (isBehind ? 1 : 0);
            if (isBefore) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
