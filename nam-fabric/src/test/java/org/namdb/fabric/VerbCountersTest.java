package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VerbCountersTest {
    private final VerbCounters counters = new VerbCounters();

    @Test
    void newCountersAreZero() {
        assertThat(counters.verbs()).isZero();
        assertThat(counters.bytes()).isZero();
        assertThat(counters.roundTrips()).isZero();
    }

    @Test
    void everyKindCountsAmongTheVerbs() {
        count();
        assertThat(counters.verbs()).isEqualTo(1 + 2 + 4 + 8 + 16 + 32);
    }

    @Test
    void anAtomicMovesItsWord() {
        count();
        assertThat(counters.bytes()).isEqualTo(100 + 2_000 + 8 * (4 + 8) + 30_000 + 400_000);
    }

    @Test
    void theCountsCanBeRead() {
        count();
        assertThat(counters)
                .hasToString(
                        "READ 1, WRITE 2, CAS 4, FAA 8, SEND 16, RECEIVE 32, 432196 bytes, 64 round trips");
    }

    private void count() {
        counters.reads = 1;
        counters.writes = 2;
        counters.swaps = 4;
        counters.adds = 8;
        counters.sends = 16;
        counters.receives = 32;
        counters.readBytes = 100;
        counters.writeBytes = 2_000;
        counters.sendBytes = 30_000;
        counters.receiveBytes = 400_000;
        counters.roundTrips = 64;
    }
}
