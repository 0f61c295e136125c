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
        assertThat(counters.tally()).isEqualTo(VerbTally.NOTHING);
    }

    @Test
    void everyKindCountsAmongTheVerbs() {
        count(0);
        assertThat(counters.verbs()).isEqualTo(1 + 2 + 4 + 8 + 16 + 32);
    }

    @Test
    void anAtomicMovesItsWord() {
        count(0);
        assertThat(counters.bytes()).isEqualTo(100 + 2_000 + 8 * (4 + 8) + 30_000 + 400_000);
    }

    @Test
    void theCountsCanBeRead() {
        count(0);
        assertThat(counters)
                .hasToString(
                        "READ 1, WRITE 2, CAS 4, FAA 8, SEND 16, RECEIVE 32, 432196 bytes, 32 round trips");
    }

    @Test
    void everyServerHasItsOwn() {
        count(0);
        VerbTally first = counters.tally();
        count(RemoteAddress.MAX_SERVERS - 1);
        assertThat(counters.servers()).isEqualTo(RemoteAddress.MAX_SERVERS);
        assertThat(counters.tally(0)).isEqualTo(counters.tally(RemoteAddress.MAX_SERVERS - 1));
        assertThat(counters.tally(1)).isEqualTo(VerbTally.NOTHING);
        assertThat(counters.tally().minus(first)).isEqualTo(first);
        assertThat(counters.tally()).isEqualTo(first.plus(first));
        assertThat(counters.tally().verbs()).isEqualTo(counters.verbs());
        assertThat(counters.tally().bytes()).isEqualTo(counters.bytes());
    }

    /// Bytes go with one verb of each kind.
    private void count(int server) {
        counters.read(server, 100);
        times(2, i -> counters.write(server, i == 0 ? 2_000 : 0));
        times(4, i -> counters.cas(server));
        times(8, i -> counters.add(server));
        times(16, i -> counters.send(server, i == 0 ? 30_000 : 0));
        times(32, i -> counters.receive(server, i == 0 ? 400_000 : 0));
        times(32, i -> counters.roundTrip());
    }

    private static void times(int count, java.util.function.IntConsumer action) {
        for (int i = 0; i < count; i++) {
            action.accept(i);
        }
    }
}
