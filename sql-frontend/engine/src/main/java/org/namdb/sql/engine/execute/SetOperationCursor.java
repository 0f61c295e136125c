package org.namdb.sql.engine.execute;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// UNION, EXCEPT and INTERSECT.
final class SetOperationCursor implements TupleCursor {
    private final Execution execution;
    private final PlanNode.SetOperation node;
    private final @Nullable Frame outer;
    private final HashKey key;
    private final TupleCursor left;
    private @Nullable TupleCursor right;

    /// How often the right side has a tuple; with UNION, the tuples that were given.
    private final Map<HashKey.Several, int[]> counts = new HashMap<>();

    private boolean isCounted;
    private long memory;

    SetOperationCursor(Execution execution, PlanNode.SetOperation node, @Nullable Frame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        key = TupleKeys.of(node.fields());
        left = execution.open(node.left(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        return switch (node.operator()) {
            case UNION -> nextOfBoth();
            case EXCEPT, INTERSECT -> nextOfLeft();
        };
    }

    private @Nullable Object @Nullable [] nextOfBoth() {
        while (true) {
            @Nullable Object[] tuple = right == null ? left.next() : right.next();
            if (tuple == null) {
                if (right != null) {
                    return null;
                }
                right = execution.open(node.right(), outer);
            } else if (node.isAll() || isNew(tuple)) {
                return tuple;
            }
        }
    }

    private @Nullable Object @Nullable [] nextOfLeft() {
        if (!isCounted) {
            isCounted = true;
            countRight();
        }
        boolean isExcept =
                node.operator() == org.namdb.sql.language.ast.Query.SetOperation.Operator.EXCEPT;
        for (@Nullable Object[] tuple = left.next(); tuple != null; tuple = left.next()) {
            execution.tick();
            if (isExcept ? isLeftOver(tuple) : isShared(tuple)) {
                return tuple;
            }
        }
        return null;
    }

    /// Each tuple of the right side takes one of the left; without ALL, all of them, and the first
    /// is given alone.
    private boolean isLeftOver(@Nullable Object[] tuple) {
        HashKey.Several wanted = key.withNulls(tuple);
        int[] count = counts.get(wanted);
        if (node.isAll()) {
            return count == null || count[0]-- <= 0;
        }
        if (count != null) {
            return false;
        }
        add(wanted, tuple);
        return true;
    }

    private boolean isShared(@Nullable Object[] tuple) {
        int[] count = counts.get(key.withNulls(tuple));
        if (count == null || count[0] <= 0) {
            return false;
        }
        count[0] = node.isAll() ? count[0] - 1 : 0;
        return true;
    }

    private boolean isNew(@Nullable Object[] tuple) {
        execution.tick();
        HashKey.Several wanted = key.withNulls(tuple);
        if (counts.containsKey(wanted)) {
            return false;
        }
        add(wanted, tuple);
        return true;
    }

    private void countRight() {
        try (TupleCursor tuples = execution.open(node.right(), outer)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                HashKey.Several wanted = key.withNulls(tuple);
                int[] count = counts.get(wanted);
                if (count == null) {
                    add(wanted, tuple);
                } else {
                    count[0]++;
                }
            }
        }
    }

    private void add(HashKey.Several wanted, @Nullable Object[] tuple) {
        memory += execution.memory().take(tuple);
        counts.put(wanted, new int[] {1});
    }

    @Override
    public void close() {
        left.close();
        if (right != null) {
            right.close();
        }
        counts.clear();
        execution.memory().release(memory);
        memory = 0;
    }
}
