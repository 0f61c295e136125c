package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleFile;
import org.namdb.sql.engine.spill.TuplePartitions;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.ast.Query.SetOperation.Operator;

/// UNION, EXCEPT and INTERSECT. EXCEPT and INTERSECT count the tuples of the right side in a hash
/// table. What does not fit into memory is spilled to partitions, and so are the left tuples that
/// may be equal to them; pairs of partitions are done later, one after the other.
final class SetOperationCursor implements TupleCursor {
    private static final long COUNT_BYTES = 80;

    private final Execution execution;
    private final PlanNode.SetOperation node;
    private final @Nullable EvaluationFrame outer;
    private final HashKey key;
    private final WorkMemory memory;

    /// With UNION and EXCEPT without ALL: the tuples that were given.
    private final DistinctTuples distinct;

    private @Nullable TupleCursor left;
    private boolean isRightOpened;

    /// How often the right side has a tuple.
    private final Map<HashKey.Several, int[]> counts = new HashMap<>();

    private boolean isCounted;

    /// The right tuples that are not counted, and the left ones that may be equal to them.
    private @Nullable TuplePartitions spilledRight;

    private @Nullable TuplePartitions spilledLeft;
    private final Deque<Pair> waiting = new ArrayDeque<>();
    private @Nullable Pair current;

    private record Pair(TupleFile left, TupleFile right, int depth) {}

    SetOperationCursor(
            Execution execution, PlanNode.SetOperation node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        key = TupleKeys.of(node.fields());
        memory = execution.memory(node);
        distinct = new DistinctTuples(key, memory);
        left = execution.open(node.left(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (!isCounted && node.operator() != Operator.UNION) {
            isCounted = true;
            count(execution.open(node.right(), outer), 0);
        }
        while (true) {
            TupleCursor from = left;
            if (from == null) {
                return null;
            }
            for (@Nullable Object[] tuple = from.next(); tuple != null; tuple = from.next()) {
                execution.tick();
                if (isGiven(tuple)) {
                    return tuple;
                }
            }
            from.close();
            left = nextInput();
        }
    }

    private boolean isGiven(@Nullable Object[] tuple) {
        if (node.operator() == Operator.UNION) {
            return node.isAll() || distinct.isNew(tuple);
        }
        HashKey.Several wanted = key.withNulls(tuple);
        int[] count = counts.get(wanted);
        if (count == null && spill(tuple, wanted)) {
            return false;
        }
        return node.operator() == Operator.EXCEPT ? isLeftOver(tuple, count) : isShared(count);
    }

    /// Each tuple of the right side takes one of the left; without ALL, all of them, and the first
    /// is given alone.
    private boolean isLeftOver(@Nullable Object[] tuple, int @Nullable [] count) {
        if (node.isAll()) {
            return count == null || count[0]-- <= 0;
        }
        return count == null && distinct.isNew(tuple);
    }

    private boolean isShared(int @Nullable [] count) {
        if (count == null || count[0] <= 0) {
            return false;
        }
        count[0] = node.isAll() ? count[0] - 1 : 0;
        return true;
    }

    /// Spills a left tuple if an equal one may be among the right ones that were spilled.
    private boolean spill(@Nullable Object[] tuple, HashKey.Several wanted) {
        TuplePartitions right = spilledRight;
        TuplePartitions spilled = spilledLeft;
        if (right == null || spilled == null) {
            return false;
        }
        int partition = right.of(wanted);
        if (right.file(partition) == null) {
            return false;
        }
        spilled.add(partition, tuple);
        return true;
    }

    /// What is to be read when what was read is done; null if there is no more.
    private @Nullable TupleCursor nextInput() {
        if (node.operator() == Operator.UNION && !isRightOpened) {
            isRightOpened = true;
            return execution.open(node.right(), outer);
        }
        queuePairs();
        counts.clear();
        TupleCursor others = distinct.nextPartition();
        return others != null ? others : nextPair();
    }

    private void queuePairs() {
        TuplePartitions right = spilledRight;
        TuplePartitions spilled = spilledLeft;
        spilledRight = null;
        spilledLeft = null;
        if (right == null || spilled == null) {
            return;
        }
        for (int i = 0; i < TuplePartitions.COUNT; i++) {
            TupleFile leftFile = spilled.file(i);
            TupleFile rightFile = right.file(i);
            if (leftFile != null && rightFile != null) {
                waiting.push(new Pair(leftFile, rightFile, right.depth() + 1));
            } else if (rightFile != null) {
                rightFile.close();
            }
        }
    }

    private @Nullable TupleCursor nextPair() {
        if (current != null) {
            current.left().close();
        }
        Pair pair = waiting.poll();
        current = pair;
        if (pair == null) {
            return null;
        }
        count(pair.right().read(), pair.depth());
        pair.right().close();
        return pair.left().read();
    }

    /// Counts right tuples, and spills those that don't fit into memory.
    private void count(TupleCursor right, int depth) {
        try (right) {
            for (@Nullable Object[] tuple = right.next(); tuple != null; tuple = right.next()) {
                execution.tick();
                HashKey.Several wanted = key.withNulls(tuple);
                int[] count = counts.get(wanted);
                if (count != null) {
                    count[0]++;
                    continue;
                }
                TuplePartitions spilled = spilledRight;
                if (spilled == null && memory.tryTake(tuple, COUNT_BYTES)) {
                    counts.put(wanted, new int[] {1});
                    continue;
                }
                if (spilled == null) {
                    spilled = new TuplePartitions(memory, depth);
                    spilledRight = spilled;
                    spilledLeft = new TuplePartitions(memory, depth);
                }
                spilled.add(spilled.of(wanted), tuple);
            }
        }
    }

    @Override
    public void close() {
        if (left != null) {
            left.close();
        }
        left = null;
        counts.clear();
        waiting.clear();
        distinct.clear();
        memory.close();
    }
}
