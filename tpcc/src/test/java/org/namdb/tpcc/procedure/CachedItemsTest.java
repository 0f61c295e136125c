package org.namdb.tpcc.procedure;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// What a NewOrder saves whose items are cached, with two compute servers over a fabric whose READs
/// land.
class CachedItemsTest {
    private static final long SEED = 42;
    private static final int SLOTS = 32;
    private static final long SERVER_BYTES = 512L << 20;
    private static final int LINES = 10;
    private static final int ORDERS = 30;

    /// The bucket's directory, the bucket, and its directory again.
    private static final int READS_OF_A_LOOK_UP = 3;

    private final LocalPeers peers = new LocalPeers();

    private NamDb attach(ShmFabric fabric, List<Region> regions) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(regions.size())
                        .withMemoryBytes(regions.size() * SERVER_BYTES)
                        .withSlots(8)
                        .withExecutionThreads(1);
        return AttachedDatabase.open(
                options, fabric, regions, process -> peers.join(process, Host.MACHINE));
    }

    @Test
    void aNewOrderReadsItsItemsForNothing() {
        Scale scale = new Scale(1, 10);
        NuRandConstants constants = NuRandConstants.of(SEED);
        InputSource inputs =
                new InputSource(
                        scale,
                        ItemChooser.of(new ItemSkew.Standard(), scale.items(), constants),
                        constants,
                        OptionalInt.empty(),
                        TpccRandom.stream(SEED, 1));
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false))) {
            long reserved = DatabaseLayout.reservedBytes(0, SLOTS);
            List<Region> regions =
                    List.of(new MemoryServer(fabric, 0, SERVER_BYTES, reserved).region());
            DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
            try (NamDb one = attach(fabric, regions);
                    NamDb other = attach(fabric, regions)) {
                Loader loader =
                        new Loader(
                                one, TpccSchema.create(one, scale, 2), scale, SEED, Instant.EPOCH);
                loader.load(1, new LoadProgress(scale));
                TableDefinition item = one.table("item").definition();
                one.redefine("item", item.copy("item").cached(true).build());
                List<NewOrderInput> orders = new ArrayList<>();
                Set<Integer> items = new HashSet<>();
                for (int i = 0; i < ORDERS; i++) {
                    orders.add(order(inputs, items));
                }
                for (NamDb db : List.of(one, other)) {
                    assertSaves(db, TpccSchema.open(db, scale), orders);
                }
            }
        }
    }

    private static void assertSaves(NamDb db, TpccSchema schema, List<NewOrderInput> orders) {
        long least = Long.MAX_VALUE;
        try (Session session = db.session()) {
            for (NewOrderInput order : orders) {
                long first = reads(session, schema, order);
                long second = reads(session, schema, order);
                least = Math.min(least, first - second);
            }
        }
        assertThat(least).isEqualTo(READS_OF_A_LOOK_UP * LINES);
    }

    /// Ten lines of ten items that no other order has.
    private static NewOrderInput order(InputSource inputs, Set<Integer> ofOthers) {
        NewOrderInput input = new NewOrderInput();
        Set<Integer> items;
        do {
            inputs.fill(input, 1);
            items = IntStream.range(0, input.lines()).mapToObj(input::item).collect(toSet());
        } while (input.lines() != LINES
                || input.rollback()
                || items.size() != LINES
                || !Collections.disjoint(items, ofOthers));
        ofOthers.addAll(items);
        return input;
    }

    /// The READs of a NewOrder before its commit.
    private static long reads(Session session, TpccSchema schema, NewOrderInput order) {
        NewOrder procedure = new NewOrder(schema);
        VerbCounters counters = session.counters();
        return session.<Long>transact(transaction -> {
            transaction.await(); // the snapshot
            long before = counters.reads();
            var _ = procedure.run(transaction, order);
            return counters.reads() - before;
        });
    }
}
