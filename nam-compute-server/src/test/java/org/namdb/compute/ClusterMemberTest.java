package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.Membership;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.timestamp.SlotOwners;

/// A compute server that takes its place in a cluster in which others have died, or that can't.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterMemberTest {
    private static final int SLOTS = 64;
    private static final long REST_NANOS = 10_000_000;
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(64 << 20)
                    .withSlots(8)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofHours(1));

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());
    private final RecordingFabric recording = new RecordingFabric(fabric);
    private final Leases leases = new Leases();

    @BeforeEach
    void format() {
        DatabaseLayout.format(fabric, regions, SLOTS, OPTIONS.maxTransactionTime());
    }

    @AfterEach
    void close() {
        server.close();
        fabric.close();
    }

    private ClusterMember clusterMember(List<Region> at) {
        return ClusterMember.of(
                new MemoryServers(recording, at, DatabaseLayout.vector(SLOTS)),
                leases,
                Host.MACHINE,
                REST_NANOS,
                process -> new Member(process, 1, "here", null),
                process -> null);
    }

    private Set<Integer> holders() {
        Set<Integer> holders = new TreeSet<>();
        try (QueuePair queuePair = fabric.connect(regions)) {
            for (long word : new SlotOwners(DatabaseLayout.vector(SLOTS), queuePair).read()) {
                if (word != 0) {
                    holders.add(SlotOwners.process(SlotOwners.holder(word)));
                }
            }
        }
        return holders;
    }

    @Test
    void aPlaceThatIsOfNoUseIsLeft() {
        List<Region> tooSmall = List.of(new Region(0, 8 << 20, regions.getFirst().key()));
        assertThatThrownBy(() -> NamDb.connect(clusterMember(tooSmall), OPTIONS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a memory server needs at least 16 MiB");
        assertThat(recording.isClosed).isTrue();
        assertThat(leases.isClosed).isTrue();
    }

    /// Recovery of one waits while others are not fenced yet: they may hold the same records.
    @Test
    void allDeadProcessesAreFencedBeforeAnyIsRecovered() throws InterruptedException {
        Set<Integer> dead = new TreeSet<>();
        List<NamDb> theirs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            NamDb db = AttachedDatabase.open(OPTIONS, fabric, regions);
            theirs.add(db);
            Session _ = db.session();
            dead.add(db.process());
        }
        assertThat(holders()).isEqualTo(dead);
        try (NamDb next = NamDb.connect(clusterMember(regions), OPTIONS)) {
            while (holders().stream().anyMatch(dead::contains)) {
                Thread.sleep(5); // the test's limit ends it
            }
            assertThat(recording.fenced).containsExactlyElementsOf(dead);
            assertThat(recording.holdersAtFence)
                    .allSatisfy(holders -> assertThat(holders).containsAll(dead));
            assertThat(next.isLost()).isFalse();
        } finally {
            theirs.forEach(NamDb::close);
        }
    }

    /// ```
    /// m   a memory server dies
    /// c   closes before its watch has checked the memory servers: a verb fails, since its queue
    ///     pair was disconnected, which shows nothing of the memory server
    /// ```
    @Test
    void aMemoryServerThatHasDiedIsFoundAtTheClose() throws Exception {
        NamDb db;
        try (TcpMemoryFabric memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK);
                MemoryServer dying =
                        new MemoryServer(
                                memory, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS))) {
            ComputeFabric tcp =
                    TcpComputeFabric.connect(List.of(memory.address()), TcpClientOptions.DEFAULT);
            List<Region> theirs = List.of(dying.region());
            DatabaseLayout.format(tcp, theirs, SLOTS, OPTIONS.maxTransactionTime());
            db =
                    NamDb.connect(
                            ClusterMember.of(
                                    new MemoryServers(tcp, theirs, DatabaseLayout.vector(SLOTS)),
                                    leases,
                                    Host.MACHINE,
                                    Duration.ofHours(1).toNanos(),
                                    process -> new Member(process, 1, "here", null),
                                    process -> null),
                            OPTIONS);
            Session session = db.session();
            while (leases.reads.get() == 0) {
                Thread.sleep(5); // until the watch has looked, the test's limit ends it
            }
            session.queuePair.disconnect();
        }
        assertThat(db.isLost()).isFalse();
        db.close();
        assertThat(db.loss()).startsWith("has lost its database, as a memory server has died");
    }

    /// Records which processes are fenced, and which slots they held then.
    private final class RecordingFabric extends ForwardingFabric {
        private final List<Integer> fenced = new CopyOnWriteArrayList<>();
        private final List<Set<Integer>> holdersAtFence = new CopyOnWriteArrayList<>();
        private volatile boolean isClosed;

        RecordingFabric(Fabric actual) {
            super(actual);
        }

        @Override
        public void fence(int process) {
            holdersAtFence.add(holders());
            fenced.add(process);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /// In this process.
    private static final class Leases implements Membership {
        private final Set<Integer> members = new ConcurrentSkipListSet<>();
        private final AtomicInteger reads = new AtomicInteger();
        private volatile boolean isClosed;

        @Override
        public void join(Member member) {
            members.add(member.process());
        }

        @Override
        public Set<Integer> members() {
            reads.incrementAndGet();
            return Set.copyOf(members);
        }

        @Override
        public List<Member> describe() {
            return List.of();
        }

        @Override
        public void watch(Runnable changed) {
            changed.run();
        }

        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
