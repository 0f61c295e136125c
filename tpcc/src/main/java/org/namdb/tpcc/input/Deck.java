package org.namdb.tpcc.input;

import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TransactionType;

/// One thread's deck of cards, a card for each percent of the mix: dealt to the end, shuffled,
/// dealt again (clause 5.2.4.2). So every hundred transactions have the mix exactly, in an
/// unpredictable order.
public final class Deck {
    private final TpccRandom random;
    private final byte[] cards;
    private int dealt;

    public Deck(Mix mix, TpccRandom random) {
        this.random = random;
        int size = mix.percents().stream().mapToInt(Integer::intValue).sum();
        cards = new byte[size];
        int card = 0;
        for (TransactionType type : TransactionType.all()) {
            for (int i = 0; i < mix.percent(type); i++) {
                cards[card++] = (byte) type.index();
            }
        }
        dealt = size;
    }

    /// Deals a card.
    public TransactionType next() {
        if (dealt == cards.length) {
            random.shuffle(cards);
            dealt = 0;
        }
        return TransactionType.at(cards[dealt++]);
    }
}
