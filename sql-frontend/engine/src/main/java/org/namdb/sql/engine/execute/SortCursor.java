package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleFile;
import org.namdb.sql.engine.spill.WorkMemory;

/// The tuples in order. They are kept in memory, with a limit only as many as are needed; what does
/// not fit becomes sorted runs in temporary files, which are merged.
///
/// Runs follow each other as their tuples do in the input. So of tuples that are equal in the order
/// the one of the earlier run is first, and the sort is stable.
final class SortCursor implements TupleCursor {
    /// An entry, its keys, and its place in a list.
    private static final long ENTRY_BYTES = 96;

    /// What a run needs while it is merged.
    private static final long RUN_BYTES = 96 << 10;

    private static final int MIN_MERGED_RUNS = 8;

    private final Execution execution;
    private final PlanNode.Sort node;
    private final @Nullable EvaluationFrame outer;
    private final TupleOrder order;
    private final WorkMemory memory;
    private final EvaluationFrame frame;
    private final Deque<TupleFile> runs = new ArrayDeque<>();
    private @Nullable TupleCursor sorted;

    SortCursor(Execution execution, PlanNode.Sort node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        order = new TupleOrder(node.order());
        memory = execution.memory(node);
        frame = execution.emptyFrame(outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        TupleCursor tuples = sorted;
        if (tuples == null) {
            tuples = sort();
            sorted = tuples;
        }
        return tuples.next();
    }

    private TupleCursor sort() {
        long most = LimitCursor.limit(node.limit(), frame);
        if (most != Long.MAX_VALUE) {
            most = Math.max(most, most + LimitCursor.offset(node.offset(), frame));
        }
        List<TupleOrder.Entry> entries = new ArrayList<>();
        try (TupleCursor input = execution.open(node.input(), outer)) {
            if (most == Long.MAX_VALUE || !first(input, most, entries)) {
                all(input, entries);
            }
        }
        entries.sort(order);
        if (runs.isEmpty()) {
            return new SortedEntries(entries);
        }
        spill(entries);
        return mergeAll();
    }

    private void all(TupleCursor input, List<TupleOrder.Entry> entries) {
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            execution.tick();
            if (!memory.tryTake(tuple, ENTRY_BYTES)) {
                entries.sort(order);
                spill(entries);
                boolean _ = memory.tryTake(tuple, ENTRY_BYTES);
            }
            entries.add(order.entry(tuple, frame, entries.size()));
        }
    }

    /// Keeps only as many tuples as are needed.
    ///
    /// @param entries gets those of the tuples that were not spilled
    /// @return false if they don't fit into memory, so that the remaining input has to be sorted
    private boolean first(TupleCursor input, long most, List<TupleOrder.Entry> entries) {
        PriorityQueue<TupleOrder.Entry> least = new PriorityQueue<>(order.reversed());
        long number = 0;
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            execution.tick();
            TupleOrder.Entry entry = order.entry(tuple, frame, number++);
            TupleOrder.Entry greatest = least.size() < most ? null : least.peek();
            if (least.size() >= most && (greatest == null || order.compare(entry, greatest) >= 0)) {
                continue;
            }
            if (greatest != null) {
                least.remove();
                memory.free(greatest.tuple(), ENTRY_BYTES);
            }
            least.add(entry);
            if (!memory.tryTake(tuple, ENTRY_BYTES)) {
                entries.addAll(least);
                entries.sort(order);
                spill(entries);
                return false;
            }
        }
        entries.addAll(least);
        return true;
    }

    /// Writes sorted entries to a run of their own.
    private void spill(List<TupleOrder.Entry> entries) {
        TupleFile run = memory.newFile();
        for (TupleOrder.Entry entry : entries) {
            execution.tick();
            run.add(order.withKeys(entry));
        }
        runs.add(run);
        entries.clear();
        memory.release();
    }

    /// Merges neighbouring runs until so few are left that each can have a buffer, and then those.
    private TupleCursor mergeAll() {
        int most = Math.max(MIN_MERGED_RUNS, memory.buffers(RUN_BYTES));
        while (runs.size() > most) {
            List<TupleFile> merged = new ArrayList<>();
            for (int left = runs.size(); left > 0; left -= Math.min(left, most)) {
                merged.add(merge(Math.min(left, most)));
            }
            runs.addAll(merged);
        }
        return new MergedRuns(runs);
    }

    /// Makes one run of the first runs.
    private TupleFile merge(int count) {
        List<TupleFile> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(runs.remove());
        }
        TupleFile whole = memory.newFile();
        MergedRuns tuples = new MergedRuns(parts);
        for (TupleOrder.Entry entry = tuples.nextEntry();
                entry != null;
                entry = tuples.nextEntry()) {
            execution.tick();
            whole.add(order.withKeys(entry));
        }
        parts.forEach(TupleFile::close);
        return whole;
    }

    @Override
    public void close() {
        sorted = new SortedEntries(List.of());
        runs.clear();
        memory.close();
    }

    /// All tuples, in memory.
    private static final class SortedEntries implements TupleCursor {
        private final List<TupleOrder.Entry> entries;
        private int at;

        SortedEntries(List<TupleOrder.Entry> entries) {
            this.entries = entries;
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            return at == entries.size() ? null : entries.get(at++).tuple();
        }

        @Override
        public void close() {
            at = entries.size();
        }
    }

    /// The tuples of several runs in one order. An entry's number is that of its run.
    private final class MergedRuns implements TupleCursor {
        private final List<TupleCursor> sources = new ArrayList<>();
        private final PriorityQueue<TupleOrder.Entry> heads = new PriorityQueue<>(order);

        MergedRuns(Collection<TupleFile> merged) {
            for (TupleFile run : merged) {
                sources.add(run.read());
                addNext(sources.size() - 1);
            }
        }

        TupleOrder.@Nullable Entry nextEntry() {
            TupleOrder.Entry least = heads.poll();
            if (least != null) {
                addNext((int) least.number());
            }
            return least;
        }

        private void addNext(int source) {
            @Nullable Object[] tuple = sources.get(source).next();
            if (tuple != null) {
                heads.add(order.entryWithKeys(tuple, frame, source));
            }
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            execution.tick();
            TupleOrder.Entry entry = nextEntry();
            return entry == null ? null : entry.tuple();
        }

        @Override
        public void close() {
            heads.clear();
        }
    }
}
