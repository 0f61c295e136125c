package org.namdb.sql.engine.execute;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.ValueOrder;

/// The order of ORDER BY.
final class TupleOrder implements Comparator<TupleOrder.Entry> {
    private final Scalar[] values;
    private final ValueOrder[] orders;
    private final boolean[] isDescending;
    private final boolean[] nullsFirst;

    /// Whether all keys are columns of the tuple.
    private final boolean areColumns;

    TupleOrder(List<Relation.Ordering> parts) {
        int count = parts.size();
        values = new Scalar[count];
        orders = new ValueOrder[count];
        isDescending = new boolean[count];
        nullsFirst = new boolean[count];
        for (int i = 0; i < count; i++) {
            values[i] = parts.get(i).value();
            orders[i] = ValueOrder.of(values[i].type());
            isDescending[i] = parts.get(i).isDescending();
            nullsFirst[i] = parts.get(i).nullsFirst();
        }
        areColumns = Arrays.stream(values).allMatch(ColumnScalar.class::isInstance);
    }

    /// A tuple, what it is ordered by, and its number among all tuples, which decides where they
    /// are equal.
    static final class Entry {
        private final @Nullable Object[] keys;
        private final @Nullable Object[] tuple;
        private final long number;

        private Entry(@Nullable Object[] keys, @Nullable Object[] tuple, long number) {
            this.keys = keys;
            this.tuple = tuple;
            this.number = number;
        }

        @Nullable Object[] tuple() {
            return tuple;
        }

        long number() {
            return number;
        }
    }

    Entry entry(@Nullable Object[] tuple, EvaluationFrame frame, long number) {
        frame.on(tuple);
        @Nullable Object[] keys = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            keys[i] = values[i].evaluate(frame);
        }
        return new Entry(keys, tuple, number);
    }

    /// An entry's tuple, with the keys behind it unless they are columns: `random()` is evaluated
    /// once.
    @Nullable Object[] withKeys(Entry entry) {
        if (areColumns) {
            return entry.tuple;
        }
        int width = entry.tuple.length;
        @Nullable Object[] both = Arrays.copyOf(entry.tuple, width + values.length);
        System.arraycopy(entry.keys, 0, both, width, values.length);
        return both;
    }

    /// The entry of what [#withKeys] gave.
    Entry entryWithKeys(@Nullable Object[] tuple, EvaluationFrame frame, long number) {
        if (areColumns) {
            return entry(tuple, frame, number);
        }
        int width = tuple.length - values.length;
        return new Entry(
                Arrays.copyOfRange(tuple, width, tuple.length),
                Arrays.copyOf(tuple, width),
                number);
    }

    @Override
    public int compare(Entry a, Entry b) {
        for (int i = 0; i < values.length; i++) {
            Object x = a.keys[i];
            Object y = b.keys[i];
            int order;
            if (x == null || y == null) {
                order = x == y ? 0 : (x == null) == nullsFirst[i] ? -1 : 1;
            } else {
                order = orders[i].compare(x, y);
                order = isDescending[i] ? -order : order;
            }
            if (order != 0) {
                return order;
            }
        }
        return Long.compare(a.number, b.number);
    }
}
