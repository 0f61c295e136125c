package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;

/// What one queue pair posts to two agents goes to both at once, whichever of them answers, and
/// whichever thread sends.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoAgentsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(600);

    private final long seed = Seeds.next();
    private final List<TcpMemoryFabric> memory = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();

    /// Past the wires.
    private TcpComputeFabric direct;

    @BeforeEach
    void open() throws IOException {
        for (int server = 0; server < 2; server++) {
            TcpMemoryFabric fabric = new TcpMemoryFabric(TcpServerOptions.LOOPBACK);
            memory.add(fabric);
            fabric.register(server, 1 << 20);
            wires.add(new Wire(fabric.address(), seed));
        }
        direct =
                TcpComputeFabric.connect(
                        memory.stream().map(TcpMemoryFabric::address).toList(),
                        TcpClientOptions.DEFAULT);
    }

    private TcpComputeFabric connect(Duration timeout) {
        return TcpComputeFabric.connect(
                wires.stream().map(Wire::address).toList(),
                TcpClientOptions.DEFAULT.withTimeout(timeout));
    }

    @AfterEach
    void close() throws IOException {
        direct.close();
        for (Wire wire : wires) {
            wire.close();
        }
        memory.forEach(TcpMemoryFabric::close);
    }

    /// ```
    /// q  posts to both, and waits for both
    /// h  does what it is sent, but its reply is lost
    /// o  has been sent its part, too
    /// ```
    /// The order of the awaits is not specified: so each is the silent one once.
    @ParameterizedTest
    @CsvSource({
        "0, 1, false", "1, 1, false",
        "0, 1, true", "1, 1, true",
        "0, 48, true", "1, 48, true"
    })
    void bothAreToldThoughOneDoesNotAnswer(int hung, int threads, boolean isVirtual)
            throws Exception {
        try (TcpComputeFabric compute = connect(Duration.ofSeconds(60));
                ExecutorService waiting =
                        Executors.newThreadPerTaskExecutor(
                                isVirtual
                                        ? Thread.ofVirtual().factory()
                                        : Thread.ofPlatform().factory());
                QueuePair observer = direct.connect(direct.regions())) {
            List<QueuePair> queuePairs = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                queuePairs.add(compute.connect(compute.regions()));
            }
            wires.get(hung).swallow(false, true);
            List<Future<?>> parts = new ArrayList<>();
            for (QueuePair queuePair : queuePairs) {
                parts.add(waiting.submit(() -> addToBoth(queuePair)));
            }
            try {
                for (int server = 0; server < 2; server++) {
                    awaitSum(observer, server, threads);
                }
                assertThat(parts).noneMatch(Future::isDone);
            } finally {
                wires.get(hung).swallow(false, false);
                wires.get(hung).cut(); // what was lost never comes
            }
            for (Future<?> part : parts) {
                part.get();
            }
            queuePairs.forEach(QueuePair::close);
        }
    }

    private static void addToBoth(QueuePair queuePair) {
        queuePair.fetchAndAdd(RemoteAddress.of(0, 0), 1);
        queuePair.fetchAndAdd(RemoteAddress.of(1, 0), 1);
        queuePair.await();
    }

    private static void awaitSum(QueuePair observer, int server, int sum)
            throws InterruptedException {
        long address = RemoteAddress.of(server, 0);
        while (observer.readWord(address) < sum) {
            Thread.sleep(5); // the test's limit ends it
        }
        assertThat(observer.readWord(address)).isEqualTo(sum);
    }

    /// ```
    /// h  is silent; q is opened without a way to it
    /// h  is back, with what it holds: r is opened, and reaches it; q does not, and fails
    /// ```
    @Test
    void aQueuePairOpenedWhileOneWasSilentMustBeReopened() {
        try (TcpComputeFabric compute = connect(TIMEOUT)) {
            List<Region> regions = compute.regions();
            wires.get(1).swallow(true, true);
            wires.get(1).cut();
            try (QueuePair first = compute.connect(regions)) {
                assertThatExceptionOfType(FabricException.class).isThrownBy(() -> addToBoth(first));
            }
            try (QueuePair second = compute.connect(regions)) {
                long _ = second.readWord(RemoteAddress.of(0, 0));
                assertThat(second.isLost()).isFalse();
                assertGone(second);
                assertThat(second.isLost()).as("unreachable").isFalse();
                wires.get(1).swallow(false, false);
                try (QueuePair third = compute.connect(regions)) {
                    addToBoth(third);
                }
                assertGone(second);
                assertThat(second.isLost()).isTrue();
            }
        }
    }

    private static void assertGone(QueuePair queuePair) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> queuePair.readWord(RemoteAddress.of(1, 0)))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.PEER_GONE));
    }

    @Test
    void aWaitForASilentAgentDoesNotFailTheOther() {
        for (int hung = 0; hung < 2; hung++) {
            try (TcpComputeFabric compute = connect(TIMEOUT);
                    QueuePair queuePair = compute.connect(compute.regions())) {
                int before = wires.get(1 - hung).connections();
                wires.get(hung).swallow(false, true);
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> addToBoth(queuePair));
                assertThat(wires.get(1 - hung).connections()).isEqualTo(before);
                wires.get(hung).swallow(false, false);
            }
        }
    }
}
