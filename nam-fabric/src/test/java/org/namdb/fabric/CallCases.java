package org.namdb.fabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// The two-sided verbs: a request and its reply.
public interface CallCases extends FabricCase {
    /// A server that no queue pair reaches.
    int UNSERVED = 99;

    int REPLY_BYTES = 64;

    private void serve(int server, UnaryOperator<byte[]> handler) {
        fabric().serve(server, RequestHandler.ofArrays(handler));
    }

    @Test
    default void aRequestIsAnsweredByTheServerItWasSentTo() {
        serve(0, request -> ("zero " + new String(request, UTF_8)).getBytes(UTF_8));
        serve(1, request -> new byte[0]);
        byte[] reply = queuePair().call(0, "hello".getBytes(UTF_8), REPLY_BYTES);
        assertThat(reply).asString(UTF_8).isEqualTo("zero hello");
        assertThat(queuePair().call(1, new byte[0], 0)).isEmpty();
    }

    @Test
    default void aCallIsASendAReceiveAndARoundTrip() {
        serve(1, request -> new byte[30]);
        queuePair().call(1, new byte[12], REPLY_BYTES);
        VerbCounters counters = queuePair().counters();
        assertThat(counters.sends()).isEqualTo(1);
        assertThat(counters.receives()).isEqualTo(1);
        assertThat(counters.verbs()).isEqualTo(2);
        assertThat(counters.bytes()).isEqualTo(42);
        assertThat(counters.roundTrips()).isEqualTo(1);
    }

    @Test
    default void aCallLandsNothing() {
        serve(0, request -> request);
        long before = queuePair().landed();
        writeWord(address(0, 8), 5);
        long view = queuePair().read(address(0, 8), 8);
        queuePair().await();
        for (int i = 0; i < LANDING_BYTES; i += REPLY_BYTES) {
            queuePair().call(0, new byte[3], REPLY_BYTES);
        }
        assertThat(LocalMemory.longAt(view)).isEqualTo(5);
        assertThat(queuePair().landed() - before).isLessThanOrEqualTo(8);
    }

    @Test
    default void whatWasPostedBeforeACallHasTakenEffectWhenTheHandlerRuns() {
        QueuePair handlersOwn = connect();
        serve(0, request -> longBytes(readWord(handlersOwn, address(1, 8))));
        for (int round = 1; round <= 100; round++) {
            queuePair().writeWord(address(1, 8), round);
            assertThat(longIn(queuePair().call(0, new byte[0], REPLY_BYTES))).isEqualTo(round);
        }
        assertThat(queuePair().counters().roundTrips()).isEqualTo(200);
    }

    @Test
    default void verbsToAServerThatArePostedBeforeARequestHaveTakenEffectWhenTheHandlerRuns() {
        QueuePair handlersOwn = connect();
        serve(0, request -> longBytes(readWord(handlersOwn, address(0, 8))));
        long source = queuePair().localMemory(8);
        for (int round = 1; round <= 100; round++) {
            queuePair().writeWord(address(0, 8), round);
            long before = queuePair().read(address(0, 8), 8);
            long reply = queuePair().request(0, source, 0, REPLY_BYTES);
            long added = queuePair().fetchAndAdd(address(0, 16), 1);
            queuePair().writeWord(address(0, 24), -round);
            queuePair().await();
            assertThat(LocalMemory.longAcquire(before)).isEqualTo(round);
            assertThat(longIn(reply(reply))).isEqualTo(round);
            assertThat(LocalMemory.longAt(added)).isEqualTo(round - 1);
            assertThat(readWord(address(0, 24))).isEqualTo(-round);
        }
    }

    @Test
    default void requestsToSeveralServersAreOneRoundTrip() {
        serve(0, request -> longBytes(longIn(request) + 1));
        serve(1, request -> longBytes(-longIn(request)));
        long source = queuePair().localMemory(16);
        for (int round = 1; round <= 50; round++) {
            LocalMemory.copyFrom(longBytes(round), 0, source, 8);
            LocalMemory.copyFrom(longBytes(2L * round), 0, source + 8, 8);
            long first = queuePair().request(0, source, 8, 8);
            long second = queuePair().request(1, source + 8, 8, REPLY_BYTES);
            queuePair().await();
            assertThat(longIn(reply(first))).isEqualTo(round + 1);
            assertThat(longIn(reply(second))).isEqualTo(-2L * round);
        }
        VerbCounters counters = queuePair().counters();
        assertThat(counters.roundTrips()).isEqualTo(50);
        assertThat(counters.sends()).isEqualTo(100);
        assertThat(counters.receives()).isEqualTo(100);
        assertThat(counters.bytes()).isEqualTo(4 * 50 * 8);
        assertThat(counters.tally(1).sends()).isEqualTo(50);
    }

    @Test
    default void aReplyLastsAsLongAsOtherViews() {
        byte[] bytes = new byte[LANDING_BYTES / 4];
        new SplittableRandom(Seeds.next()).nextBytes(bytes);
        serve(0, request -> bytes);
        for (int round = 0; round < 20; round++) {
            long source = queuePair().localMemory(8);
            long view = queuePair().request(0, source, round % 9, bytes.length);
            queuePair().await();
            for (int i = 0; i < 2; i++) {
                queuePair().read(address(0, 0), LANDING_BYTES / 4);
                queuePair().read(address(1, 0), LANDING_BYTES / 4);
                queuePair().await();
            }
            assertThat(reply(view)).isEqualTo(bytes);
        }
    }

