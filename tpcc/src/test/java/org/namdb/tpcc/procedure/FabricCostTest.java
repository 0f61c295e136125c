package org.namdb.tpcc.procedure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// What is counted with landing buffers in one process is what goes over a network: the same
/// transactions post the same verbs, of the same bytes, in the same round trips.
class FabricCostTest {
    private static final long SEED = 42;
    private static final int SERVERS = 2;
    private static final int SLOTS = 16;
    private static final long SERVER_BYTES = 256L << 20;
    private static final int OF_EACH_TYPE = 60;

    private static final Cost NOTHING = new Cost(0, 0, 0);

    /// With landing buffers, a vector in one part, and no images: what the others are compared
    /// with.
    private static Map<TransactionType, List<Cost>> usual;

    private record Cost(long verbs, long bytes, long roundTrips) {
        static Cost of(VerbCounters counters) {
            return new Cost(counters.verbs(), counters.bytes(), counters.roundTrips());
        }

        Cost plus(Cost other) {
            return new Cost(
                    verbs + other.verbs, bytes + other.bytes, roundTrips + other.roundTrips);
        }

        Cost minus(Cost other) {
            return plus(new Cost(-other.verbs, -other.bytes, -other.roundTrips));
        }
    }

    @BeforeAll
    static void runOnLandingBuffers() {
        usual = eachCost(landing(), 1, 0);
    }

    @Test
    void tcpCostsWhatLandingBuffersCost() {
        TcpMemoryFabric memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK);
        Map<TransactionType, Cost> tcp =
                sums(
                        eachCost(
                                Fabric.of(
                                        memory,
                                        TcpComputeFabric.connect(
                                                List.of(memory.address()),
                                                TcpClientOptions.DEFAULT)),
                                1,
                                0));
        assertThat(tcp).hasSize(TransactionType.values().length).isEqualTo(sums(usual));
        assertThat(tcp.values()).allMatch(cost -> cost.roundTrips > OF_EACH_TYPE);
    }

    private static Fabric landing() {
        return new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    }

    @Test
    void aPartitionedVectorCostsNoRoundTrip() {
        Map<TransactionType, Cost> together = sums(usual);
        Map<TransactionType, Cost> parts = sums(eachCost(landing(), SERVERS, 0));
        for (TransactionType type : TransactionType.values()) {
            assertThat(parts.get(type).roundTrips())
                    .as(type + ": round trips")
                    .isEqualTo(together.get(type).roundTrips());
        }
    }

    /// The two WRITEs of its image for each transaction that changes anything. The only insert of
    /// Payment is awaited before; those of NewOrder are awaited with the lookup of an index entry.
    /// Sessions take other numbers, which are keys of history, so that some buckets are split at
    /// other times: most transactions cost just that.
    @Test
    void replicatedCommitsCostTwoWrites() {
        Map<TransactionType, List<Cost>> replicated =
                eachCost(landing(), 1, ImageRings.DEFAULT_BYTES);
        for (TransactionType type : TransactionType.values()) {
            boolean isReader =
                    type == TransactionType.ORDER_STATUS || type == TransactionType.STOCK_LEVEL;
            List<Cost> more = new ArrayList<>();
            for (int i = 0; i < OF_EACH_TYPE; i++) {
                more.add(replicated.get(type).get(i).minus(usual.get(type).get(i)));
            }
            more.removeIf(cost ->
                    cost.verbs != (isReader ? 0 : 2)
                            || cost.roundTrips != (type == TransactionType.PAYMENT ? 1 : 0));
            assertThat(more).as(type.toString()).hasSizeGreaterThan(OF_EACH_TYPE * 3 / 4);
            if (type == TransactionType.NEW_ORDER) {
                assertThat(more.stream().reduce(NOTHING, Cost::plus).bytes / more.size())
                        .isBetween(2_500L, 3_200L);
            }
        }
    }

    private static Map<TransactionType, Cost> sums(Map<TransactionType, List<Cost>> costs) {
        Map<TransactionType, Cost> sums = new EnumMap<>(TransactionType.class);
        costs.forEach((type, each) -> sums.put(type, each.stream().reduce(NOTHING, Cost::plus)));
        return sums;
    }

    private static Map<TransactionType, List<Cost>> eachCost(
            Fabric fabric, int vectorServers, int ringBytes) {
        try (fabric) {
            TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS, vectorServers);
            List<MemoryServer> servers =
                    Stream.iterate(0, number -> number < SERVERS, number -> number + 1)
                            .map(number ->
                                    new MemoryServer(
                                            fabric,
                                            number,
                                            SERVER_BYTES,
                                            DatabaseLayout.reservedBytes(
                                                    number, vector, SERVERS, ringBytes)))
                            .toList();
            List<Region> regions = servers.stream().map(MemoryServer::region).toList();
            try (QueuePair queuePair = fabric.connect(regions)) {
                DatabaseLayout.formatImageRings(queuePair, ringBytes);
                vector.format(queuePair, Duration.ofMinutes(10).toNanos());
            }
            EmbeddedOptions options =
                    EmbeddedOptions.DEFAULT
                            .withMemoryServers(SERVERS)
                            .withMemoryBytes(SERVERS * SERVER_BYTES)
                            .withSlots(SLOTS)
                            .withMaintenanceInterval(Duration.ofDays(1));
            try (NamDb db = AttachedDatabase.open(options, fabric, regions)) {
                return eachCost(db);
            }
        }
    }

    private static Map<TransactionType, List<Cost>> eachCost(NamDb db) {
        Scale scale = new Scale(1, 10);
        TpccSchema schema = TpccSchema.create(db, scale, 2);
        new Loader(db, schema, scale, SEED, Instant.EPOCH).load(1, new LoadProgress(scale));
        NuRandConstants constants = NuRandConstants.of(SEED);
        InputSource inputs =
                new InputSource(
                        scale,
                        ItemChooser.of(new ItemSkew.Standard(), scale.items(), constants),
                        constants,
                        OptionalInt.empty(),
                        TpccRandom.stream(SEED, 1));
        Map<TransactionType, List<Cost>> costs = new EnumMap<>(TransactionType.class);
        try (Session session = db.session()) {
            TerminalWork work = new TerminalWork(session, schema, inputs);
            Terminal terminal = new Terminal(1, 1);
            for (int i = 0; i < OF_EACH_TYPE; i++) {
                for (TransactionType type : TransactionType.values()) {
                    Cost before = Cost.of(session.counters());
                    work.run(type, terminal);
                    Cost after = Cost.of(session.counters());
                    costs.computeIfAbsent(type, _ -> new ArrayList<>()).add(after.minus(before));
                }
            }
        }
        return costs;
    }
}
