package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.LongNumbers;
import org.namdb.sql.engine.bind.AggregateScalar;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Accumulator;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleFile;
import org.namdb.sql.engine.spill.TuplePartitions;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.type.SqlType;

/// One tuple for each group, in the order in which the groups were met, as long as they fit into
/// memory. When they don't, tuples of further groups are spilled to partitions, which are grouped
/// when the groups before them were given.
///
/// Of an aggregate with DISTINCT, the values that don't fit into memory are spilled, each with the
/// number of its group, and are added when all tuples were read.
final class AggregationCursor implements TupleCursor {
    private static final int GROUP_BYTES = 96;
    private static final int ACCUMULATOR_BYTES = 48;

    private final Execution execution;
    private final PlanNode.Aggregation node;
    private final @Nullable EvaluationFrame outer;
    private final HashKey key;

    /// Whether keys must not be evaluated twice: they are spilled behind their tuple.
    private final boolean hasVolatileKey;

    private final AggregateScalar[] calls;
    private final Scalar[] arguments;
    private final List<Group> groups = new ArrayList<>();
    private final WorkMemory memory;

    /// By call: what finds the values, in pairs of a group's number and a value, that are met for
    /// the first time; null without DISTINCT.
    private final @Nullable DistinctTuples[] distinct;

    private final List<WorkMemory> distinctMemory = new ArrayList<>();
    private final EvaluationFrame frame;
    private final Deque<Partition> waiting = new ArrayDeque<>();
    private @Nullable TuplePartitions spilled;
    private @Nullable Iterator<Group> given;

    private record Partition(TupleFile file, int depth) {}

    /// A group: its values of the keys, and its aggregates.
    private static final class Group {
        private final Long number;
        private final @Nullable Object[] keys;
        private final Accumulator[] accumulators;

        Group(long number, @Nullable Object[] keys, Accumulator[] accumulators) {
            this.number = number;
            this.keys = keys;
            this.accumulators = accumulators;
        }
    }

    AggregationCursor(
            Execution execution, PlanNode.Aggregation node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        key = HashKey.of(node.keys());
        hasVolatileKey = node.keys().stream().anyMatch(Constants::isVolatile);
        memory = execution.memory(node);
        frame = execution.emptyFrame(outer);
        calls = node.calls().toArray(new AggregateScalar[0]);
        arguments = new Scalar[calls.length];
        distinct = new @Nullable DistinctTuples[calls.length];
        for (int i = 0; i < calls.length; i++) {
            arguments[i] = calls[i].argument();
        }
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        Iterator<Group> all = given;
        if (all == null) {
            try (TupleCursor input = execution.open(node.input(), outer)) {
                all = group(input, 0);
            }
        }
        while (!all.hasNext()) {
            Partition next = waiting.poll();
            if (next == null) {
                return null;
            }
            try (TupleFile file = next.file()) {
                all = group(file.read(), next.depth());
            }
        }
        return tuple(all.next());
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

    private Iterator<Group> group(TupleCursor input, int depth) {
        groups.clear();
        memory.release();
        startDistinct();
        if (node.keys().isEmpty()) {
            ofAll(input);
        } else if (key.isInteger()) {
            byInteger(input, depth);
        } else {
            byKey(input, depth);
        }
        if (depth == 0 && groups.isEmpty()) {
            node.whenEmpty().forEach(this::ofNone);
        }
        addSpilledValues();
        for (Group group : groups) {
            for (Accumulator accumulator : group.accumulators) {
                memory.take(accumulator.retainedBytes());
            }
        }
        queuePartitions();
        Iterator<Group> all = groups.iterator();
        given = all;
        return all;
    }

    private void startDistinct() {
        for (int i = 0; i < calls.length; i++) {
            Aggregate aggregate = calls[i].aggregate();
            if (aggregate.isDistinct() && aggregate.hasPlainValues()) {
                WorkMemory values = execution.memory(node);
                distinctMemory.add(values);
                HashKey pair =
                        HashKey.of(
                                List.of(
                                        new ColumnScalar(0, SqlType.BIGINT, "group"),
                                        new ColumnScalar(1, arguments[i].type(), "value")));
                distinct[i] = new DistinctTuples(pair, values);
            }
        }
    }

    private void addSpilledValues() {
        for (int i = 0; i < calls.length; i++) {
            DistinctTuples values = distinct[i];
            if (values != null) {
                addSpilledValues(i, values);
            }
        }
        distinctMemory.forEach(WorkMemory::close);
        distinctMemory.clear();
    }

    private void addSpilledValues(int call, DistinctTuples values) {
        for (TupleCursor left = values.nextPartition();
                left != null;
                left = values.nextPartition()) {
            for (@Nullable Object[] pair = left.next(); pair != null; pair = left.next()) {
                execution.tick();
                if (values.isNew(pair)) {
                    int group = ((Long) Objects.requireNonNull(pair[0])).intValue();
                    groups.get(group).accumulators[call].add(pair[1]);
                }
            }
        }
    }

    private void queuePartitions() {
        TuplePartitions partitions = spilled;
        spilled = null;
        for (int i = 0; partitions != null && i < TuplePartitions.COUNT; i++) {
            TupleFile file = partitions.file(i);
            if (file != null) {
                waiting.push(new Partition(file, partitions.depth() + 1));
            }
        }
    }

    /// A group of no tuples.
    private void ofNone(Long lastKey) {
        @Nullable Object[] keys = new @Nullable Object[node.keys().size()];
        keys[keys.length - 1] = lastKey;
        newGroup(keys);
    }

    private void ofAll(TupleCursor input) {
        Group all = newGroup(new @Nullable Object[0]);
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            add(all, frame.on(tuple));
        }
    }

