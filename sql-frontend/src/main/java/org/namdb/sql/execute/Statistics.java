package org.namdb.sql.execute;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.plan.PlanNode;
import org.namdb.sql.plan.TupleCursor;

/// Counts what each operator of an execution does: tuples, time, verbs. Time and verbs go to the operator that is at work: of those below it, to them.
public final class Statistics {
    private final VerbCounters counters;
    private final IdentityHashMap<PlanNode, OfNode> nodes = new IdentityHashMap<>();
    private final OfNode outside = new OfNode();
    private OfNode current = outside;
    private long lastNanos;
    private long lastRoundTrips;
    private List<VerbTally> lastTallies = List.of();

    Statistics(VerbCounters counters) {
        this.counters = counters;
        lastNanos = System.nanoTime();
        lastRoundTrips = counters.roundTrips();
        lastTallies = tallies();
    }

    /// What one operator did.
    public static final class OfNode {
        private long rows;
        private long loops;
        private long nanos;
        private long roundTrips;
        private final List<VerbTally> byServer = new ArrayList<>();

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

        /// Round trips that it waited for.
        public long roundTrips() {
            return roundTrips;
        }

        /// Its verbs, by memory server.
        public List<VerbTally> byServer() {
            return List.copyOf(byServer);
        }

        private void add(int server, VerbTally tally) {
            while (byServer.size() <= server) {
                byServer.add(VerbTally.NOTHING);
            }
            byServer.set(server, byServer.get(server).plus(tally));
        }
    }

    /// What an operator did; null if it was never started.
    public @Nullable OfNode of(PlanNode node) {
        return nodes.get(node);
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
        long nanos = System.nanoTime();
        current.nanos += nanos - lastNanos;
        lastNanos = nanos;
        if (counters.roundTrips() != lastRoundTrips) {
            current.roundTrips += counters.roundTrips() - lastRoundTrips;
            lastRoundTrips = counters.roundTrips();
        }
        List<VerbTally> tallies = tallies();
        for (int server = 0; server < tallies.size(); server++) {
            VerbTally last =
                    server < lastTallies.size() ? lastTallies.get(server) : VerbTally.NOTHING;
            if (!tallies.get(server).equals(last)) {
                current.add(server, tallies.get(server).minus(last));
            }
        }
        lastTallies = tallies;
    }

    private List<VerbTally> tallies() {
        List<VerbTally> tallies = new ArrayList<>();
        for (int server = 0; server < counters.servers(); server++) {
            tallies.add(counters.tally(server));
        }
        return tallies;
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
