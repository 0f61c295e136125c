package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.Threads;

/// What ends: processes that are fenced, connections that are ended, memory servers that go.
class RdmaFencingTest {
    private static final int REPLY_BYTES = 64;
    private static final RdmaOptions OPTIONS =
            RdmaOptions.DEFAULT
                    .withLandingBytes(1 << 14)
                    .withTimeoutNanos(TimeUnit.SECONDS.toNanos(20));

    private static final int ZOMBIE = 7;
    private static final int CLEANER = 8;
    private static final long WORD = RemoteAddress.of(0, 64);

    private final ConcurrentLinkedDeque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();
    private RdmaMemoryFabric memory;
    private RdmaComputeFabric zombie;
    private RdmaComputeFabric cleaner;
    private List<Region> regions;

    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @BeforeEach
    void open() {
        memory = Devices.memory(OPTIONS);
        regions = List.of(memory.register(0, 1 << 16), memory.register(1, 1 << 16));
        zombie = compute(ZOMBIE);
        cleaner = compute(CLEANER);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        memory.close();
    }

    private RdmaComputeFabric compute(int process) {
        RdmaComputeFabric fabric = Devices.compute(memory, OPTIONS);
        opened.add(fabric);
        fabric.enroll(process);
        return fabric;
    }

    private QueuePair connect(RdmaComputeFabric fabric) {
        QueuePair queuePair = fabric.connect(regions);
        opened.add(queuePair);
        return queuePair;
    }

