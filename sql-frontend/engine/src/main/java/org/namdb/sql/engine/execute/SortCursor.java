package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// The tuples in order: all of them are kept in memory, or with a limit only as many as are needed.
final class SortCursor implements TupleCursor {
    private final Execution execution;
    private final PlanNode.Sort node;
    private final @Nullable Frame outer;
    private final TupleOrder order;
    private @Nullable List<TupleOrder.Entry> sorted;
    private long memory;
    private int at;

    SortCursor(Execution execution, PlanNode.Sort node, @Nullable Frame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        order = new TupleOrder(node.order());
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        List<TupleOrder.Entry> entries = sorted;
        if (entries == null) {
            entries = sort();
            sorted = entries;
        }
        return at == entries.size() ? null : entries.get(at++).tuple();
    }

    private List<TupleOrder.Entry> sort() {
        Frame frame = execution.emptyFrame(outer);
        long most = LimitCursor.limit(node.limit(), frame);
        if (most != Long.MAX_VALUE) {
            most = Math.max(most, most + LimitCursor.offset(node.offset(), frame));
        }
        try (TupleCursor input = execution.open(node.input(), outer)) {
            return most == Long.MAX_VALUE ? all(input, frame) : first(input, frame, most);
        }
    }

    private List<TupleOrder.Entry> all(TupleCursor input, Frame frame) {
        List<TupleOrder.Entry> entries = new ArrayList<>();
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            execution.tick();
            memory += execution.memory().take(tuple);
            entries.add(order.entry(tuple, frame, entries.size()));
        }
        entries.sort(order);
        return entries;
    }

    private List<TupleOrder.Entry> first(TupleCursor input, Frame frame, long most) {
        PriorityQueue<TupleOrder.Entry> least = new PriorityQueue<>(order.reversed());
        long number = 0;
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            execution.tick();
            TupleOrder.Entry entry = order.entry(tuple, frame, number++);
            TupleOrder.Entry greatest = least.peek();
            if (least.size() < most) {
                memory += execution.memory().take(tuple);
                least.add(entry);
            } else if (greatest != null && order.compare(entry, greatest) < 0) {
                least.poll();
                least.add(entry);
            }
        }
        List<TupleOrder.Entry> entries = new ArrayList<>(least);
        entries.sort(order);
        return entries;
    }

    @Override
    public void close() {
        sorted = List.of();
        at = 0;
        execution.memory().release(memory);
        memory = 0;
    }
}
