package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.input.TpccRandom;

class PacingTest {
    private static final long SECOND = 1_000_000_000L;

    private final TpccRandom random = new TpccRandom(Seeds.next());
    private final List<Terminal> terminals = Terminal.ofThread(new Scale(2, 100), 0, 1);

    private Deck deck() {
        return new Deck(Mix.STANDARD, random);
    }

    @Test
    void terminalsTakeTurns() {
        InTurn turns = new InTurn(terminals, deck());
        for (int i = 0; i < 60; i++) {
            turns.next();
            assertThat(turns.terminal()).isEqualTo(terminals.get(i % 20));
        }
    }

    @Test
    void peopleTypeAndThink() {
        WithThinkTimes pacing = new WithThinkTimes(terminals, deck(), random, 0);
        Map<Terminal, Long> freeNanos = new HashMap<>();
        long now = 0;
        int transactions = 20_000;
        for (int i = 0; i < transactions; i++) {
            pacing.next(now);
            pacing.next();
            long due = pacing.intendedStartNanos();
            assertThat(due).as("the one that is due first").isGreaterThanOrEqualTo(now);
            Long free = freeNanos.get(pacing.terminal());
            if (free != null) {
                long keyingNanos = pacing.type().keyingSeconds() * SECOND;
                assertThat(due - free).isBetween(keyingNanos, keyingNanos + 120 * SECOND);
            }
            now = due;
            freeNanos.put(pacing.terminal(), now);
            pacing.finished(now);
        }
        assertThat(freeNanos).hasSize(20);
        double cycleSeconds = (double) now / SECOND * terminals.size() / transactions;
        assertThat(cycleSeconds).as("mean keying and think time").isCloseTo(mean(), within(0.5));
    }

    private static double mean() {
        double sum = 0;
        for (TransactionType type : TransactionType.all()) {
            int seconds = type.keyingSeconds() + type.meanThinkSeconds();
            sum += Mix.STANDARD.percent(type) * seconds / 100.0;
        }
        return sum;
    }
}
