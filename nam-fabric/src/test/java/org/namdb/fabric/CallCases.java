package org.namdb.fabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The two-sided verbs: a request and its reply.
public interface CallCases extends FabricCase {
    /// A server that no queue pair knows.
    int UNSERVED = 99;

    @Test
    default void aRequestIsAnsweredByTheServerItWasSentTo() {
        fabric().serve(0, request -> ("zero " + new String(request, UTF_8)).getBytes(UTF_8));
        fabric().serve(1, request -> new byte[0]);
        byte[] reply = queuePair().call(0, "hello".getBytes(UTF_8));
        assertThat(reply).asString(UTF_8).isEqualTo("zero hello");
        assertThat(queuePair().call(1, new byte[0])).isEmpty();
    }

    @Test
    default void aCallIsASendAReceiveAndARoundTrip() {
        fabric().serve(1, request -> new byte[30]);
        queuePair().call(1, new byte[12]);
        VerbCounters counters = queuePair().counters();
        assertThat(counters.sends()).isEqualTo(1);
        assertThat(counters.receives()).isEqualTo(1);
        assertThat(counters.verbs()).isEqualTo(2);
        assertThat(counters.bytes()).isEqualTo(42);
        assertThat(counters.roundTrips()).isEqualTo(1);
    }

    @Test
    default void whatWasPostedBeforeACallHasTakenEffectWhenTheHandlerRuns() {
        QueuePair handlersOwn = connect();
        fabric().serve(0, request -> longBytes(readWord(handlersOwn, address(1, 8))));
        for (int round = 1; round <= 100; round++) {
            queuePair().writeWord(address(1, 8), round);
            assertThat(longIn(queuePair().call(0, new byte[0]))).isEqualTo(round);
        }
        assertThat(queuePair().counters().roundTrips()).isEqualTo(200);
    }

    @Test
    default void aLargeMessageArrivesWhole() {
        byte[] request = new byte[60_000];
        new SplittableRandom(Seeds.next()).nextBytes(request);
        fabric().serve(
                        0,
                        received -> {
                            byte[] reversed = new byte[received.length];
                            for (int i = 0; i < reversed.length; i++) {
                                reversed[i] = received[received.length - 1 - i];
                            }
                            return reversed;
                        });
        byte[] reply = queuePair().call(0, request);
        assertThat(reply).isNotEqualTo(request);
        assertThat(queuePair().call(0, reply)).isEqualTo(request);
    }

    @Test
    default void aServerThatDoesNotServeIsGone() {
        fabric().serve(0, request -> request);
        assertCallFails(UNSERVED);
        assertCallFails(1);
        queuePair().call(0, new byte[1]);
        fabric().leave(0);
        assertCallFails(0);
    }

    private void assertCallFails(int server) {
        QueuePair queuePair = connect();
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> queuePair.call(server, new byte[1]))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.PEER_GONE));
    }

    /// The handler counts without any synchronization of its own.
    @Test
    default void aHandlerAnswersOneRequestAtATime() throws Exception {
        int callers = 4;
        int calls = 500;
        long[] answered = new long[1];
        fabric().serve(
                        1,
                        request -> {
                            long before = answered[0];
                            Threads.giveWay();
                            answered[0] = before + 1;
                            return request;
                        });
        Threads.run(
                callers,
                caller -> {
                    QueuePair queuePair = connect();
                    for (int i = 0; i < calls; i++) {
                        long message = (long) caller * calls + i;
                        assertThat(longIn(queuePair.call(1, longBytes(message))))
                                .isEqualTo(message);
                    }
                });
        fabric().serve(1, request -> longBytes(answered[0]));
        assertThat(longIn(queuePair().call(1, new byte[0]))).isEqualTo((long) callers * calls);
    }

    private static byte[] longBytes(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static long longIn(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }
}
