package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.WindowScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.type.ValueOrder;

/// The tuples with the values of window functions behind them. Tuples come partition by partition,
/// in the window's order. Numbers and ranks are counted as they pass; for all other functions a
/// partition is kept in memory.
final class WindowCursor implements TupleCursor {
    private static final long RESULT_BYTES = 32;
    private static final Set<String> COUNTED = Set.of("row_number", "rank", "dense_rank");

    private final Execution execution;
    private final PlanNode.Window node;
    private final @Nullable EvaluationFrame outer;
    private final EvaluationFrame frame;
    private final WorkMemory memory;
    private final Keys partitionKeys;
    private final Keys orderKeys;
    private final boolean isCounted;
    private @Nullable TupleCursor input;

    /// The values of the tuple before, while tuples are counted.
    private @Nullable Object @Nullable [] partition;

    private @Nullable Object[] order = {};
    private long number;
    private long rank;
    private long denseRank;

    /// The first tuple of the next partition.
    private @Nullable Object @Nullable [] next;

    private List<@Nullable Object[]> results = List.of();
    private int at;

    /// What tuples are compared by.
    private static final class Keys {
        private final Scalar[] values;
        private final ValueOrder[] orders;

        Keys(List<Scalar> values) {
            this.values = values.toArray(new Scalar[0]);
            this.orders =
                    values.stream()
                            .map(value -> ValueOrder.of(value.type()))
                            .toArray(ValueOrder[]::new);
        }

        @Nullable Object[] of(EvaluationFrame frame) {
            @Nullable Object[] keys = new @Nullable Object[values.length];
            for (int i = 0; i < values.length; i++) {
                keys[i] = values[i].evaluate(frame);
            }
            return keys;
        }

        boolean areEqual(@Nullable Object[] a, @Nullable Object[] b) {
            for (int i = 0; i < orders.length; i++) {
                Object x = a[i];
                Object y = b[i];
                boolean isEqual =
                        x == null || y == null
                                ? x == null && y == null
                                : orders[i].compare(x, y) == 0;
                if (!isEqual) {
                    return false;
                }
            }
            return true;
        }
    }

    WindowCursor(Execution execution, PlanNode.Window node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        this.frame = execution.emptyFrame(outer);
        this.memory = execution.memory(node);
        this.partitionKeys = new Keys(node.partition());
        this.orderKeys = new Keys(node.order().stream().map(Relation.Ordering::value).toList());
        this.isCounted = node.calls().stream().allMatch(call -> COUNTED.contains(call.function()));
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        TupleCursor tuples = input;
        if (tuples == null) {
            tuples = execution.open(node.input(), outer);
            input = tuples;
            next = isCounted ? null : tuples.next();
        }
        execution.tick();
        if (isCounted) {
            @Nullable Object[] tuple = tuples.next();
            return tuple == null ? null : counted(tuple);
        }
        if (at == results.size()) {
            results = List.of();
            memory.release();
            @Nullable Object[] first = next;
            if (first == null) {
                return null;
            }
            results = evaluated(partition(tuples, first));
            at = 0;
        }
        return results.get(at++);
    }

    private @Nullable Object[] counted(@Nullable Object[] tuple) {
        frame.on(tuple);
        @Nullable Object[] ofPartition = partitionKeys.of(frame);
        @Nullable Object[] ofOrder = orderKeys.of(frame);
        @Nullable Object[] before = partition;
        boolean isNew = before == null || !partitionKeys.areEqual(before, ofPartition);
        if (isNew) {
            number = 0;
            denseRank = 0;
        }
        number++;
        if (isNew || !orderKeys.areEqual(order, ofOrder)) {
            rank = number;
            denseRank++;
        }
        partition = ofPartition;
        order = ofOrder;
        @Nullable Object[] result = wider(tuple);
        for (int i = 0; i < node.calls().size(); i++) {
            result[tuple.length + i] =
                    switch (node.calls().get(i).function()) {
                        case "row_number" -> number;
                        case "rank" -> rank;
                        default -> denseRank;
                    };
        }
        return result;
    }

    private @Nullable Object[] wider(@Nullable Object[] tuple) {
        return Arrays.copyOf(tuple, tuple.length + node.calls().size());
    }

    /// The tuples of a partition, which begins with `first`.
    private List<@Nullable Object[]> partition(TupleCursor tuples, @Nullable Object[] first) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        @Nullable Object[] keys = partitionKeys.of(frame.on(first));
        @Nullable Object[] tuple = first;
        while (tuple != null && partitionKeys.areEqual(keys, partitionKeys.of(frame.on(tuple)))) {
            execution.tick();
            memory.take(tuple);
            memory.take(RESULT_BYTES * (node.calls().size() + node.order().size()));
            rows.add(tuple);
            tuple = tuples.next();
        }
        next = tuple;
        return rows;
    }

    private List<@Nullable Object[]> evaluated(List<@Nullable Object[]> rows) {
        int[] groups = groups(rows);
        List<@Nullable Object[]> wide = new ArrayList<>(rows.size());
        rows.forEach(row -> wide.add(wider(row)));
        for (int i = 0; i < node.calls().size(); i++) {
            WindowScalar call = node.calls().get(i);
            WindowPartition values = new WindowPartition(rows, groups, call, frame, execution);
            for (int row = 0; row < rows.size(); row++) {
                execution.tick();
                @Nullable Object[] result = wide.get(row);
                result[result.length - node.calls().size() + i] = values.value(row);
            }
        }
        return wide;
    }

    /// Where each group of rows begins that are equal in the order; the last one's end.
    private int[] groups(List<@Nullable Object[]> rows) {
        int[] starts = new int[rows.size() + 1];
        int count = 0;
        @Nullable Object[] before = {};
        for (int row = 0; row < rows.size(); row++) {
            @Nullable Object[] keys = orderKeys.of(frame.on(rows.get(row)));
            if (row == 0 || !orderKeys.areEqual(before, keys)) {
                starts[count++] = row;
            }
            before = keys;
        }
        starts[count] = rows.size();
        return Arrays.copyOf(starts, count + 1);
    }

    @Override
    public void close() {
        TupleCursor tuples = input;
        if (tuples != null) {
            tuples.close();
        }
        results = List.of();
        at = 0;
        next = null;
        memory.close();
    }
}