    private void byInteger(TupleCursor input, int depth) {
        Scalar only = node.keys().getFirst();
        LongNumbers numbers = new LongNumbers();
        Group ofNull = null;
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            frame.on(tuple);
            Object value = isKeyBehind(depth) ? tuple[tuple.length - 1] : only.evaluate(frame);
            if (value == null) {
                ofNull = ofNull == null ? newGroup(new @Nullable Object[1]) : ofNull;
                add(ofNull, frame);
                continue;
            }
            int number = numbers.numberOf((Long) value);
            if (number == LongNumbers.NONE) {
                @Nullable Object[] values = {value};
                if (spill(tuple, value, values, depth)) {
                    continue;
                }
                number = numbers.numberOf((Long) value, groups.size());
                newGroup(values);
            }
            add(groups.get(number), frame);
        }
    }

    private void byKey(TupleCursor input, int depth) {
        Map<HashKey.Several, Group> known = new HashMap<>();
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            frame.on(tuple);
            @Nullable Object[] values =
                    isKeyBehind(depth)
                            ? Arrays.copyOfRange(
                                    tuple, tuple.length - node.keys().size(), tuple.length)
                            : key.values(frame);
            HashKey.Several wanted = key.withNulls(values);
            Group group = known.get(wanted);
            if (group == null) {
                if (spill(tuple, wanted, values, depth)) {
                    continue;
                }
                group = newGroup(values);
                known.put(wanted, group);
            }
            add(group, frame);
        }
    }

    /// Spills a tuple of a new group, if there is no memory for the group.
    private boolean spill(
            @Nullable Object[] tuple, Object wanted, @Nullable Object[] values, int depth) {
        TuplePartitions partitions = spilled;
        if (partitions == null) {
            long groupBytes = GROUP_BYTES + (long) ACCUMULATOR_BYTES * calls.length;
            if (memory.tryTake(values, groupBytes)) {
                return false;
            }
            partitions = new TuplePartitions(memory, depth);
            spilled = partitions;
        }
        partitions.add(
                partitions.of(wanted),
                hasVolatileKey && depth == 0 ? withKey(tuple, values) : tuple);
        return true;
    }

    private boolean isKeyBehind(int depth) {
        return hasVolatileKey && depth > 0;
    }

    private static @Nullable Object[] withKey(@Nullable Object[] tuple, @Nullable Object[] values) {
        @Nullable Object[] both = Arrays.copyOf(tuple, tuple.length + values.length);
        System.arraycopy(values, 0, both, tuple.length, values.length);
        return both;
    }

    private void add(Group group, EvaluationFrame groupFrame) {
        execution.tick();
        for (int i = 0; i < arguments.length; i++) {
            Object value = arguments[i].evaluate(groupFrame);
            DistinctTuples values = distinct[i];
            if (values == null
                    || value != null && values.isNew(new Object[] {group.number, value})) {
                group.accumulators[i].add(value);
            }
        }
    }

    private Group newGroup(@Nullable Object[] keys) {
        Accumulator[] accumulators = new Accumulator[calls.length];
        for (int i = 0; i < calls.length; i++) {
            Aggregate aggregate = calls[i].aggregate();
            accumulators[i] =
                    distinct[i] == null
                            ? aggregate.newAccumulator()
                            : aggregate.newAccumulatorOfDistinct();
        }
        Group group = new Group(groups.size(), keys, accumulators);
        groups.add(group);
        return group;
    }

    @Override
    public void close() {
        groups.clear();
        waiting.clear();
        given = groups.iterator();
        distinctMemory.forEach(WorkMemory::close);
        memory.close();
    }
}
