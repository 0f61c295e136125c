package org.namdb.tpcc.driver;

import java.util.List;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;

/// The terminals in turn.
public final class InTurn implements Turns {
    private final List<Terminal> terminals;
    private final Deck deck;
    private int turn = -1;
    private TransactionType type = TransactionType.NEW_ORDER;

    public InTurn(List<Terminal> terminals, Deck deck) {
        this.terminals = List.copyOf(terminals);
        this.deck = deck;
    }

    @Override
    public void next() {
        turn = turn + 1 == terminals.size() ? 0 : turn + 1;
        type = deck.next();
    }

    @Override
    public Terminal terminal() {
        return terminals.get(turn);
    }

    @Override
    public TransactionType type() {
        return type;
    }
}