    private static void assertFails(FabricException.Kind kind, ThrowingCallable what) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(what)
                .satisfies(e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind));
    }

    @Test
    void aFencedProcessGetsAnErrorAndChangesNothing() {
        QueuePair before = connect(zombie);
        QueuePair unused = connect(zombie);
        before.writeWord(WORD, 1);
        before.await();
        memory.serve(0, RequestHandler.ofArrays(request -> request));
        cleaner.fence(ZOMBIE);
        assertFails(FabricException.Kind.FENCED, () -> before.casWord(WORD, 1, 2));
        assertFails(FabricException.Kind.FENCED, () -> before.readWord(WORD));
        assertFails(FabricException.Kind.FENCED, () -> unused.casWord(WORD, 1, 2));
        assertFails(FabricException.Kind.FENCED, () -> unused.call(0, new byte[1], REPLY_BYTES));
        assertFails(FabricException.Kind.FENCED, () -> connect(zombie).casWord(WORD, 1, 2));
        assertFails(FabricException.Kind.FENCED, zombie::regions);
        assertFails(FabricException.Kind.FENCED, () -> compute(ZOMBIE));
        assertThat(connect(cleaner).readWord(WORD)).isEqualTo(1);
        assertThat(connect(cleaner).call(0, new byte[3], REPLY_BYTES)).hasSize(3);
    }

    /// The zombie adds as fast as it can; not one of its adds is seen after the fence.
    @Test
    void nothingOfTheFencedTakesEffectAfterTheFence() throws Exception {
        AtomicInteger batches = new AtomicInteger();
        Threads.run(
                2,
                thread -> {
                    if (thread == 0) {
                        QueuePair queuePair = connect(zombie);
                        assertFails(
                                FabricException.Kind.FENCED, () -> addForEver(queuePair, batches));
                        return;
                    }
                    QueuePair queuePair = connect(cleaner);
                    while (batches.get() < 20 && Threads.goOn()) {
                        Threads.giveWay();
                    }
                    cleaner.fence(ZOMBIE);
                    long last = queuePair.readWord(WORD);
                    assertThat(last).isPositive();
                    for (int look = 0; look < 500; look++) {
                        assertThat(queuePair.readWord(WORD)).isEqualTo(last);
                    }
                });
    }

    private static void addForEver(QueuePair queuePair, AtomicInteger batches) {
        while (Threads.goOn()) {
            for (int i = 0; i < 100; i++) {
                queuePair.fetchAndAdd(WORD, 1);
            }
            queuePair.await();
            batches.incrementAndGet();
        }
    }

    /// Of four requests of the zombie one is being handled when it is fenced, and others wait.
    @Test
    void noRequestOfTheFencedIsBeingHandledAfterTheFence() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    begun.incrementAndGet();
                    Host.MACHINE.sleep(TimeUnit.MILLISECONDS.toNanos(200));
                    handled.incrementAndGet();
                    return request;
                }));
        Threads.run(
                5,
                thread -> {
                    if (thread > 0) {
                        QueuePair queuePair = connect(zombie);
                        assertFails(
                                FabricException.Kind.FENCED,
                                () -> {
                                    while (Threads.goOn()) {
                                        queuePair.call(0, new byte[8], REPLY_BYTES);
                                    }
                                });
                        return;
                    }
                    while (begun.get() == 0 && Threads.goOn()) {
                        Threads.giveWay();
                    }
                    cleaner.fence(ZOMBIE);
                    int last = begun.get();
                    assertThat(handled.get()).isEqualTo(last);
                    assertThat(connect(cleaner).call(0, new byte[2], REPLY_BYTES)).hasSize(2);
                    assertThat(begun.get()).isEqualTo(last + 1);
                });
    }

    @Test
    void nothingThatWasPostedTakesEffectAfterADisconnect() {
        QueuePair watcher = connect(cleaner);
        for (int round = 0; round < 10; round++) {
            QueuePair queuePair = connect(zombie);
            for (int i = 0; i < 500; i++) {
                queuePair.fetchAndAdd(WORD, 1);
            }
            queuePair.disconnect();
            long last = watcher.readWord(WORD);
            for (int look = 0; look < 50; look++) {
                assertThat(watcher.readWord(WORD)).isEqualTo(last);
            }
            assertFails(FabricException.Kind.PEER_GONE, () -> queuePair.readWord(WORD));
        }
    }

    @Test
    void aMemoryServerThatLeavesTakesNoOtherWithIt() {
        QueuePair queuePair = connect(zombie);
        long other = RemoteAddress.of(1, 64);
        queuePair.writeWord(WORD, 5);
        queuePair.writeWord(other, 6);
        queuePair.await();
        memory.leave(1);
        queuePair.read(other, 8);
        long view = queuePair.read(WORD, 8);
        assertFails(FabricException.Kind.PEER_GONE, queuePair::await);
        assertThat(LocalMemory.longAt(view)).isEqualTo(5);
        assertThat(queuePair.readWord(WORD)).isEqualTo(5);
        assertThat(zombie.regions()).containsExactly(regions.getFirst());
        Region again = memory.resume(1, 1 << 16);
        QueuePair later = zombie.connect(List.of(again));
        opened.add(later);
        assertThat(later.readWord(other)).isEqualTo(6);
    }

    @Test
    void aProcessThatHasEndedIsGone() {
        QueuePair queuePair = connect(zombie);
        queuePair.writeWord(WORD, 5);
        queuePair.await();
        memory.close();
        assertFails(FabricException.Kind.PEER_GONE, () -> queuePair.readWord(WORD));
        assertFails(FabricException.Kind.PEER_GONE, zombie::regions);
        assertFails(FabricException.Kind.PEER_GONE, () -> cleaner.fence(ZOMBIE));
        memory = Devices.memory(OPTIONS);
    }

    @Test
    void manyThreadsOpenAndCloseConnectionsAtATime() throws Exception {
        int rounds = 5;
        Threads.run(
                8,
                thread -> {
                    for (int round = 0; round < rounds; round++) {
                        try (QueuePair queuePair = zombie.connect(regions)) {
                            queuePair.fetchAndAdd(WORD, 1);
                            queuePair.fetchAndAdd(RemoteAddress.of(1, 8), 1);
                            queuePair.await();
                        }
                    }
                });
        assertThat(connect(cleaner).readWord(WORD)).isEqualTo(8L * rounds);
    }

    @Test
    void aHandlerThatFailsIsAnErrorOfThatRequestAlone() {
        QueuePair queuePair = connect(zombie);
        memory.serve(
                0,
                RequestHandler.ofArrays(request -> {
                    if (request.length == 0) {
                        throw new IllegalStateException("planned");
                    }
                    return new byte[request.length == 1 ? Message.MAX_BYTES + 1 : 2];
                }));
        assertFails(FabricException.Kind.SYSTEM, () -> queuePair.call(0, new byte[0], REPLY_BYTES));
        assertFails(
                FabricException.Kind.TOO_LARGE, () -> queuePair.call(0, new byte[1], REPLY_BYTES));
        assertFails(
                FabricException.Kind.TOO_LARGE,
                () -> queuePair.call(0, new byte[Message.MAX_BYTES + 1], REPLY_BYTES));
        assertThat(queuePair.call(0, new byte[Message.MAX_BYTES], REPLY_BYTES)).hasSize(2);
    }
}
