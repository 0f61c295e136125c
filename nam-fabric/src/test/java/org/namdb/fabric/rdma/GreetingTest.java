package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// What proves that a side has the token, and what does not.
class GreetingTest {
    private static final byte[] TOKEN = bytes("known to all");
    private static final byte[] OPENING = bytes("twenty bytes, or so.");

    private final byte[] greeting = Greeting.both(Greeting.random(), Greeting.random());
    private final byte[] proven = Greeting.provenByClient(TOKEN, greeting, OPENING);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aHolderOfTheTokenProvesIt() {
        assertThat(proven).startsWith(OPENING);
        assertThat(Greeting.isClientProven(TOKEN, greeting, proven)).isTrue();
        byte[] answer = Greeting.provenByServer(TOKEN, greeting, OPENING);
        assertThat(Greeting.isServerProven(TOKEN, greeting, answer)).isTrue();
    }

    @Test
    void withoutTheTokenThereIsNoProof() {
        assertThat(Greeting.isClientProven(bytes("another"), greeting, proven)).isFalse();
        assertThat(Greeting.isClientProven(bytes(""), greeting, proven)).isFalse();
        assertThat(Greeting.isClientProven(TOKEN, greeting, OPENING)).isFalse();
        assertThat(Greeting.isClientProven(TOKEN, greeting, new byte[0])).isFalse();
    }

    @Test
    void aProofIsForItsConnectionItsWordsAndItsSideAlone() {
        byte[] other = Greeting.both(Greeting.random(), Greeting.random());
        assertThat(Greeting.isClientProven(TOKEN, other, proven)).isFalse();
        assertThat(Greeting.isServerProven(TOKEN, greeting, proven)).isFalse();
        for (int i = 0; i < proven.length; i++) {
            byte[] changed = Arrays.copyOf(proven, proven.length);
            changed[i] ^= 1;
            assertThat(Greeting.isClientProven(TOKEN, greeting, changed)).isFalse();
        }
    }

    @Test
    void withoutAGreetingNothingIsProven() {
        byte[] early = Greeting.provenByClient(TOKEN, Message.NOTHING, OPENING);
        assertThat(Greeting.isClientProven(TOKEN, Message.NOTHING, early)).isFalse();
    }
}
