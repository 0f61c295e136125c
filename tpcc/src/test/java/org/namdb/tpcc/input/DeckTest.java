package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TransactionType;

/// Clause 5.2.4.2.
class DeckTest {
    @ParameterizedTest
    @ValueSource(strings = {"45,43,4,4,4", "100,0,0,0,0", "0,0,50,0,50", "1,2,3,4,90"})
    void everyHundredCardsHaveTheMixExactly(String text) {
        Mix mix = Mix.parse(text);
        Deck deck = new Deck(mix, new TpccRandom(Seeds.next()));
        for (int round = 0; round < 20; round++) {
            int[] counts = new int[TransactionType.COUNT];
            for (int i = 0; i < 100; i++) {
                counts[deck.next().index()]++;
            }
            for (TransactionType type : TransactionType.all()) {
                assertThat(counts[type.index()]).isEqualTo(mix.percent(type));
            }
        }
    }

    @Test
    void noTwoRoundsHaveTheSameOrder() {
        Deck deck = new Deck(Mix.STANDARD, new TpccRandom(Seeds.next()));
        assertThat(round(deck)).isNotEqualTo(round(deck));
    }

    private static List<TransactionType> round(Deck deck) {
        List<TransactionType> cards = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            cards.add(deck.next());
        }
        return cards;
    }
}
