package org.namdb.tpcc.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.Session;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.load.LoadedDatabase;

/// The conditions hold where nothing but the five transactions has changed the data.
class ConsistencyCheckTest {
    private static final int ROUNDS = 300;

    static List<ConditionResult> check(LoadedDatabase loaded) {
        try (Session session = loaded.db.session()) {
            return new ConsistencyCheck(loaded.schema, loaded.scale).run(session, done -> {});
        }
    }

    private static void assertAllHold(LoadedDatabase loaded) {
        List<ConditionResult> results = check(loaded);
        assertThat(results).hasSize(12).allMatch(ConditionResult::holds);
        assertThat(results)
                .extracting(ConditionResult::condition)
                .containsExactly(Condition.values());
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, true", "3, 1, 4, true", "1, 100, 1, true", "2, 2, 3, false"})
    void allHoldAfterLoadingAndAfterTransactions(
            int warehouses, int percent, int servers, boolean inPlace) {
        long seed = Seeds.next();
        Scale scale = new Scale(warehouses, percent);
        EmbeddedOptions options =
                LoadedDatabase.options(scale)
                        .withMemoryServers(servers)
                        .withFabric(() ->
                                new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(inPlace)));
        try (LoadedDatabase loaded = new LoadedDatabase(options, scale, seed, 2);
                Transactions transactions = new Transactions(loaded, seed, 0)) {
            assertAllHold(loaded);
            for (int round = 0; round < ROUNDS; round++) {
                transactions.runOneOfEach();
            }
            assertAllHold(loaded);
        }
    }

    @Test
    void allHoldWhenEverythingIsDelivered() {
        long seed = Seeds.next();
        Scale scale = new Scale(1, 1);
        try (LoadedDatabase loaded = LoadedDatabase.of(scale, seed, 1);
                Transactions transactions = new Transactions(loaded, seed, 0)) {
            for (int round = 0; round < 50; round++) {
                transactions.runOneOfEach();
            }
            assertThat(loaded.count(loaded.schema.newOrders.table)).isZero();
            assertAllHold(loaded);
        }
    }

    @Test
    void allHoldInASnapshotWhileOthersWrite() {
        long seed = Seeds.next();
        AtomicBoolean stop = new AtomicBoolean();
        try (LoadedDatabase loaded = LoadedDatabase.of(new Scale(2, 2), seed, 2)) {
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int thread = 0; thread < 2; thread++) {
                int number = thread;
                writers.add(
                        CompletableFuture.runAsync(() -> writeUntil(stop, loaded, seed, number)));
            }
            for (int i = 0; i < 10; i++) {
                assertAllHold(loaded);
            }
            stop.set(true);
            writers.forEach(CompletableFuture::join);
            assertAllHold(loaded);
        }
    }

    private static void writeUntil(
            AtomicBoolean stop, LoadedDatabase loaded, long seed, int thread) {
        try (Transactions transactions = new Transactions(loaded, seed, thread)) {
            while (!stop.get()) {
                transactions.runOneOfEach();
            }
        }
    }

    @Test
    void progressRisesToOne() {
        List<Double> reports = new ArrayList<>();
        try (LoadedDatabase loaded = LoadedDatabase.of(new Scale(1, 20), Seeds.next(), 1);
                Session session = loaded.db.session()) {
            assertThat(new ConsistencyCheck(loaded.schema, loaded.scale).run(session, reports::add))
                    .hasSize(12);
        }
        assertThat(reports).isSorted().hasSizeGreaterThan(10).endsWith(1.0);
        assertThat(reports.getFirst()).isBetween(0.0, 0.2);
    }
}
