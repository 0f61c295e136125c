package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Joins by equal keys: one input is kept in a hash table, which the other asks.
final class HashJoinCursor extends JoinCursor {
    private final PlanNode.HashJoin node;
    private final @Nullable Frame outerFrame;
    private final HashKey probeKey;
    private final TupleCursor probe;
    private @Nullable TupleTable table;
    private long memory;

    /// With NOT IN: there are NULLs among the right tuples.
    private boolean hasNull;

    private boolean[] hasPartner = {};
    private @Nullable Object key;
    private int candidate = -1;
    private int given = -1;
    private int unmatchedAt;

    HashJoinCursor(Execution execution, PlanNode.HashJoin node, @Nullable Frame outerFrame) {
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
        probe = execution.open(node.probe(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        TupleTable built = table;
        if (built == null) {
            built = build();
            table = built;
        }
        boolean needsRight = node.kind() == JoinKind.INNER || node.kind() == JoinKind.SEMI;
        if (built.size() == 0 && needsRight) {
            return null;
        }
        @Nullable Object[] tuple = probe.next();
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
    }

    @Override
    boolean isUnknown() {
        return hasNull || key == null && table != null && table.size() > 0;
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

    private TupleTable build() {
        HashKey buildKey =
                new HashKey(
                        node.keys().stream().map(PlanNode.JoinKey::build).toList(),
                        node.keys().stream().map(PlanNode.JoinKey::order).toList());
        TupleTable built = new TupleTable(buildKey.isInteger());
        boolean keepsNulls = node.kind() == JoinKind.FULL || node.kind() == JoinKind.NOT_IN;
        try (TupleCursor tuples = execution.open(node.build(), outerFrame)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                Object buildValue = buildKey.orNull(frame.on(tuple));
                hasNull |= buildValue == null;
                if (buildValue != null || keepsNulls) {
                    memory += execution.memory().take(tuple);
                    built.add(buildValue, tuple);
                }
            }
        }
        hasPartner = new boolean[node.kind() == JoinKind.FULL ? built.size() : 0];
        return built;
    }

    @Override
    public void close() {
        probe.close();
        table = null;
        execution.memory().release(memory);
        memory = 0;
    }
}
