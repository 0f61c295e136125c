package org.namdb.tpcc.driver;

import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.workload.driver.Pacing;

/// As people would (clause 5.2.5): each terminal types its input for the keying time, waits for the
/// answer, and reads it for a think time. The thread serves the terminal that is due first.
public final class WithThinkTimes implements Pacing, Turns {
    private final PriorityQueue<Turn> turns;
    private final Deck deck;
    private final TpccRandom random;

    /// A terminal, and what it does next.
    private static final class Turn {
        final Terminal terminal;
        TransactionType type;
        long dueNanos;

        Turn(Terminal terminal, TransactionType type, long dueNanos) {
            this.terminal = terminal;
            this.type = type;
            this.dueNanos = dueNanos;
        }

        /// By due time. The clock may wrap around.
        static int inOrder(Turn one, Turn other) {
            return Long.signum(one.dueNanos - other.dueNanos);
        }
    }

    /// Every terminal begins to type somewhere in its first cycle, so that they don't all begin at
    /// once.
    public WithThinkTimes(List<Terminal> terminals, Deck deck, TpccRandom random, long startNanos) {
        this.deck = deck;
        this.random = random;
        turns = new PriorityQueue<>(terminals.size(), Turn::inOrder);
        for (Terminal terminal : terminals) {
            TransactionType type = deck.next();
            turns.add(new Turn(terminal, type, startNanos + thinkNanos(type)));
        }
    }

    @Override
    public void next(long nowNanos) {}

    @Override
    public void next() {}

    @Override
    public Terminal terminal() {
        return turns.element().terminal;
    }

    @Override
    public TransactionType type() {
        return turns.element().type;
    }

    @Override
    public long intendedStartNanos() {
        return turns.element().dueNanos;
    }

    @Override
    public void finished(long nowNanos) {
        Turn turn = turns.remove();
        long thinkNanos = thinkNanos(turn.type);
        turn.type = deck.next();
        turn.dueNanos = nowNanos + thinkNanos + TimeUnit.SECONDS.toNanos(turn.type.keyingSeconds());
        turns.add(turn);
    }

    private long thinkNanos(TransactionType type) {
        return random.exponentialNanos(TimeUnit.SECONDS.toNanos(type.meanThinkSeconds()));
    }
}
