package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.Threads;

/// Access to an agent: tokens, and fences.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpAccessTest {
    private static final int REPLY_BYTES = 64;
    private static final int PROCESS = 7;
    private static final long WORD = RemoteAddress.of(0, 64);

    private TcpMemoryFabric memory;

    @BeforeEach
    void open() {
        memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withToken("secret"));
        memory.register(0, 1 << 16);
    }

    @AfterEach
    void close() {
        memory.close();
    }

    private TcpComputeFabric connect(String token) {
        return TcpComputeFabric.connect(
                List.of(memory.address()), TcpClientOptions.DEFAULT.withToken(token));
    }

    @Test
    void aClientWithTheTokenIsAccepted() {
        try (TcpComputeFabric compute = connect("secret")) {
            assertThat(compute.regions()).hasSize(1);
        }
    }

    @Test
    void aClientWithoutTheTokenIsRefused() {
        for (String token : List.of("", "other", "secret\0", "secre")) {
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> connect(token).close())
                    .withMessageContaining("token");
        }
        assertThat(memory.statistics().refused()).isEqualTo(4);
    }

    @Test
    void aTokenIsNoPartOfWhatOptionsShow() {
        assertThat(TcpServerOptions.LOOPBACK.withToken("hidden").toString())
                .doesNotContain("hidden");
        assertThat(TcpClientOptions.DEFAULT.withToken("hidden").toString())
                .doesNotContain("hidden");
    }

    @Test
    void withoutATokenItListensOnLoopbackOnly() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        TcpServerOptions.LOOPBACK.withAddress(new InetSocketAddress("0.0.0.0", 0)))
                .withMessageContaining("token");
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() ->
                        new TcpMemoryFabric(
                                TcpServerOptions.LOOPBACK.withAddress(memory.address())))
                .withMessageContaining(String.valueOf(memory.address().getPort()));
    }

    /// ```
    /// z  is enrolled, posts, and waits
    /// f  fences z: every agent has confirmed
    /// z  wakes: nothing that it posts is done, over its connection or another one
    /// ```
    @Test
    void aFencedProcessChangesNothingAnyMore() {
        try (TcpComputeFabric zombie = connect("secret");
                TcpComputeFabric other = connect("secret")) {
            zombie.enroll(PROCESS);
            other.enroll(PROCESS + 1);
            QueuePair before = zombie.connect(zombie.regions());
            before.writeWord(WORD, 1);
            before.await();
            other.fence(PROCESS);
            assertFenced(() -> {
                before.writeWord(WORD, 2);
                before.await();
            });
            assertFenced(() -> zombie.connect(zombie.regions()).close());
            try (QueuePair queuePair = other.connect(other.regions())) {
                assertThat(queuePair.readWord(WORD)).isEqualTo(1);
            }
            before.close();
        }
    }

    @Test
    void aFenceIsConfirmedWhenTheCallsOfTheProcessAreDone() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    begun.countDown();
                    rest();
                    done.incrementAndGet();
                    return request;
                }));
        try (TcpComputeFabric zombie = connect("secret");
                TcpComputeFabric other = connect("secret")) {
            zombie.enroll(PROCESS);
            QueuePair queuePair = zombie.connect(zombie.regions());
            Thread caller =
                    Thread.ofPlatform()
                            .start(() ->
                                    assertFenced(
                                            () -> queuePair.call(0, new byte[8], REPLY_BYTES)));
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            other.fence(PROCESS);
            assertThat(done.get()).isEqualTo(1);
            caller.join();
            queuePair.close();
        }
    }

    /// ```
    /// z  posts requests by six queue pairs, to three workers: three are handled, three wait
    /// c  fences z; the fence is confirmed when none of them is handled any more
    /// ```
    @Test
    void noRequestOfTheFencedIsHandledAfterTheFence() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (TcpMemoryFabric three =
                new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withWorkers(3))) {
            three.register(0, 1 << 16);
            three.serve(
                    0,
                    () ->
                            (request, bytes, reply, replyBytes) -> {
                                begun.incrementAndGet();
                                rest();
                                done.incrementAndGet();
                                return 0;
                            });
            try (TcpComputeFabric zombie = connectTo(three);
                    TcpComputeFabric other = connectTo(three)) {
                zombie.enroll(PROCESS);
                List<QueuePair> queuePairs = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    queuePairs.add(zombie.connect(zombie.regions()));
                }
                Threads.run(
                        7,
                        thread -> {
                            if (thread > 0) {
                                QueuePair queuePair = queuePairs.get(thread - 1);
                                assertFenced(() -> {
                                    while (Threads.goOn()) {
                                        queuePair.call(0, new byte[8], REPLY_BYTES);
                                    }
                                });
                                return;
                            }
                            while (begun.get() < 3 && Threads.goOn()) {
                                Threads.giveWay();
                            }
                            other.fence(PROCESS);
                            int last = begun.get();
                            assertThat(last).isGreaterThanOrEqualTo(3);
                            assertThat(done.get()).isEqualTo(last);
                            rest();
                            rest();
                            assertThat(begun.get()).isEqualTo(last);
                        });
                queuePairs.forEach(QueuePair::close);
            }
        }
    }

    private static TcpComputeFabric connectTo(TcpMemoryFabric fabric) {
        return TcpComputeFabric.connect(List.of(fabric.address()), TcpClientOptions.DEFAULT);
    }

    /// A recovery may then release what the thread's request has left.
    @Test
    void aDisconnectWaitsForTheRequestThatIsBeingHandled() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        memory.serve(
                0,
                (request, bytes, reply, replyBytes) -> {
                    begun.countDown();
                    rest();
                    done.incrementAndGet();
                    return 0;
                });
        try (TcpComputeFabric compute = connect("secret");
                QueuePair queuePair = compute.connect(compute.regions())) {
            Thread caller =
                    Thread.ofPlatform()
                            .start(() ->
                                    assertThatExceptionOfType(FabricException.class)
                                            .isThrownBy(() ->
                                                    queuePair.call(0, new byte[8], REPLY_BYTES)));
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            queuePair.disconnect();
            assertThat(done.get()).isEqualTo(1);
            caller.join();
        }
    }

    @Test
    void aFenceThatIsNotConfirmedFails() {
        try (TcpComputeFabric other = connect("secret")) {
            memory.close();
            assertThatExceptionOfType(FabricException.class).isThrownBy(() -> other.fence(PROCESS));
        }
    }

    @Test
    void aClientThatEnrollsLaterAsAFencedProcessIsRefused() {
        try (TcpComputeFabric other = connect("secret")) {
            other.fence(PROCESS);
            try (TcpComputeFabric late = connect("secret")) {
                assertFenced(() -> late.enroll(PROCESS));
            }
        }
    }

    private static void assertFenced(Runnable action) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(action::run)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.FENCED));
    }

    private static void rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(200);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
