package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.LongNumbers;
import org.namdb.sql.engine.bind.AggregateScalar;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Accumulator;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// One tuple for each group, in the order in which the groups were met.
final class AggregationCursor implements TupleCursor {
    private static final int GROUP_BYTES = 96;
    private static final int ACCUMULATOR_BYTES = 48;

    private final Execution execution;
    private final PlanNode.Aggregation node;
    private final @Nullable Frame outer;
    private final HashKey key;
    private final AggregateScalar[] calls;
    private final Scalar[] arguments;
    private final List<Group> groups = new ArrayList<>();
    private @Nullable Iterator<Group> given;
    private long memory;

    /// A group: its values of the keys, and its aggregates.
    private static final class Group {
        private final @Nullable Object[] keys;
        private final Accumulator[] accumulators;

        Group(@Nullable Object[] keys, Accumulator[] accumulators) {
            this.keys = keys;
            this.accumulators = accumulators;
        }
    }

    AggregationCursor(Execution execution, PlanNode.Aggregation node, @Nullable Frame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        key = HashKey.of(node.keys());
        calls = node.calls().toArray(new AggregateScalar[0]);
        arguments = new Scalar[calls.length];
        for (int i = 0; i < calls.length; i++) {
            arguments[i] = calls[i].argument();
        }
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        Iterator<Group> all = given;
        if (all == null) {
            group();
            all = groups.iterator();
            given = all;
        }
        return all.hasNext() ? tuple(all.next()) : null;
    }

    private @Nullable Object[] tuple(Group group) {
        int keys = group.keys.length;
        @Nullable Object[] tuple = new @Nullable Object[keys + calls.length];
        System.arraycopy(group.keys, 0, tuple, 0, keys);
        for (int i = 0; i < calls.length; i++) {
            tuple[keys + i] = group.accumulators[i].result();
        }
        return tuple;
    }

    private void group() {
        Frame frame = execution.emptyFrame(outer);
        try (TupleCursor input = execution.open(node.input(), outer)) {
            if (node.keys().isEmpty()) {
                ofAll(input, frame);
            } else if (key.isInteger()) {
                byInteger(input, frame);
            } else {
                byKey(input, frame);
            }
        }
        for (Group group : groups) {
            for (Accumulator accumulator : group.accumulators) {
                take(accumulator.retainedBytes());
            }
        }
    }

    private void ofAll(TupleCursor input, Frame frame) {
        Group all = newGroup(new @Nullable Object[0]);
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            add(all, frame.on(tuple));
        }
    }

    private void byInteger(TupleCursor input, Frame frame) {
        Scalar only = node.keys().getFirst();
        LongNumbers numbers = new LongNumbers();
        Group ofNull = null;
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            Object value = only.evaluate(frame.on(tuple));
            if (value == null) {
                ofNull = ofNull == null ? newGroup(new @Nullable Object[1]) : ofNull;
                add(ofNull, frame);
                continue;
            }
            int number = numbers.numberOf((Long) value, groups.size());
            Group group =
                    number == groups.size()
                            ? newGroup(new @Nullable Object[] {value})
                            : groups.get(number);
            add(group, frame);
        }
    }

    private void byKey(TupleCursor input, Frame frame) {
        Map<HashKey.Several, Group> known = new HashMap<>();
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            @Nullable Object[] values = key.values(frame.on(tuple));
            HashKey.Several wanted = key.withNulls(values);
            Group group = known.get(wanted);
            if (group == null) {
                group = newGroup(values);
                known.put(wanted, group);
            }
            add(group, frame);
        }
    }

    private void add(Group group, Frame frame) {
        execution.tick();
        for (int i = 0; i < arguments.length; i++) {
            group.accumulators[i].add(arguments[i].evaluate(frame));
        }
    }

    private Group newGroup(@Nullable Object[] keys) {
        Accumulator[] accumulators = new Accumulator[calls.length];
        for (int i = 0; i < calls.length; i++) {
            accumulators[i] = calls[i].aggregate().newAccumulator();
        }
        Group group = new Group(keys, accumulators);
        groups.add(group);
        memory += execution.memory().take(keys);
        take(GROUP_BYTES + (long) ACCUMULATOR_BYTES * calls.length);
        return group;
    }

    private void take(long bytes) {
        execution.memory().take(bytes);
        memory += bytes;
    }

    @Override
    public void close() {
        groups.clear();
        given = groups.iterator();
        execution.memory().release(memory);
        memory = 0;
    }
}
