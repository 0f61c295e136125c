package org.namdb.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.peer.PeerConformance;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// Peers in virtual time, with messages that are late, processes that are paused, and links that
/// are cut.
class SimPeersTest extends PeerConformance {
    private static final FaultPlan FAULTS =
            new FaultPlan(500, 0.001, 20_000, 0, 0, 0, 0.0005, 50_000, 0, 0);
    private static final long SHORT_NANOS = SimQueuePair.RETRY_NANOS / 2;
    private static final long LONG_NANOS = 10 * SimQueuePair.RETRY_NANOS;

    @RegisterExtension final VirtualTime virtualTime = new VirtualTime();

    private final Map<Integer, SimHost> hosts = new HashMap<>();
    private Simulation simulation;
    private SimPeers peers;
    private SimHost test;

    @BeforeEach
    void open() {
        simulation = new Simulation(Seeds.next(), ClusterModel.FREE_PROCESSORS, SimTrace.off());
        simulation.faults(FAULTS);
        peers = new SimPeers(simulation);
        test = simulation.host("test");
        virtualTime.of(simulation, test);
    }

    @AfterEach
    void close() {
        simulation.close();
    }

    @Override
    protected PeerFabric join(int process) {
        SimHost host = simulation.host("compute-" + process);
        hosts.put(process, host);
        return peers.join(process, host);
    }

    @Override
    protected void kill(PeerFabric peer) {
        host(peer).crash();
    }

    @Override
    protected void start(PeerFabric peer, Runnable work) {
        host(peer).start("part", work);
    }

    private SimHost host(PeerFabric peer) {
        return Objects.requireNonNull(hosts.get(peer.process()));
    }

    /// Sends a request to process 2, which counts what it receives; the links may be cut.
    private record Requested(PeerReply reply, int received, long nanos) {}

    private Requested request(boolean requests, boolean answers, long nanos) {
        AtomicInteger received = new AtomicInteger();
        PeerFabric peer = join(2);
        peer.serve(batch ->
                batch.forEach(request -> {
                    received.incrementAndGet();
                    request.answer(request.bytes());
                }));
        PeerQueue queue = join(1).connect();
        if (requests) {
            peers.cut(1, 2, nanos);
        }
        if (answers) {
            peers.cut(2, 1, nanos);
        }
        long begin = simulation.nanoTime();
        PeerReply reply = queue.post(2, new byte[8]);
        queue.await();
        long took = simulation.nanoTime() - begin;
        int first = received.get();
        test.sleep(2 * LONG_NANOS);
        assertThat(received.get()).as("nothing arrives late").isEqualTo(first);
        PeerReply healed = queue.post(2, new byte[3]);
        queue.await();
        assertThat(healed.bytes()).hasSize(3);
        return new Requested(reply, first, took);
    }

    @Test
    void aShortCutOnlyTakesTime() {
        Requested requested = request(true, true, SHORT_NANOS);
        assertThat(requested.reply().bytes()).hasSize(8);
        assertThat(requested.nanos()).isGreaterThanOrEqualTo(SHORT_NANOS);
    }

    @Test
    void aRequestThatIsCutOffForLongIsNeverReceived() {
        Requested requested = request(true, false, LONG_NANOS);
        assertLost(requested.reply());
        assertThat(requested.received()).isZero();
        assertThat(requested.nanos()).isLessThan(LONG_NANOS);
    }

    @Test
    void anAnswerThatIsCutOffForLongIsLostThoughTheRequestWasReceived() {
        Requested requested = request(false, true, LONG_NANOS);
        assertLost(requested.reply());
        assertThat(requested.received()).isEqualTo(1);
        assertThat(requested.nanos()).isLessThan(LONG_NANOS);
    }

    private static void assertLost(PeerReply reply) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(reply::bytes)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECTION_LOST));
    }

    /// Each request is answered or fails, and none is received twice.
    @Test
    void connectionsThatBreakLoseRequestsAndRepeatNone() {
        simulation.faults(new FaultPlan(500, 0, 0, 0, 0, 0, 0, 0, 0.02, 0));
        int[] received = new int[500];
        PeerFabric peer = join(2);
        peer.serve(batch ->
                batch.forEach(request -> {
                    received[request.bytes().length]++;
                    request.answer(request.bytes());
                }));
        PeerQueue queue = join(1).connect();
        int answered = 0;
        int lost = 0;
        for (int i = 0; i < received.length; i += 5) {
            PeerReply[] replies = new PeerReply[5];
            for (int k = 0; k < 5; k++) {
                replies[k] = queue.post(2, new byte[i + k]);
            }
            queue.await();
            for (int k = 0; k < 5; k++) {
                if (replies[k].isAnswered()) {
                    answered++;
                    assertThat(received[i + k]).isEqualTo(1);
                } else {
                    lost++;
                    assertThat(received[i + k]).isLessThanOrEqualTo(1);
                }
            }
        }
        assertThat(answered).isPositive();
        assertThat(lost).isPositive();
    }
}