    @Test
    default void aServerHasOneRequestForEachAwait() {
        serve(0, request -> longBytes(7));
        long source = queuePair().localMemory(8);
        long view = queuePair().request(0, source, 8, 8);
        assertThatIllegalStateException()
                .isThrownBy(() -> queuePair().request(0, source, 8, 8))
                .withMessageContaining("memory server 0 has a request already");
        queuePair().await();
        assertThat(longIn(reply(view))).isEqualTo(7);
        long next = queuePair().request(0, source, 8, 8);
        queuePair().await();
        assertThat(longIn(reply(next))).isEqualTo(7);
    }

    @Test
    default void aLargeMessageArrivesWhole() {
        byte[] request = new byte[60_000];
        new SplittableRandom(Seeds.next()).nextBytes(request);
        int replied = LANDING_BYTES - QueuePair.REPLY_HEAD_BYTES;
        serve(
                0,
                received -> {
                    byte[] reversed = new byte[replied];
                    for (int i = 0; i < reversed.length; i++) {
                        reversed[i] = received[received.length - 1 - i];
                    }
                    return reversed;
                });
        byte[] reply = queuePair().call(0, request, replied);
        for (int i = 0; i < replied; i++) {
            assertThat(reply[i]).isEqualTo(request[request.length - 1 - i]);
        }
    }

    @Test
    default void aReplyThatIsLargerThanWasAskedForIsRefused() {
        serve(0, request -> new byte[request.length]);
        assertCallFails(0, 65, FabricException.Kind.TOO_LARGE);
        assertCallFails(0, 4096, FabricException.Kind.TOO_LARGE);
        assertThat(queuePair().call(0, new byte[64], REPLY_BYTES)).hasSize(64);
        long source = queuePair().localMemory(8);
        assertFails(
                FabricException.Kind.TOO_LARGE,
                () -> queuePair().request(0, source, 8, LANDING_BYTES));
    }

    @Test
    default void aHandlerThatFailsIsAnErrorOfItsRequestAlone() {
        serve(
                0,
                request -> {
                    if (request.length == 5) {
                        throw new IllegalStateException("planned");
                    }
                    return request;
                });
        serve(1, request -> request);
        long source = queuePair().localMemory(8);
        for (int round = 0; round < 3; round++) {
            long other = queuePair().request(1, source, 3, REPLY_BYTES);
            long word = queuePair().read(address(1, 8), 8);
            assertFails(
                    FabricException.Kind.SYSTEM,
                    () -> {
                        queuePair().request(0, source, 5, REPLY_BYTES);
                        queuePair().await();
                    });
            queuePair().await(); // of a provider that has refused it when it was posted
            assertThat(reply(other)).hasSize(3);
            assertThat(LocalMemory.longAcquire(word)).isZero();
            assertThat(queuePair().call(0, new byte[4], REPLY_BYTES)).hasSize(4);
        }
    }

    @Test
    default void aServerThatDoesNotServeIsGone() {
        serve(0, request -> request);
        assertCallFails(UNSERVED, 1, FabricException.Kind.PEER_GONE);
        assertCallFails(1, 1, FabricException.Kind.PEER_GONE);
        queuePair().call(0, new byte[1], REPLY_BYTES);
        fabric().leave(0);
        assertCallFails(0, 1, FabricException.Kind.PEER_GONE);
    }

    @Test
    default void aRequestBesideOneToADeadServerIsAnswered() {
        AtomicLong handled = new AtomicLong();
        serve(
                0,
                request -> {
                    handled.incrementAndGet();
                    return request;
                });
        long source = queuePair().localMemory(8);
        assertFails(
                FabricException.Kind.PEER_GONE,
                () -> {
                    queuePair().request(0, source, 8, REPLY_BYTES);
                    queuePair().request(1, source, 8, REPLY_BYTES);
                    queuePair().await();
                });
        queuePair().await();
        assertThat(handled.get()).isEqualTo(1);
    }

    private void assertCallFails(int server, int bytes, FabricException.Kind kind) {
        QueuePair queuePair = connect();
        assertFails(kind, () -> queuePair.call(server, new byte[bytes], REPLY_BYTES));
    }

    private static void assertFails(FabricException.Kind kind, Runnable action) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(action::run)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }

    /// The handler counts without any synchronization of its own.
    @Test
    default void aHandlerAnswersOneRequestAtATime() throws Exception {
        int callers = 4;
        int calls = 500;
        long[] answered = new long[1];
        serve(
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
                        assertThat(longIn(queuePair.call(1, longBytes(message), 8)))
                                .isEqualTo(message);
                    }
                });
        serve(1, request -> longBytes(answered[0]));
        assertThat(longIn(queuePair().call(1, new byte[0], 8))).isEqualTo((long) callers * calls);
    }

    private static byte[] reply(long view) {
        byte[] reply = new byte[QueuePair.replyLength(view)];
        LocalMemory.copyTo(view + QueuePair.REPLY_HEAD_BYTES, reply, 0, reply.length);
        return reply;
    }

    private static byte[] longBytes(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static long longIn(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }
}
