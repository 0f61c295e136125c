package org.namdb.tpcc.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.schema.TpccSchema;

/// Threads, servers and ends of a load.
class LoadThreadsTest {
    private static final Scale SMALL = new Scale(3, 1);

    private static List<Long> checksums(LoadedDatabase loaded) {
        return tables(loaded.schema).map(loaded::checksum).toList();
    }

    private static Stream<Table> tables(TpccSchema schema) {
        return Stream.of(
                schema.warehouses.table,
                schema.districts.table,
                schema.customers.table,
                schema.items.table,
                schema.stocks.table,
                schema.orders.table,
                schema.newOrders.table,
                schema.orderLines.table,
                schema.histories.table);
    }

    @ParameterizedTest
    @CsvSource({"1, 4, true", "2, 1, true", "3, 1, false", "8, 4, false", "40, 3, true"})
    void theRowsFollowFromTheSeedAlone(int threads, int servers, boolean inPlace) {
        long seed = Seeds.next();
        EmbeddedOptions options =
                LoadedDatabase.options(SMALL)
                        .withMemoryServers(servers)
                        .withFabric(() ->
                                new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(inPlace)));
        try (LoadedDatabase one = LoadedDatabase.of(SMALL, seed, 1);
                LoadedDatabase other = new LoadedDatabase(options, SMALL, seed, threads)) {
            assertThat(checksums(other)).isEqualTo(checksums(one));
            assertThat(other.progress.warehousesDone()).isEqualTo(3);
        }
    }

    @Test
    void anotherSeedGivesOtherRows() {
        long seed = Seeds.next();
        Scale scale = new Scale(1, 1);
        try (LoadedDatabase one = LoadedDatabase.of(scale, seed, 1);
                LoadedDatabase other = LoadedDatabase.of(scale, seed + 1, 1)) {
            assertThat(checksums(one).getFirst()).isNotEqualTo(checksums(other).getFirst());
        }
    }

    @Test
    void aSmallPopulationIsSmallInEverythingBelowAWarehouse() {
        try (LoadedDatabase loaded = LoadedDatabase.of(SMALL, Seeds.next(), 2)) {
            List<Long> counts = tables(loaded.schema).map(loaded::count).toList();
            assertThat(counts.subList(0, 7))
                    .containsExactly(3L, 30L, 900L, 1_000L, 3_000L, 900L, 270L);
            assertThat(counts.getLast()).isEqualTo(900);
        }
    }

    @Test
    void aStopEndsTheLoadEarly() {
        try (NamDb db = NamDb.embedded(LoadedDatabase.options(SMALL))) {
            Loader loader =
                    new Loader(db, TpccSchema.create(db, SMALL, 4), SMALL, 1, LoadedDatabase.NOW);
            LoadProgress progress = new LoadProgress(SMALL);
            progress.stop();
            assertThat(loader.load(2, progress)).isFalse();
            assertThat(progress.rows()).isZero();
            assertThat(progress.isComplete()).isFalse();
        }
    }

    @Test
    void anInterruptEndsTheLoadEarlyAndStays() {
        try (NamDb db = NamDb.embedded(LoadedDatabase.options(SMALL))) {
            Scale large = new Scale(3, 100);
            Loader loader =
                    new Loader(db, TpccSchema.create(db, SMALL, 4), large, 1, LoadedDatabase.NOW);
            LoadProgress progress = new LoadProgress(large);
            Thread.currentThread().interrupt();
            assertThat(loader.load(1, progress)).isFalse();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void fullMemoryEndsTheLoadAndTheDatabaseLives() {
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20);
        try (NamDb db = NamDb.embedded(options)) {
            Scale large = new Scale(3, 100);
            TpccSchema schema = TpccSchema.create(db, SMALL, 4);
            Loader loader = new Loader(db, schema, large, 1, LoadedDatabase.NOW);
            LoadProgress progress = new LoadProgress(large);
            TransactionException failure =
                    catchThrowableOfType(
                            TransactionException.class, () -> loader.load(2, progress));
            assertThat(failure.outcome()).isInstanceOf(CommitOutcome.MemoryFull.class);
            assertThat(failure).hasMessageContaining("memory server 0 is full");
            assertThat(progress.isComplete()).isFalse();
            assertThat(
                            db.<Boolean>transact(tx ->
                                    tx.read(schema.items.table, schema.items.table.newKey().set(1))
                                            != null))
                    .isTrue();
        }
    }

    @Test
    void thereMustBeASlotForEachThread() {
        EmbeddedOptions options = LoadedDatabase.options(SMALL).withSlots(2);
        try (NamDb db = NamDb.embedded(options)) {
            TpccSchema schema = TpccSchema.create(db, SMALL, 4);
            Loader loader = new Loader(db, schema, SMALL, 1, LoadedDatabase.NOW);
            assertThatThrownBy(() -> loader.load(30, new LoadProgress(SMALL)))
                    .isInstanceOf(SlotsExhaustedException.class);
        }
    }
}
