package org.namdb.tpcc.driver;

import java.util.List;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;

/// A target rate: transactions are to begin at equal distances, whether or not the one before has
/// ended. When the thread falls behind, the intended starts stay where they were, so that the wait
/// shows in the latency.
public final class AtRate implements Pacing {
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<Terminal> terminals;
    private final Deck deck;
    private final long firstNanos;
    private final double gapNanos;
    private long begun = -1;
    private TransactionType type = TransactionType.NEW_ORDER;

    /// One thread's share of a rate.
    ///
    /// @param firstNanos the first intended start of thread 0; the threads take turns from there on
    /// @param tps the rate of all threads together
    public AtRate(
            List<Terminal> terminals,
            Deck deck,
            long firstNanos,
            double tps,
            int thread,
            int threads) {
        this.terminals = List.copyOf(terminals);
        this.deck = deck;
        this.gapNanos = NANOS_PER_SECOND * threads / tps;
        this.firstNanos = firstNanos + Math.round(NANOS_PER_SECOND * thread / tps);
    }

    @Override
    public void next(long nowNanos) {
        begun++;
        type = deck.next();
    }

    @Override
    public Terminal terminal() {
        return terminals.get((int) (begun % terminals.size()));
    }

    @Override
    public TransactionType type() {
        return type;
    }

    @Override
    public long intendedStartNanos() {
        return firstNanos + Math.round(gapNanos * begun);
    }

    @Override
    public void finished(long nowNanos) {}
}
