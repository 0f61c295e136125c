package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TuplePartitions;
import org.namdb.sql.engine.spill.WorkMemory;

/// Joins by equal keys: one input is kept in a hash table, which is probed with the other. Where
/// the first does not fit into memory, both are spilled to partitions ([SpilledJoin]).
final class HashJoinCursor extends JoinCursor {
    private final PlanNode.HashJoin node;
    private final @Nullable EvaluationFrame outerFrame;
    private final HashKey probeKey;
    private final HashKey buildKey;
    private final WorkMemory memory;
    private final TupleCursor probe;
    private @Nullable TupleTable table;
    private @Nullable SpilledJoin spilled;

    /// With NOT IN: there are NULLs among the right tuples.
    private boolean hasNull;

    private boolean[] hasPartner = {};
    private @Nullable Object key;
    private int candidate = -1;
    private int given = -1;
    private int unmatchedAt;

    HashJoinCursor(
            Execution execution, PlanNode.HashJoin node, @Nullable EvaluationFrame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.probe().fields().size(),
                node.build().fields().size());
        this.node = node;
        this.outerFrame = outerFrame;
        probeKey =
                new HashKey(
                        node.keys().stream().map(PlanNode.JoinKey::probe).toList(),
                        node.keys().stream().map(PlanNode.JoinKey::order).toList());
        buildKey =
                new HashKey(
                        node.keys().stream().map(PlanNode.JoinKey::build).toList(),
                        node.keys().stream().map(PlanNode.JoinKey::order).toList());
        memory = execution.memory(node);
        probe = execution.open(node.probe(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        TupleTable built = table;
        if (built == null) {
            built = build();
            use(built);
        }
        boolean needsRight = node.kind() == JoinKind.INNER || node.kind() == JoinKind.SEMI;
        if (built.size() == 0 && needsRight) {
            return null;
        }
        SpilledJoin parts = spilled;
        @Nullable Object[] tuple = parts == null ? probe.next() : parts.nextProbe();
        if (tuple != null) {
            key = probeKey.orNull(frame.on(tuple));
            candidate = key == null ? -1 : built.first(key);
        }
        return tuple;
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        TupleTable built = table;
        Object wanted = key;
        if (candidate < 0 || built == null || wanted == null) {
            return null;
        }
        given = candidate;
        candidate = built.next(candidate, wanted);
        return built.tuple(given);
    }

    @Override
    void matched() {
        if (node.kind() == JoinKind.FULL) {
            hasPartner[given] = true;
        }
        if (spilled != null) {
            spilled.matched();
        }
    }

    @Override
    boolean isUnmatched(boolean isMatched) {
        return !isMatched && (spilled == null || spilled.isUnmatched());
    }

    @Override
    boolean isUnknown() {
        boolean hasRight = spilled != null || table != null && table.size() > 0;
        return hasNull || key == null && hasRight;
    }

    @Override
    @Nullable Object @Nullable [] nextUnmatchedRight() {
        TupleTable built = table;
        if (node.kind() != JoinKind.FULL || built == null) {
            return null;
        }
        while (unmatchedAt < built.size()) {
            int number = unmatchedAt++;
            if (!hasPartner[number]) {
                return built.tuple(number);
            }
        }
        return null;
    }

    @Override
    boolean nextPart() {
        SpilledJoin parts = spilled;
        if (parts == null) {
            return false;
        }
        table = null;
        TupleTable next = parts.next();
        if (next == null) {
            // An empty table: what was joined must not be given again.
            use(new TupleTable(buildKey.isInteger()));
            return false;
        }
        use(next);
        return true;
    }

    private void use(TupleTable built) {
        table = built;
        hasPartner = new boolean[node.kind() == JoinKind.FULL ? built.size() : 0];
        unmatchedAt = 0;
    }

    /// The whole input; or, when both were spilled, the first of the parts.
    private TupleTable build() {
        TupleTable built = new TupleTable(buildKey.isInteger());
        TuplePartitions partitions = null;
        boolean keepsNulls = node.kind() == JoinKind.FULL || node.kind() == JoinKind.NOT_IN;
        try (TupleCursor tuples = execution.open(node.build(), outerFrame)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                Object buildValue = buildKey.orNull(frame.on(tuple));
                hasNull |= buildValue == null;
                if (buildValue == null && !keepsNulls) {
                    continue;
                }
                if (partitions == null && !memory.tryTake(tuple, TupleTable.ENTRY_BYTES)) {
                    partitions = spill(built);
                    built = new TupleTable(buildKey.isInteger());
                    memory.release();
                }
                if (partitions == null) {
                    built.add(buildValue, tuple);
                } else {
                    partitions.add(partitions.of(buildValue), tuple);
                }
            }
        }
        if (partitions == null) {
            return built;
        }
        SpilledJoin parts =
                new SpilledJoin(execution, memory, buildKey, probeKey, frame, node.kind());
        spilled = parts;
        parts.spread(partitions, probe);
        TupleTable first = parts.next();
        return first == null ? built : first;
    }

    private TuplePartitions spill(TupleTable built) {
        TuplePartitions partitions = new TuplePartitions(memory, 0);
        for (int i = 0; i < built.size(); i++) {
            @Nullable Object[] tuple = built.tuple(i);
            partitions.add(partitions.of(buildKey.orNull(frame.on(tuple))), tuple);
        }
        return partitions;
    }

    @Override
    public void close() {
        probe.close();
        table = null;
        spilled = null;
        memory.close();
    }
}
