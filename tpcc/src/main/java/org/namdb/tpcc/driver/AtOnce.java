package org.namdb.tpcc.driver;

import java.util.List;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;

/// No waiting: the terminals in turn, each transaction as soon as the one before it has ended.
public final class AtOnce implements Pacing {
    private final List<Terminal> terminals;
    private final Deck deck;
    private int turn = -1;
    private TransactionType type = TransactionType.NEW_ORDER;
    private long startNanos;

    public AtOnce(List<Terminal> terminals, Deck deck) {
        this.terminals = List.copyOf(terminals);
        this.deck = deck;
    }

    @Override
    public void next(long nowNanos) {
        turn = turn + 1 == terminals.size() ? 0 : turn + 1;
        type = deck.next();
        startNanos = nowNanos;
    }

    @Override
    public Terminal terminal() {
        return terminals.get(turn);
    }

    @Override
    public TransactionType type() {
        return type;
    }

    @Override
    public long intendedStartNanos() {
        return startNanos;
    }

    @Override
    public void finished(long nowNanos) {}
}
