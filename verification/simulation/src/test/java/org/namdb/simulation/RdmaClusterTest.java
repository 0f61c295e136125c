package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Region;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.tcp.TcpPeerOptions;
import org.namdb.fabric.peer.tcp.TcpPeers;
import org.namdb.fabric.rdma.Devices;
import org.namdb.fabric.rdma.RdmaComputeFabric;
import org.namdb.fabric.rdma.RdmaMemoryFabric;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.TpccSchema;

/// Two compute servers on one memory server, over RDMA, where there is a device. They are in one
/// process; every byte goes by the device all the same.
class RdmaClusterTest {
    private static final int SLOTS = 64;
    private static final int VERSIONS = 4;
    private static final int SESSIONS = 2;
    private static final int TRANSACTIONS = 30;

    private final List<RdmaComputeFabric> fabrics = new ArrayList<>();
    private final List<NamDb> databases = new ArrayList<>();
    private final Map<Integer, InetSocketAddress> peers = new ConcurrentHashMap<>();
    private RdmaMemoryFabric memory;
    private MemoryServer server;

    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @BeforeEach
    void open() {
        memory = Devices.memory(RdmaOptions.DEFAULT);
        server =
                new MemoryServer(
                        memory,
                        0,
                        TpccWorkload.SERVER_BYTES,
                        DatabaseLayout.reservedBytes(0, SLOTS));
        for (int i = 0; i < 2; i++) {
            fabrics.add(Devices.compute(memory, RdmaOptions.DEFAULT));
        }
        List<Region> regions = fabrics.getFirst().regions();
        assertThat(regions).containsExactly(server.region());
        DatabaseLayout.format(fabrics.getFirst(), regions, SLOTS, Duration.ofMinutes(5));
        for (RdmaComputeFabric fabric : fabrics) {
            databases.add(AttachedDatabase.open(options(), fabric, fabric.regions(), this::listen));
        }
    }

    /// Messages between compute servers go over TCP.
    private PeerFabric listen(int process) {
        TcpPeers joined = new TcpPeers(process, TcpPeerOptions.LOOPBACK, peers::get);
        peers.put(process, joined.address());
        return joined;
    }

    private static EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryBytes(TpccWorkload.SERVER_BYTES)
                .withSlots(SESSIONS + 2)
                .withExecutionThreads(1)
                .withRetryPolicy(RetryPolicy.NONE);
    }

    @AfterEach
    void close() {
        databases.forEach(NamDb::close);
        fabrics.forEach(RdmaComputeFabric::close);
        server.close();
        memory.close();
    }

    @Test
    void aSmallTpccHoldsItsTwelveConditions() throws Exception {
        new TpccWorkload(SESSIONS, VERSIONS, false).create(databases.getFirst());
        SplittableRandom seeds = new SplittableRandom(Seeds.next());
        List<SplittableRandom> random = new ArrayList<>();
        for (int thread = 0; thread < 2 * SESSIONS; thread++) {
            random.add(seeds.split());
        }
        AtomicInteger committed = new AtomicInteger();
        Threads.run(
                random.size(),
                thread -> run(databases.get(thread % 2), random.get(thread), committed));
        assertThat(committed.get()).isPositive();
        for (NamDb db : databases) {
            try (Session session = db.session()) {
                TpccWorkload.audit(session, TpccWorkload.schema(db));
            }
        }
    }

    @Test
    void aCopyIsReadForNothingUntilTheOtherServerChangesTheRow() {
        Table table =
                databases
                        .getFirst()
                        .createTable(
                                TableDefinition.named("item")
                                        .column("id", ColumnType.INT32)
                                        .column("price", ColumnType.INT64)
                                        .primaryKey("id")
                                        .cached(true)
                                        .build());
        databases
                .getFirst()
                .transact(transaction -> {
                    Row row = transaction.insert(table, table.newKey().set(1));
                    return row.setInt64(table.column("price"), 0);
                });
        try (Session one = databases.getFirst().session();
                Session other = databases.getLast().session()) {
            Table same = databases.getLast().table("item");
            int copied = 0;
            for (long price = 1; price <= 20; price++) {
                Session writer = price % 2 == 0 ? one : other;
                Table written = price % 2 == 0 ? table : same;
                change(writer, written, price);
                copied += readTwice(one, table, price) + readTwice(other, same, price);
            }
            assertThat(copied).isPositive();
        }
    }

    /// Moving old versions of the row is a conflict, too.
    private static void change(Session session, Table table, long price) {
        for (boolean isDone = false; !isDone; ) { // the test's limit ends it
            try {
                session.<Row>transact(transaction ->
                        transaction
                                .read(table, table.newKey().set(1))
                                .setInt64(table.column("price"), price));
                isDone = true;
            } catch (TransactionException e) {
                assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
            }
        }
    }

    /// @return 1 if the second read posts no READ
    private static int readTwice(Session session, Table table, long expected) {
        return session.<Integer>transact(transaction -> {
            transaction.await(); // the snapshot
            long reads = 0;
            for (int i = 0; i < 2; i++) {
                reads = session.counters().reads();
                Row row = transaction.read(table, table.newKey().set(1));
                assertThat(row.int64(table.column("price"))).isEqualTo(expected);
            }
            return session.counters().reads() == reads ? 1 : 0;
        });
    }

    private static void run(NamDb db, SplittableRandom random, AtomicInteger committed) {
        try (Session session = db.session()) {
            TpccSchema schema = TpccWorkload.schema(db);
            TerminalWork work = new TerminalWork(session, schema, TpccWorkload.inputs(random));
            Deck deck = new Deck(Mix.STANDARD, TpccRandom.stream(random.nextLong(), 0));
            for (int i = 0; i < TRANSACTIONS && Threads.goOn(); i++) {
                int district = random.nextInt(1, Scale.DISTRICTS + 1);
                try {
                    boolean _ = work.run(deck.next(), new Terminal(1, district));
                    committed.incrementAndGet();
                } catch (TransactionException e) {
                    assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
                }
            }
        }
    }
}
