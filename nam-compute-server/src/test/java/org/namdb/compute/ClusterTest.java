package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.membership.EmbeddedZooKeeper;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.SlotOwners;

/// Memory servers and compute servers that reach each other over loopback, and a ZooKeeper, as the
/// processes of a cluster do, only that all of them are in this one.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterTest {
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);
    private static final String NAME = "cluster-test";

    @TempDir Path directory;

    private static final String MEMORY_IS_LOST =
            "this compute server has lost its database, as a memory server has died or was"
                    + " restarted: end the cluster by `nam cluster down`, start it by `nam cluster up`,"
                    + " and connect again";

    private final List<AutoCloseable> open = new ArrayList<>();
    private EmbeddedZooKeeper zooKeeper;
    private ClusterConfig config;

    @BeforeEach
    void start() {
        zooKeeper = new EmbeddedZooKeeper(directory, ANYWHERE, Duration.ofMillis(100));
        open.add(zooKeeper);
        config = config(List.of(ANYWHERE, ANYWHERE), Duration.ofSeconds(60));
        List<HostPort> addresses = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            MemoryProcess server = MemoryProcess.start(config, number);
            open.add(server);
            addresses.add(server.address());
        }
        config = config(addresses, Duration.ofSeconds(60));
    }

    private ClusterConfig config(List<HostPort> addresses, Duration wait) {
        return new ClusterConfig(
                NAME,
                addresses.stream()
                        .map(address -> new ClusterConfig.Memory(address, 32 << 20, null, 1))
                        .toList(),
                64,
                2,
                false,
                ClusterDurability.SYNC,
                Duration.ofSeconds(20),
                Transport.AUTO,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(zooKeeper.address()), Duration.ofSeconds(20)),
                new ClusterConfig.Compute(
                        1,
                        Duration.ofMillis(5),
                        Duration.ofSeconds(20),
                        wait,
                        null,
                        ClusterConfig.Lines.DEFAULT),
                ClusterConfig.Sql.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private NamDb connect() {
        return NamDb.connect(config);
    }

    private static Table counters(NamDb db) {
        return db.createTable(
                TableDefinition.named("counters")
                        .column("id", ColumnType.INT32)
                        .column("count", ColumnType.INT64)
                        .primaryKey("id")
                        .expectedRows(100)
                        .build());
    }

    private static long count(Session session, Table table) {
        return session.transact(tx -> increment(tx, table, 1));
    }

    private static long increment(Transaction tx, Table table, int id) {
        Row row = tx.read(table, table.newKey().set(id));
        if (row == null) {
            row = tx.insert(table, table.newKey().set(id));
        }
        long value = row.int64(table.column("count")) + 1;
        row.setInt64(table.column("count"), value);
        return value;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(10); // the test's limit ends it
        }
    }

    private static boolean holdsNothing(NamDb observer, int process) {
        try (QueuePair queuePair = observer.server().connect()) {
            for (long word : new SlotOwners(observer.server().vector(), queuePair).read()) {
                if (word != 0 && SlotOwners.process(SlotOwners.holder(word)) == process) {
                    return false;
                }
            }
            return true;
        }
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
                    assertThat(count(ofSecond, same)).isEqualTo(i + 1);
                }
            }
        }
    }

    /// It is alive, and finds out: nothing that it posts takes effect any more. It joins again
    /// beneath its user: only what was open fails.
    @Test
    void aComputeServerThatLosesItsLeaseIsFencedAndJoinsAgain() throws InterruptedException {
        try (NamDb first = connect();
                Session ofFirst = first.session();
                NamDb second = connect()) {
            Table table = counters(first);
            Table theirs = second.table("counters");
            Session before = second.session();
            assertThat(count(before, theirs)).isEqualTo(1);
            int process = second.process();
            Transaction open = before.begin();
            open.read(theirs, theirs.newKey().set(1)).setInt64(theirs.column("count"), 70);
            endLease(first, second);

            assertThat(second.isLost()).isFalse();
            assertThat(second.loss()).isNull();
            assertThat(before.isFailed()).isTrue();
            assertThatThrownBy(before::commit)
                    .isInstanceOfAny(LeaseLostException.class, FabricException.class);
            assertThatThrownBy(before::begin)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageEndingWith("declared dead: open another session, or connect again");
            before.close();
            try (Session next = second.session()) {
                assertThat(count(next, theirs)).isEqualTo(2);
                assertThat(second.process()).isNotEqualTo(process);
            }
            assertThat(count(ofFirst, table)).isEqualTo(3);
            second.dropTable("counters");
            assertThat(first.findTable("counters")).isNull();
            endLease(first, second); // again, with no session of its own
            assertThat(second.tableNames()).isEmpty();
            assertThat(first.changeSchema(Duration.ofSeconds(20), () -> true))
                    .as("waits for no lease")
                    .isTrue();
            assertThat(first.isLost()).isFalse();
        }
    }

    /// ```
    /// s  knows a table; is fenced
    /// f  drops it, and its memory is that of another table
    /// s  joins again, and must not use what it knows
    /// ```
    @Test
    void whatChangedWhileAComputeServerWasFencedIsReadAgain() throws InterruptedException {
        try (NamDb first = connect();
                NamDb second = connect()) {
            Table before = counters(first);
            Table theirs = second.table("counters");
            boolean isThere =
                    second.transact(tx -> tx.read(theirs, theirs.newKey().set(1)) != null);
            assertThat(isThere).isFalse();
            long version = second.schemaVersion();
            int process = second.process();
            assertThat(zooKeeper.endLease(NAME, process)).isTrue();
            await(() -> holdsNothing(first, process));
            Table after = first.truncate("counters");
            try (Session session = first.session()) {
                assertThat(count(session, after)).isEqualTo(1);
            }
            await(() -> second.process() != process);
            assertThatThrownBy(() -> second.transact(tx -> tx.read(theirs, theirs.newKey().set(1))))
                    .isInstanceOf(IllegalStateException.class);
            try (Session session = second.session()) {
                assertThat(count(session, second.table("counters"))).isEqualTo(2);
            }
            assertThat(second.schemaVersion()).isGreaterThan(version);
            assertThat(before).isNotSameAs(after);
        }
    }

    /// ```
    /// s  is in the middle of a schema change, and is fenced
    /// f  changes the schema: that of s has ended for all others
    /// s  goes on with it: nothing of it is done as that of the next compute server
    /// ```
    @Test
    void aSchemaChangeOfAFencedComputeServerDoesNotGoOn() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (NamDb first = connect();
                NamDb second = connect()) {
            int process = second.process();
            CompletableFuture<Table> late =
                    CompletableFuture.supplyAsync(() ->
                            second.changeSchema(
                                    Duration.ofSeconds(20),
                                    () -> {
                                        begun.countDown();
                                        awaitQuietly(goesOn);
                                        return counters(second);
                                    }));
            begun.await();
            assertThat(zooKeeper.endLease(NAME, process)).isTrue();
            await(() -> second.loss() != null);
            Table table =
                    first.createTable(
                            TableDefinition.named("made")
                                    .column("id", ColumnType.INT32)
                                    .primaryKey("id")
                                    .build());
            assertThat(second.process()).isEqualTo(process);
            goesOn.countDown();
            assertThatThrownBy(late::join)
                    .cause()
                    .isInstanceOfAny(LeaseLostException.class, FabricException.class);
            await(() -> second.process() != process);
            assertThat(second.tableNames()).containsExactly(table.name());
        }
    }

    /// ```
    /// s  is fenced, and joins again
    /// s  is fenced again as soon as it has a lease: within the join, or right after it
    /// ```
    @Test
    void whoIsFencedWhileItJoinsAgainJoinsOnceMore() throws InterruptedException {
        try (NamDb first = connect();
                NamDb second = connect()) {
            Table table = counters(first);
            int process = second.process();
            assertThat(zooKeeper.endLease(NAME, process)).isTrue();
            int[] fenced = new int[1];
            await(() -> {
                for (int next = process + 1; next < process + 10 && fenced[0] == 0; next++) {
                    fenced[0] = zooKeeper.endLease(NAME, next) ? next : 0;
                }
                return fenced[0] != 0;
            });
            await(() -> second.process() > fenced[0] && second.loss() == null);
            try (Session session = second.session()) {
                assertThat(count(session, table)).isEqualTo(1);
            }
            await(() -> holdsNothing(first, fenced[0]));
        }
    }

    /// What a call has acknowledged is there once; one that has failed may or may not be there.
    @Test
    void aPoolOfCallersGoesOnThroughFences() throws Exception {
        int callers = 4;
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicIntegerArray acknowledged = new AtomicIntegerArray(callers);
        AtomicIntegerArray failed = new AtomicIntegerArray(callers);
        try (NamDb first = connect();
                NamDb second = connect();
                ExecutorService pool = Executors.newFixedThreadPool(callers)) {
            Table table = counters(first);
            List<Future<?>> running = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                int id = caller;
                running.add(
                        pool.submit(() -> {
                            while (!isOver.get()) {
                                try {
                                    long _ = second.transact(tx -> increment(tx, table, id));
                                    acknowledged.incrementAndGet(id);
                                } catch (LeaseLostException | FabricException e) {
                                    failed.incrementAndGet(id);
                                }
                            }
                        }));
            }
            try {
                for (int fence = 0; fence < 3; fence++) {
                    awaitMore(acknowledged, running);
                    endLease(first, second);
                }
                awaitMore(acknowledged, running);
            } finally {
                isOver.set(true);
            }
            for (Future<?> each : running) {
                each.get(); // nothing else was thrown
            }
            for (int id = 0; id < callers; id++) {
                int caller = id;
                long count =
                        first.transact(tx -> {
                            Row row = tx.read(table, table.newKey().set(caller));
                            return row.int64(table.column("count"));
                        });
                assertThat(count)
                        .isBetween(
                                (long) acknowledged.get(id),
                                (long) acknowledged.get(id) + failed.get(id));
            }
        }
    }

    private static void awaitMore(AtomicIntegerArray acknowledged, List<Future<?>> running)
            throws Exception {
        for (int i = 0; i < acknowledged.length(); i++) {
            int id = i;
            int before = acknowledged.get(id);
            await(() -> acknowledged.get(id) > before + 5 || running.get(id).isDone());
            if (running.get(id).isDone()) {
                running.get(id).get(); // says what else was thrown
            }
        }
    }

    /// ```
    /// s  is fenced; two attempts to join fail; the third has its way to the memory servers
    /// u  closes s
    /// s  goes on with the join: nothing is left of it
    /// ```
    @Test
    void whoIsClosedWhileItJoinsAgainLeavesNothing() throws Exception {
        CountDownLatch hasPermit = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        Function<Consumer<String>, ClusterMember> clusterMembers =
                _ -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw new MembershipException("no ZooKeeper yet");
                    }
                    ClusterMember clusterMember = ClusterMember.take(config, Host.MACHINE, _ -> {});
                    hasPermit.countDown();
                    awaitQuietly(isClosed);
                    return clusterMember;
                };
        try (NamDb first = connect()) {
            NamDb second =
                    DatabaseResources.connect(
                            ClusterMember.take(config, Host.MACHINE, _ -> {}),
                            EmbeddedOptions.DEFAULT.withCluster(config),
                            clusterMembers,
                            Duration.ofSeconds(20));
            Table table = counters(first);
            try (Session session = second.session()) {
                assertThat(count(session, table)).isEqualTo(1);
            }
            int process = second.process();
            assertThat(zooKeeper.endLease(NAME, process)).isTrue();
            hasPermit.await();
            assertThat(attempts).hasValue(3);
            second.close();
            isClosed.countDown();
            await(() ->
                    Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals("namdb-join")));
            for (int number = process; number < process + 10; number++) {
                assertThat(number == first.process() || !zooKeeper.endLease(NAME, number))
                        .as("compute server %d has left", number)
                        .isTrue();
                assertThat(number == first.process() || holdsNothing(first, number)).isTrue();
            }
            assertThatThrownBy(second::session).isInstanceOf(IllegalStateException.class);
        }
    }

    /// It is not lost: a later call may find it there again.
    @Test
    void aCallWaitsForAJoinWithinALimitAndSaysWhatKeepsIt() throws Exception {
        AtomicBoolean isReachable = new AtomicBoolean();
        AtomicInteger attempts = new AtomicInteger();
        Function<Consumer<String>, ClusterMember> clusterMembers =
                _ -> {
                    attempts.incrementAndGet();
                    if (!isReachable.get()) {
                        throw new MembershipException("no ZooKeeper answers");
                    }
                    return ClusterMember.take(config, Host.MACHINE, _ -> {});
                };
        try (NamDb first = connect();
                NamDb second =
                        DatabaseResources.connect(
                                ClusterMember.take(config, Host.MACHINE, _ -> {}),
                                EmbeddedOptions.DEFAULT.withCluster(config),
                                clusterMembers,
                                Duration.ofMillis(100))) {
            Table table = counters(first);
            assertThat(zooKeeper.endLease(NAME, second.process())).isTrue();
            await(() -> attempts.get() > 1);
            assertThatThrownBy(second::session)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageStartingWith("this compute server was silent for longer than its")
                    .hasMessageEndingWith(
                            ", and has not joined its cluster again yet (no ZooKeeper answers):"
                                    + " it goes on trying, so try again later");
            assertThat(second.isLost()).isFalse();
            isReachable.set(true);
            await(() -> second.loss() == null);
            try (Session session = second.session()) {
                assertThat(count(session, table)).isEqualTo(1);
            }
        }
    }

    /// By joining again, its compute server drops what was dropped meanwhile; after a recovery from
    /// disks, all tables.
    @Test
    void anOpenTransactionOfAFencedComputeServerIsToldThatAndNotThatATableWasDropped()
            throws Exception {
        try (NamDb first = connect();
                NamDb second = connect();
                Session session = second.session()) {
            Table table = counters(first);
            Table dropped = second.table(table.name());
            assertThat(count(session, dropped)).isEqualTo(1);
            Transaction open = session.begin();
            endLease(first, second);
            first.dropTable(table.name());
            assertThat(second.tableNames()).doesNotContain(table.name());
            await(dropped::isDropped);
            assertThatThrownBy(() -> open.read(dropped, dropped.newKey().set(7)))
                    .isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(() -> open.scan(dropped, dropped.schema().all()))
                    .isInstanceOf(LeaseLostException.class);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void endLease(NamDb observer, NamDb fenced) throws InterruptedException {
        int process = fenced.process();
        assertThat(zooKeeper.endLease(NAME, process)).isTrue();
        await(() -> holdsNothing(observer, process));
        await(() -> fenced.process() != process);
    }

    /// Its number may be another one's in the new database, so it must not stay.
    @Test
    void aComputeServerIsLostWhenItsMemoryServersAreRestarted() throws Exception {
        try (NamDb db = connect();
                Session session = db.session()) {
            assertThat(count(session, counters(db))).isEqualTo(1);
            for (int number = 0; number < 2; number++) {
                open.removeLast().close();
            }
            for (int number = 0; number < 2; number++) {
                open.add(MemoryProcess.start(config, number));
            }
            await(db::isLost);
            assertThatThrownBy(db::session)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessage(MEMORY_IS_LOST);
        }
        try (NamDb again = connect();
                Session session = again.session()) {
            assertThat(again.isLost()).isFalse();
            assertThat(again.loss()).isNull();
            assertThat(count(session, counters(again))).isEqualTo(1);
        }
    }

    /// Of two memory servers one dies. Transactions that need only the other one would be committed
    /// to a database that is lost.
    @Test
    void aMemoryServerThatDiesEndsTheDatabaseAtOnce() throws Exception {
        try (NamDb db = connect();
                Session session = db.session();
                Session waiting = db.session()) {
            Table table =
                    db.createTable(
                            TableDefinition.named("counters")
                                    .column("id", ColumnType.INT32)
                                    .column("count", ColumnType.INT64)
                                    .primaryKey("id")
                                    .servers(0)
                                    .build());
            assertThat(count(session, table)).isEqualTo(1);
            Transaction tx = waiting.begin();
            tx.read(table, table.newKey().set(1)).setInt64(table.column("count"), 7);
            open.removeLast().close();
            await(db::isLost);
            List<ThrowingCallable> calls =
                    List.of(
                            waiting::commit,
                            () -> count(session, table),
                            session::begin,
                            db::session,
                            () -> db.transact(_ -> true),
                            () -> db.table("counters"),
                            () -> db.findTable("counters"),
                            db::tableNames,
                            db::usage,
                            () -> db.dropTable("counters"),
                            () -> counters(db),
                            () -> db.changeSchema(Duration.ofSeconds(1), () -> true));
            for (ThrowingCallable call : calls) {
                assertThatThrownBy(call)
                        .isInstanceOf(LeaseLostException.class)
                        .hasMessage(MEMORY_IS_LOST);
            }
        } // closes without an exception
    }

    /// ```
    /// all compute servers lose their leases; none is left to recover them
    /// a new one is connected: a process that holds something and has no lease is dead
    /// ```
    @Test
    void theFirstOfAClusterRecoversAllThatWereThereBefore() throws InterruptedException {
        NamDb dead = // one that does not join again
                NamDb.connect(
                        ClusterMember.take(config, Host.MACHINE, _ -> {}),
                        EmbeddedOptions.DEFAULT.withCluster(config));
        try (dead) {
            Session session = dead.session();
            Table table = counters(dead);
            assertThat(count(session, table)).isEqualTo(1);
            assertThat(zooKeeper.endLease(NAME, dead.process())).isTrue();
            await(dead::isLost);
            try (NamDb next = connect()) {
                await(() -> holdsNothing(next, dead.process()));
                try (Session ofNext = next.session()) {
                    assertThat(count(ofNext, next.table("counters"))).isEqualTo(2);
                }
            }
        }
    }

    @Test
    void aComputeServerThatLeavesLeavesNothing() {
        try (NamDb first = connect()) {
            int process;
            try (NamDb second = connect()) {
                process = second.process();
                Session session = second.session();
                assertThat(count(session, counters(second))).isEqualTo(1);
            }
            assertThat(holdsNothing(first, process)).isTrue();
            assertThat(zooKeeper.endLease(NAME, process)).as("has a lease").isFalse();
        }
    }

    @Test
    void memoryServersThatDoNotComeAreNamed() throws Exception {
        HostPort gone = config.memoryServers().get(1).address();
        open.removeLast().close();
        ClusterConfig firstNewer =
                config(
                        List.of(config.memoryServers().get(0).address(), gone),
                        Duration.ofMillis(300));
        assertThatThrownBy(() -> NamDb.connect(firstNewer))
                .isInstanceOf(FabricException.class)
                .hasMessageStartingWith("gave up after 300 ms of waiting for ")
                .hasMessageContaining(Integer.toString(gone.port()));
    }

    @Test
    void memoryServersThatComeLaterAreWaitedFor() throws Exception {
        open.removeLast().close();
        CompletableFuture<NamDb> connecting = new CompletableFuture<>();
        Thread _ =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                connecting.complete(connect());
                            } catch (RuntimeException e) {
                                connecting.completeExceptionally(e);
                            }
                        });
        Thread.sleep(100); // most of the time it waits by then
        assertThat(connecting).isNotDone();
        open.add(MemoryProcess.start(config, 1));
        try (NamDb db = connecting.get();
                Session session = db.session()) {
            assertThat(count(session, counters(db))).isEqualTo(1);
        }
    }
}
