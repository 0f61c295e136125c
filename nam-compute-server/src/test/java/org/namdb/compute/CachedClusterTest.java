package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.membership.EmbeddedZooKeeper;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.ZooKeeperMembership;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.Threads;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// Compute servers of a cluster that find each other by ZooKeeper, and cache together over TCP.
class CachedClusterTest {
    private static final String NAME = "cached";
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);

    @TempDir private Path directory;
    private final List<AutoCloseable> open = new ArrayList<>();
    private EmbeddedZooKeeper zooKeeper;
    private List<HostPort> addresses = List.of(ANYWHERE);
    private ClusterConfig.Lines lines = ClusterConfig.Lines.DEFAULT;
    private Transport transport = Transport.TCP;

    @BeforeEach
    void start() {
        zooKeeper = new EmbeddedZooKeeper(directory, ANYWHERE, Duration.ofMillis(100));
        open.add(zooKeeper);
        MemoryProcess server = MemoryProcess.start(config(null), 0);
        open.add(server);
        addresses = List.of(server.address());
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private ClusterConfig config(@Nullable HostPort peers) {
        return new ClusterConfig(
                NAME,
                addresses.stream()
                        .map(address -> new ClusterConfig.Memory(address, 64 << 20, directory, 1))
                        .toList(),
                64,
                1,
                false,
                ClusterDurability.SYNC,
                Duration.ofSeconds(20),
                transport,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(zooKeeper.address()), Duration.ofSeconds(20)),
                new ClusterConfig.Compute(
                        1,
                        Duration.ofMillis(5),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        peers,
                        lines),
                ClusterConfig.Sql.NONE);
    }

    private NamDb connect() {
        return NamDb.connect(config(ANYWHERE));
    }

    private static Table counters(NamDb db) {
        Table table =
                db.createTable(
                        TableDefinition.named("counters")
                                .column("id", ColumnType.INT32)
                                .column("count", ColumnType.INT64)
                                .primaryKey("id")
                                .cached(true)
                                .build());
        db.transact(transaction ->
                transaction
                        .insert(table, table.newKey().set(1))
                        .setInt64(table.column("count"), 0));
        return table;
    }

    private static long count(Session session, Table table) {
        return session.<Long>transact(transaction -> {
            Row row = transaction.read(table, table.newKey().set(1));
            long value = row.int64(table.column("count")) + 1;
            row.setInt64(table.column("count"), value);
            return value;
        });
    }

    private static long read(Session session, Table table) {
        return session.<Long>transact(transaction ->
                transaction.read(table, table.newKey().set(1)).int64(table.column("count")));
    }

    @Test
    void aCommitIsSeenByTheNextBeginElsewhere() {
        try (NamDb first = connect();
                NamDb second = connect();
                Session ofFirst = first.session()) {
            Table table = counters(first);
            try (Session ofSecond = second.session()) {
                Table same = second.table("counters");
                for (int i = 1; i < 100; i += 2) {
                    assertThat(count(ofFirst, table)).isEqualTo(i);
                    assertThat(read(ofSecond, same)).isEqualTo(i);
                    assertThat(count(ofSecond, same)).isEqualTo(i + 1);
                    assertThat(read(ofFirst, table)).isEqualTo(i + 1);
                }
            }
        }
    }

    /// It keeps no copies, but the others do.
    @Test
    void aComputeServerThatMapsMemoryTellsTheOthersOfItsCommits() {
        try (NamDb copying = connect()) {
            Table table = counters(copying);
            transport = Transport.SHM;
            try (NamDb mapping = connect();
                    Session ofCopying = copying.session();
                    Session ofMapping = mapping.session()) {
                Table same = mapping.table("counters");
                int copied = 0;
                for (int i = 1; i < 100; i += 2) {
                    assertThat(read(ofCopying, table)).isEqualTo(i - 1);
                    copied += isReadForNothing(ofCopying, table) ? 1 : 0;
                    assertThat(count(ofMapping, same)).isEqualTo(i);
                    assertThat(read(ofCopying, table)).isEqualTo(i);
                    assertThat(count(ofCopying, table)).isEqualTo(i + 1);
                    assertThat(isReadForNothing(ofMapping, same)).isFalse();
                    assertThat(read(ofMapping, same)).isEqualTo(i + 1);
                }
                assertThat(copied).isPositive();
            }
        }
    }

    /// Whether a read of the row posts no verb except those of a begin.
    private static boolean isReadForNothing(Session session, Table table) {
        return session.<Boolean>transact(transaction -> {
            transaction.await(); // the snapshot
            long before = session.counters().reads();
            Row _ = transaction.read(table, table.newKey().set(1));
            return session.counters().reads() == before;
        });
    }

    @Test
    void linesOfAnotherSizeThanTheClustersAreRefused() {
        lines = new ClusterConfig.Lines(512, 1 << 20);
        try (NamDb first = connect();
                LineSession session = first.lines()) {
            assertThat(session.lineBytes()).isEqualTo(512);
            try (Session reading = first.session()) {
                assertThat(count(reading, counters(first))).isEqualTo(1);
            }
            lines = ClusterConfig.Lines.DEFAULT;
            assertThatThrownBy(this::connect)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("lines have 512 bytes, and not 64");
        }
    }

    /// The one that is fenced has the guard line, and others need it.
    @Test
    void whatADeadComputeServerHasIsClearedAway() throws InterruptedException {
        try (NamDb first = connect();
                NamDb second = connect();
                NamDb third = connect();
                Session ofFirst = first.session();
                Session ofThird = third.session()) {
            Table table = counters(first);
            Table theirs = second.table("counters");
            for (int round = 0; round < 3; round++) {
                try (Session session = second.session()) {
                    assertThat(count(session, theirs)).isEqualTo(3 * round + 1);
                }
                int process = second.process();
                assertThat(zooKeeper.endLease(NAME, process)).isTrue();
                assertThat(count(ofFirst, table)).isEqualTo(3 * round + 2);
                assertThat(count(ofThird, third.table("counters"))).isEqualTo(3 * round + 3);
                while (second.process() == process) {
                    Thread.sleep(10); // the test's limit ends it
                }
                try (Session session = second.session()) {
                    assertThat(read(session, theirs)).isEqualTo(3 * round + 3);
                }
            }
        }
    }

    /// ```
    /// second, has the line              first
    ///                                   requests the line
    /// fails while it releases it
    /// gives up its lease
    ///                                   fences it, clears its lines away, has the line
    /// joins again
    /// ```
    @Test
    void aComputeServerWhoseCacheHasFailedJoinsAgain() throws InterruptedException {
        LocalPeers peers = new LocalPeers();
        AtomicBoolean isFailing = new AtomicBoolean();
        Supplier<ClusterMember> members = () -> member(peers, isFailing);
        try (NamDb first = connect(() -> member(peers, new AtomicBoolean()));
                NamDb second = connect(members);
                Session ofFirst = first.session();
                Session before = second.session()) {
            Table table = counters(first);
            Table theirs = second.table("counters");
            assertThat(count(before, theirs)).isEqualTo(1);
            Transaction open = before.begin();
            open.read(theirs, theirs.newKey().set(1)).setInt64(theirs.column("count"), 9);
            int process = second.process();
            isFailing.set(true);
            assertThat(count(ofFirst, table)).isEqualTo(2);
            assertThat(isFailing.get()).isFalse();
            assertThatThrownBy(before::commit)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("has lost its cache of lines");
            while (second.process() == process) {
                Thread.sleep(10); // the test's limit ends it
            }
            try (Session session = second.session()) {
                assertThat(count(session, theirs)).isEqualTo(3);
                assertThat(count(ofFirst, table)).isEqualTo(4);
                assertThat(read(session, theirs)).isEqualTo(4);
            }
        }
    }

    private NamDb connect(Supplier<ClusterMember> members) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withCluster(config(null))
                        .withRetryPolicy(RetryPolicy.NETWORK);
        return DatabaseResources.connect(
                members.get(), options, _ -> members.get(), Duration.ofSeconds(20));
    }

    /// @param isFailing whether the next fetch-and-add by which a line is released fails
    private ClusterMember member(LocalPeers peers, AtomicBoolean isFailing) {
        ClusterConfig config = config(null);
        MemoryServers servers =
                MemoryServers.await(
                        config,
                        () -> ComputeTransport.connect(config),
                        true,
                        Host.MACHINE,
                        _ -> {});
        return ClusterMember.of(
                new MemoryServers(
                        new FailingReleases(servers.fabric(), isFailing),
                        servers.regions(),
                        servers.vector()),
                new ZooKeeperMembership(
                        List.of(zooKeeper.address()),
                        NAME,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(3)),
                Host.MACHINE,
                TimeUnit.SECONDS.toNanos(1),
                process -> new Member(process, 1, "here", null),
                process -> peers.join(process, Host.MACHINE));
    }

    /// Fails as a broken invariant does, in the thread that handles others' requests.
    private record FailingReleases(ComputeFabric actual, AtomicBoolean isFailing)
            implements ComputeFabric {
        @Override
        public List<Region> regions() {
            return actual.regions();
        }

        @Override
        public QueuePair connect(List<Region> regions) {
            return new ForwardingQueuePair(actual.connect(regions)) {
                @Override
                protected long postFetchAndAdd(long address, long delta) {
                    if (Thread.currentThread().getName().startsWith("peers of process")
                            && isFailing.getAndSet(false)) {
                        throw new AssertionError("planted");
                    }
                    return super.postFetchAndAdd(address, delta);
                }
            };
        }

        @Override
        public void enroll(int process) {
            actual.enroll(process);
        }

        @Override
        public void fence(int process) {
            actual.fence(process);
        }

        @Override
        public void close() {
            actual.close();
        }
    }

    /// Its user has not closed what was open before.
    @Test
    void whoJoinsAgainListensWhereItDid() throws Exception {
        int port = freePort();
        try (NamDb first = connect();
                NamDb second = NamDb.connect(config(new HostPort("127.0.0.1", port)));
                Session before = second.session()) {
            Table table = counters(first);
            assertThat(count(before, second.table("counters"))).isEqualTo(1);
            int process = second.process();
            assertThat(zooKeeper.endLease(NAME, process)).isTrue();
            while (second.process() == process) {
                Thread.sleep(10); // the test's limit ends it
            }
            try (Session session = second.session();
                    Session ofFirst = first.session()) {
                assertThat(count(session, second.table("counters"))).isEqualTo(2);
                assertThat(count(ofFirst, table)).isEqualTo(3);
            }
        }
    }

    /// Below the ports that the kernel gives to connections, which are many here.
    private static int freePort() throws IOException {
        SplittableRandom random = new SplittableRandom();
        while (true) {
            int port = random.nextInt(10_000, 20_000);
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (BindException e) {
                // A server listens there.
            }
        }
    }

    /// As the page on caches has it.
    @Test
    void aCounterIsShared() throws Exception {
        try (NamDb first = connect();
                NamDb second = connect();
                LineSession lines = first.lines()) {
            long counter = lines.allocate();
            Threads.run(
                    4,
                    thread -> {
                        try (LineSession own = (thread < 2 ? first : second).lines()) {
                            for (int i = 0; i < 500; i++) {
                                try (LineGuard guard = own.exclusive(counter)) {
                                    guard.putLong(0, guard.longAt(0) + 1);
                                }
                            }
                        }
                    });
            try (LineGuard guard = lines.shared(counter)) {
                assertThat(guard.longAt(0)).isEqualTo(2_000);
            }
        }
    }

    @Test
    void withoutPeersThereAreNoLinesAndNoChangesOfCachedTables() {
        try (NamDb first = connect();
                NamDb alone = NamDb.connect(config(null));
                Session session = alone.session()) {
            Table _ = counters(first);
            Table theirs = alone.table("counters");
            assertThat(read(session, theirs)).isZero();
            assertThatThrownBy(() -> count(session, theirs))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("give it compute.peers");
            assertThatThrownBy(alone::lines)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("give them compute.peers");
        }
    }
}
