package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.tls.TlsFiles;

/// Connections that break, and agents that are gone: a verb is done exactly once, or fails.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpRecoveryTest {
    private static final int REPLY_BYTES = 64;
    private static final long WORDS = 1_000;

    private final long seed = Seeds.next();
    private TcpMemoryFabric memory;
    private Wire wire;
    private TcpComputeFabric compute;
    private List<Region> regions;

    /// What both sides prove themselves with; none, if the connections are not encrypted.
    @Nullable TlsFiles tls() {
        return null;
    }

    /// About what is sent in one direction before a client is accepted, in addition to the
    /// greeting.
    int handshakeBytes() {
        return 0;
    }

    @BeforeEach
    void open() throws IOException {
        memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withTls(tls()));
        memory.register(0, 1 << 20);
        wire = new Wire(memory.address(), seed);
        compute = connect(Duration.ofSeconds(60));
        regions = compute.regions();
    }

    private TcpComputeFabric connect(Duration timeout) {
        return TcpComputeFabric.connect(
                List.of(wire.address()),
                TcpClientOptions.DEFAULT.withTls(tls()).withTimeout(timeout));
    }

    @AfterEach
    void close() throws IOException {
        compute.close();
        wire.close();
        memory.close();
    }

    private static long address(long word) {
        return RemoteAddress.of(0, 8 * word);
    }

    /// ```
    /// q  posts FAA, WRITE, READ; the connection breaks at some byte of the request or the reply
    /// l  sends all of it again over another one
    /// a  does what it has not done, and answers the rest from memory
    /// ```
    /// A verb that is done twice, or not at all, shows in a sum; one out of its order in a word
    /// that is not the last one written.
    @ParameterizedTest
    @ValueSource(ints = {800, 3_000})
    void everyVerbIsDoneExactlyOnceThoughConnectionsBreak(int meanBytes) throws Exception {
        int threads = 4;
        int batches = 40;
        AtomicLong added = new AtomicLong();
        AtomicLong handled = new AtomicLong();
        memory.serve(0, (request, bytes, reply, replyBytes) -> handle(request, reply, handled));
        wire.cutAfter(meanBytes + handshakeBytes());
        wire.cut();
        Threads.run(
                threads,
                thread -> {
                    SplittableRandom random = new SplittableRandom(seed + thread);
                    long own = WORDS + 1 + thread;
                    try (QueuePair queuePair = compute.connect(regions)) {
                        long source = queuePair.localMemory(8);
                        long expected = 0;
                        for (int i = 0; i < batches; i++) {
                            LocalMemory.putLong(source, 1000L * thread + i);
                            expected = batch(queuePair, random, own, expected, source, added);
                        }
                    }
                });
        wire.cutAfter(0);
        assertThat(wire.cuts()).isPositive();
        try (QueuePair queuePair = compute.connect(regions)) {
            long sum = 0;
            for (long word = 0; word < WORDS; word++) {
                sum += queuePair.readWord(address(word));
            }
            assertThat(sum).isEqualTo(added.get());
        }
        assertThat(handled.get()).isEqualTo((long) threads * batches);
    }

    private static int handle(long request, long reply, AtomicLong handled) {
        LocalMemory.putLong(reply, LocalMemory.longAt(request) + 1);
        handled.incrementAndGet();
        return 8;
    }

    /// @param own a word that this thread alone changes
    /// @param expected what it is
    /// @param source a request, which is answered with one more
    /// @return what it is now
    private static long batch(
            QueuePair queuePair,
            SplittableRandom random,
            long own,
            long expected,
            long source,
            AtomicLong added) {
        long delta = random.nextInt(1, 100);
        queuePair.fetchAndAdd(address(random.nextLong(WORDS)), delta);
        long before = queuePair.read(address(own), 8);
        long swapped = queuePair.compareAndSwap(address(own), expected, expected + 1);
        queuePair.writeWord(address(own), expected + 2);
        long reply = queuePair.request(0, source, 8, 8);
        long lost = queuePair.compareAndSwap(address(own), expected, -1);
        int fill = random.nextInt(8) == 0 ? 320 : 0;
        if (fill != 0) {
            queuePair.read(address(0), fill);
        }
        long again = queuePair.fetchAndAdd(address(own), 3);
        queuePair.await();
        added.addAndGet(delta);
        // The READ may have been done again, over another connection, after what follows it.
        assertThat(LocalMemory.longAt(before))
                .isIn(expected, expected + 1, expected + 2, expected + 5);
        assertThat(LocalMemory.longAt(swapped)).isEqualTo(expected);
        assertThat(QueuePair.replyLength(reply)).isEqualTo(8);
        assertThat(LocalMemory.longAt(reply + 8)).isEqualTo(LocalMemory.longAt(source) + 1);
        assertThat(LocalMemory.longAt(lost)).isEqualTo(expected + 2);
        assertThat(LocalMemory.longAt(again)).isEqualTo(expected + 2);
        return expected + 5;
    }

    @Test
    void everyCallIsDoneExactlyOnceThoughConnectionsBreak() throws Exception {
        AtomicLong handled = new AtomicLong();
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    handled.incrementAndGet();
                    return request;
                }));
        wire.cutAfter(400 + handshakeBytes());
        wire.cut();
        int calls = 0;
        try (QueuePair queuePair = compute.connect(regions)) {
            while (calls < 40 || wire.cuts() == 0) {
                byte[] request = ByteBuffer.allocate(12).putInt(8, calls).array();
                assertThat(queuePair.call(0, request, REPLY_BYTES)).isEqualTo(request);
                calls++;
            }
        }
        wire.cutAfter(0);
        assertThat(handled.get()).isEqualTo(calls);
        assertThat(wire.cuts()).isPositive();
    }

    @Test
    void aStreamThatIsUsedAgainDoesItsFirstBatch() {
        for (int round = 1; round <= 5; round++) {
            try (QueuePair queuePair = compute.connect(regions)) {
                for (int i = 0; i < round; i++) {
                    queuePair.fetchAndAdd(address(1), 1);
                    queuePair.await();
                }
            }
        }
        try (QueuePair queuePair = compute.connect(regions)) {
            assertThat(queuePair.readWord(address(1))).isEqualTo(15);
        }
    }

    /// Nothing comes through for a while: waiters go on afterwards.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aShortSilenceIsWaitedFor(boolean isOneWay) throws Exception {
        try (QueuePair queuePair = compute.connect(regions)) {
            wire.swallow(!isOneWay, true);
            Thread ends =
                    Thread.ofPlatform()
                            .start(() -> {
                                sleep(300);
                                wire.swallow(false, false);
                                wire.cut(); // what was swallowed never comes
                            });
            queuePair.fetchAndAdd(address(7), 5);
            queuePair.await();
            ends.join();
            assertThat(queuePair.readWord(address(7))).isEqualTo(5);
        }
    }

    /// ```
    /// n  swallows everything, both ways or only the replies
    /// q  times out; it is unknown whether its verb was done
    /// n  comes back: another queue pair works
    /// ```
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLongSilenceIsALostConnection(boolean isOneWay) {
        try (TcpComputeFabric firstNewer = connect(Duration.ofMillis(500))) {
            QueuePair queuePair = firstNewer.connect(regions);
            wire.swallow(!isOneWay, true);
            queuePair.fetchAndAdd(address(8), 1);
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(queuePair::await)
                    .satisfies(e ->
                            assertThat(e.kind()).isEqualTo(FabricException.Kind.CONNECTION_LOST));
            assertThatExceptionOfType(FabricException.class).isThrownBy(queuePair::disconnect);
            wire.swallow(false, false);
            queuePair.disconnect(); // confirmed: nothing of it comes later
            try (QueuePair another = firstNewer.connect(regions)) {
                long found = another.readWord(address(8));
                assertThat(found).isBetween(0L, 1L);
                assertThat(another.casWord(address(8), found, 9)).isEqualTo(found);
            }
            queuePair.close();
        }
    }

    /// ```
    /// q  posts a request, which a worker begins to handle
    /// n  swallows everything for longer than the timeout: the link is gone
    /// n  comes back
    /// q  must not be confirmed as ended before the worker is done
    /// ```
    @Test
    void aRequestThatIsBeingHandledIsWaitedForOverTheNextLink() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicLong handled = new AtomicLong();
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    begun.countDown();
                    awaitLatch(mayEnd);
                    handled.incrementAndGet();
                    return request;
                }));
        try (TcpComputeFabric firstNewer = connect(Duration.ofMillis(500))) {
            QueuePair queuePair = firstNewer.connect(regions);
            Thread swallower =
                    Thread.ofPlatform()
                            .start(() -> {
                                awaitLatch(begun);
                                wire.swallow(true, true);
                            });
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> queuePair.call(0, new byte[8], REPLY_BYTES));
            swallower.join();
            assertThatExceptionOfType(FabricException.class).isThrownBy(queuePair::disconnect);
            wire.swallow(false, false);
            AtomicLong before = new AtomicLong(-1);
            Thread cleaner =
                    Thread.ofPlatform()
                            .start(() -> {
                                queuePair.disconnect();
                                before.set(handled.get());
                            });
            cleaner.join(1_000); // longer than the timeout: a wait for the worker goes on
            mayEnd.countDown();
            cleaner.join();
            assertThat(before.get()).isEqualTo(1);
            queuePair.close();
        } finally {
            mayEnd.countDown();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// ```
    /// q  its first batch is done: the agent caches it by stream and number
    /// n  swallows everything for longer than the timeout: the link is gone
    /// r  gets the same stream of the next link; its first batch must not pass for q's, repeated
    /// ```
    @Test
    void theFirstBatchOverTheNextLinkIsDone() {
        try (TcpComputeFabric firstNewer = connect(Duration.ofMillis(500))) {
            QueuePair before = firstNewer.connect(regions);
            before.writeWord(address(1), 1);
            assertThat(before.casWord(address(2), 0, 1)).isZero();
            loseTheLink(firstNewer, before);
            try (QueuePair next = firstNewer.connect(regions)) {
                next.writeWord(address(1), 2);
                long swapped = next.compareAndSwap(address(2), 1, 2);
                long added = next.fetchAndAdd(address(3), 7);
                next.await();
                assertThat(LocalMemory.longAt(swapped)).isEqualTo(1);
                assertThat(LocalMemory.longAt(added)).isZero();
                assertThat(next.readWord(address(1))).isEqualTo(2);
                assertThat(next.readWord(address(2))).isEqualTo(2);
                assertThat(next.readWord(address(3))).isEqualTo(7);
            }
            before.close();
        }
    }

    /// The same with a call: an allocation that is answered from memory is memory in use.
    @Test
    void theFirstCallOverTheNextLinkIsDone() {
        AtomicLong handled = new AtomicLong();
        memory.serve(
                0,
                RequestHandler.ofArrays(
                        _ -> ByteBuffer.allocate(8).putLong(handled.incrementAndGet()).array()));
        try (TcpComputeFabric firstNewer = connect(Duration.ofMillis(500))) {
            QueuePair before = firstNewer.connect(regions);
            assertThat(ByteBuffer.wrap(before.call(0, new byte[8], REPLY_BYTES)).getLong())
                    .isEqualTo(1);
            loseTheLink(firstNewer, before);
            try (QueuePair next = firstNewer.connect(regions)) {
                assertThat(ByteBuffer.wrap(next.call(0, new byte[8], REPLY_BYTES)).getLong())
                        .isEqualTo(2);
            }
            before.close();
        }
    }

    /// Links are lost again and again, with other numbers of queue pairs and batches on each: every
    /// verb that succeeds is done exactly once, and none that is lost more than once.
    @Test
    void everyVerbIsDoneOnceThoughLinksAreReplaced() {
        SplittableRandom random = new SplittableRandom(seed);
        long[] done = new long[8];
        long[] doubtful = new long[8];
        try (TcpComputeFabric firstNewer = connect(Duration.ofMillis(300))) {
            for (int round = 0; round < 6; round++) {
                List<QueuePair> pairs = new ArrayList<>();
                int count = random.nextInt(1, 4);
                for (int i = 0; i < count; i++) {
                    pairs.add(firstNewer.connect(regions));
                }
                int batches = random.nextInt(1, 5);
                for (int i = 0; i < batches; i++) {
                    int word = random.nextInt(8);
                    QueuePair queuePair = pairs.get(random.nextInt(count));
                    queuePair.fetchAndAdd(address(word), 1);
                    queuePair.await();
                    done[word]++;
                }
                wire.swallow(random.nextBoolean(), true);
                int word = random.nextInt(8);
                QueuePair loser = pairs.get(random.nextInt(count));
                loser.fetchAndAdd(address(word), 1);
                assertThatExceptionOfType(FabricException.class).isThrownBy(loser::await);
                doubtful[word]++;
                wire.swallow(false, false);
                pairs.forEach(QueuePair::disconnect);
                pairs.forEach(QueuePair::close);
            }
            try (QueuePair queuePair = firstNewer.connect(regions)) {
                for (int word = 0; word < 8; word++) {
                    assertThat(queuePair.readWord(address(word)))
                            .as("word %d", word)
                            .isBetween(done[word], done[word] + doubtful[word]);
                }
            }
        }
    }

    private void loseTheLink(TcpComputeFabric firstNewer, QueuePair queuePair) {
        wire.swallow(true, true);
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> queuePair.readWord(address(0)));
        wire.swallow(false, false);
        assertThat(firstNewer.regions()).hasSize(1);
    }

    /// ```
    /// q  posts a long batch, and is disconnected as if its thread did not await it any more
    /// n  breaks, and comes back
    /// l  must not send the batch again once it is confirmed that nothing of it comes later
    /// ```
    @Test
    void whatIsDisconnectedIsNotSentAgain() throws Exception {
        int bytes = 1 << 19;
        long last = address(WORDS);
        try (QueuePair queuePair = compute.connect(regions);
                TcpComputeFabric direct =
                        TcpComputeFabric.connect(
                                List.of(memory.address()),
                                TcpClientOptions.DEFAULT.withTls(tls()));
                QueuePair observer = direct.connect(regions)) {
            long source = queuePair.localMemory(bytes);
            wire.swallow(true, true);
            Thread poster =
                    Thread.ofPlatform()
                            .start(() -> {
                                for (int i = 0; i < 16; i++) {
                                    queuePair.write(RemoteAddress.of(0, bytes), source, bytes);
                                }
                                queuePair.fetchAndAdd(last, 1);
                                try {
                                    queuePair.await();
                                } catch (FabricException e) {
                                    // It is disconnected.
                                }
                            });
            while (!wire.isHolding()) {
                sleep(5);
            }
            Thread cleaner = Thread.ofPlatform().start(queuePair::disconnect);
            sleep(300);
            wire.swallow(false, false);
            wire.cut();
            cleaner.join();
            long found = observer.readWord(last);
            poster.join();
            assertThat(observer.readWord(last)).isEqualTo(found);
        }
    }

    /// ```
    /// q  posts; the request is held up on its way
    /// n  a proxy in between refuses connections: this says nothing about the memory server
    /// q  must not be confirmed as ended
    /// n  goes on: what was held up takes effect
    /// ```
    @Test
    void aRefusedConnectionSaysNothingOfWhatWasSent() throws Exception {
        try (TcpComputeFabric direct =
                        TcpComputeFabric.connect(
                                List.of(memory.address()),
                                TcpClientOptions.DEFAULT.withTls(tls()));
                QueuePair observer = direct.connect(regions)) {
            QueuePair queuePair = compute.connect(regions);
            wire.hold(true);
            wire.refuse();
            queuePair.fetchAndAdd(address(8), 1);
            Thread cutter =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (!wire.isHolding()) {
                                    sleep(5);
                                }
                                wire.cutClients();
                            });
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(queuePair::await)
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.PEER_GONE));
            cutter.join();
            assertThatExceptionOfType(FabricException.class).isThrownBy(queuePair::disconnect);
            assertThat(observer.readWord(address(8))).isZero();
            wire.hold(false);
            while (observer.readWord(address(8)) == 0) {
                sleep(5);
            }
            queuePair.close();
        }
    }

    @Test
    void aMemoryServerThatHasEndedIsGone() {
        try (TcpComputeFabric direct =
                        TcpComputeFabric.connect(
                                List.of(memory.address()),
                                TcpClientOptions.DEFAULT.withTls(tls()));
                QueuePair queuePair = direct.connect(regions)) {
            long _ = queuePair.readWord(address(0));
            memory.close();
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> queuePair.readWord(address(0)))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.PEER_GONE));
        }
    }

    /// A thread that is interrupted while it waits for a reply gets the reply, and stays
    /// interrupted; no other thread notices.
    @Test
    void anInterruptBreaksNoConnection() throws Exception {
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    sleep(200);
                    return request;
                }));
        AtomicLong answered = new AtomicLong();
        Thread caller =
                Thread.ofPlatform()
                        .start(() -> {
                            try (QueuePair queuePair = compute.connect(regions)) {
                                Thread.currentThread().interrupt();
                                answered.set(queuePair.call(0, new byte[3], REPLY_BYTES).length);
                                assertThat(Thread.interrupted()).isTrue();
                            }
                        });
        caller.join();
        assertThat(answered.get()).isEqualTo(3);
        assertThat(memory.statistics().clients()).isEqualTo(1);
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
