package org.namdb.sql.engine.execute;

import java.util.IdentityHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbCounters;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Counts what each operator of an execution does: tuples, time, verbs. Time and verbs go to the
/// operator that is at work: of those below it, to them.
public final class Statistics {
    private final VerbCounters counters;
    private final LongSupplier clock;
    private final IdentityHashMap<PlanNode, OfNode> nodes = new IdentityHashMap<>();
    private final OfNode outside = new OfNode();
    private OfNode current = outside;
    private long lastNanos;
    private CountedVerbs lastVerbs;

    Statistics(VerbCounters counters, LongSupplier clock) {
        this.counters = counters;
        this.clock = clock;
        lastNanos = clock.getAsLong();
        lastVerbs = CountedVerbs.of(counters);
    }

    /// What one operator did.
    public static final class OfNode {
        private long rows;
        private long loops;
        private long nanos;
        private CountedVerbs verbs = CountedVerbs.NONE;
        private long spilledBytes;

        /// Tuples that it gave.
        public long rows() {
            return rows;
        }

        /// How often it was started.
        public long loops() {
            return loops;
        }

        /// How long it worked itself.
        public long nanos() {
            return nanos;
        }

        /// How many bytes it wrote to temporary files.
        public long spilledBytes() {
            return spilledBytes;
        }

        /// Its verbs.
        public CountedVerbs verbs() {
            return verbs;
        }
    }

    /// What an operator did; null if it was never started.
    public @Nullable OfNode of(PlanNode node) {
        return nodes.get(node);
    }

    /// What was done up to now by no operator: a change itself, without its source.
    public OfNode outside() {
        settle();
        return outside;
    }

    /// What was done up to now by all operators together.
    public CountedVerbs operators() {
        settle();
        CountedVerbs all = CountedVerbs.NONE;
        for (OfNode node : nodes.values()) {
            all = all.plus(node.verbs);
        }
        return all;
    }

    /// How long all operators together have worked up to now.
    public long operatorNanos() {
        settle();
        return nodes.values().stream().mapToLong(node -> node.nanos).sum();
    }

    /// Starts an operator, and counts from then on.
    TupleCursor measure(PlanNode node, Supplier<TupleCursor> opening) {
        OfNode own = nodes.computeIfAbsent(node, _ -> new OfNode());
        own.loops++;
        OfNode before = enter(own);
        try {
            return new Measured(opening.get(), own);
        } finally {
            leave(before);
        }
    }

    /// An operator wrote to a temporary file.
    void spilled(PlanNode node, long bytes) {
        nodes.computeIfAbsent(node, _ -> new OfNode()).spilledBytes += bytes;
    }

    private OfNode enter(OfNode node) {
        OfNode before = current;
        settle();
        current = node;
        return before;
    }

    private void leave(OfNode before) {
        settle();
        current = before;
    }

    /// Charges what was done since the last time.
    private void settle() {
        long nanos = clock.getAsLong();
        current.nanos += nanos - lastNanos;
        lastNanos = nanos;
        if (counters.verbs() != lastVerbs.verbs()
                || counters.roundTrips() != lastVerbs.roundTrips()) {
            CountedVerbs now = CountedVerbs.of(counters);
            current.verbs = current.verbs.plus(now.minus(lastVerbs));
            lastVerbs = now;
        }
    }

    /// A cursor that is counted.
    private final class Measured implements TupleCursor {
        private final TupleCursor cursor;
        private final OfNode own;

        Measured(TupleCursor cursor, OfNode own) {
            this.cursor = cursor;
            this.own = own;
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            OfNode before = enter(own);
            try {
                @Nullable Object[] tuple = cursor.next();
                own.rows += tuple == null ? 0 : 1;
                return tuple;
            } finally {
                leave(before);
            }
        }

        @Override
        public void expect(int tuples) {
            cursor.expect(tuples);
        }

        @Override
        public void close() {
            OfNode before = enter(own);
            try {
                cursor.close();
            } finally {
                leave(before);
            }
        }
    }
}
