package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.TableShape;
import org.namdb.sql.engine.record.KeyWriter;
import org.namdb.sql.engine.record.KeyWriter.Bound;

/// Rows by ranges of an ordered index.
final class RangeSource implements RowSource {
    private final Transaction transaction;
    private final TableShape shape;
    private final Index index;
    private final boolean isDescending;
    private final List<Range> ranges = new ArrayList<>();
    private int nextRange;
    private @Nullable RowCursor current;

    /// How many rows are still expected; 0 if that is not known.
    private int expected;

    /// From the least to the greatest entry.
    private record Range(Key from, Key to) {}

    RangeSource(
            Transaction transaction,
            TableShape shape,
            AccessPath.ByRange path,
            EvaluationFrame frame) {
        this.transaction = transaction;
        this.shape = shape;
        this.index = Objects.requireNonNull(path.index().index());
        this.isDescending = path.isDescending();
        Set<String> known = new HashSet<>();
        boolean isOne = path.prefixes().size() == 1;
        List<List<Scalar>> prefixes =
                isOne ? path.prefixes() : KeyList.expanded(path.prefixes(), frame);
        for (List<Scalar> prefix : prefixes) {
            Range range = range(path, prefix, frame);
            if (range != null
                    && (isOne || known.add(java.util.Arrays.toString(range.from.words())))) {
                ranges.add(range);
            }
        }
    }

    private @Nullable Range range(
            AccessPath.ByRange path, List<Scalar> prefix, EvaluationFrame frame) {
        Key from = index.newKey();
        if (!KeyList.fill(from, prefix, frame)) {
            return null;
        }
        Key to = index.newKey().set(from);
        return bound(from, to, path.interval(), frame) ? new Range(from, to) : null;
    }

    /// @return false if nothing lies in the interval
    private static boolean bound(
            Key from, Key to, AccessPath.Interval interval, EvaluationFrame frame) {
        Bound low = Bound.OPEN;
        Bound high = Bound.OPEN;
        if (interval.start() != null) {
            low = KeyWriter.addStart(from, to, interval.start().evaluate(frame));
            high = low;
        } else {
            if (interval.low() != null) {
                low = KeyWriter.addBound(from, interval.low().evaluate(frame), true);
            }
            if (interval.high() != null) {
                high = KeyWriter.addBound(to, interval.high().evaluate(frame), false);
            }
        }
        // NULLs lie behind all values.
        if (high == Bound.OPEN && !interval.hasNulls()) {
            to.endNotNull();
        }
        return low != Bound.EMPTY && high != Bound.EMPTY;
    }

    /// Whether a scan of the whole table is expected to cost less.
    boolean isLarge() {
        double share = 0;
        for (Range range : ranges) {
            share += transaction.share(index, shape.table().stored(), range.from, range.to);
        }
        return share > AccessPath.MAX_RANGE;
    }

    @Override
    public @Nullable Row next() {
        while (true) {
            RowCursor cursor = current;
            Row row = cursor == null ? null : cursor.next();
            if (row != null) {
                expected = Math.max(0, expected - 1);
                return row;
            }
            close();
            if (nextRange == ranges.size()) {
                return null;
            }
            Range range = ranges.get(nextRange++);
            Table table = shape.table().stored();
            current =
                    isDescending
                            ? transaction.streamDescending(
                                    index, table, range.from, range.to, shape.projection())
                            : transaction.streamAscending(
                                    index, table, range.from, range.to, shape.projection());
            if (expected > 0) {
                current = current.expecting(expected);
            }
        }
    }

    @Override
    public void expect(int count) {
        expected = count;
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
