package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.SchemaExclusion;
import org.namdb.compute.schema.SchemaJournal;
import org.namdb.compute.schema.SchemaLatch;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorLayout;

/// Two compute servers on one fabric: one changes the schema, the other one uses it.
class TwoComputeServersTest extends TwoServersFixture {
    private static final int MANY_ROWS = 20_000;

    /// The other one's tables included; and when it leaves, the other one does it.
    @Test
    void oneOfThemDoesTheMaintenance() {
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> {
                    while (leader() == 0) {
                        Thread.sleep(1);
                    }
                    long leads = leader();
                    NamDb leading = leads == ddlSession.process() + 1 ? ddlSession : user;
                    NamDb following = leading == ddlSession ? user : ddlSession;
                    following.createTable(numbers("t").build());
                    while (leading.server()
                            .maintenanceSettings()
                            .catalog()
                            .allRecords()
                            .isEmpty()) {
                        assertThat(leader()).isEqualTo(leads);
                        Thread.sleep(1);
                    }
                    leading.close();
                    while (leader() != following.process() + 1) {
                        Thread.sleep(1);
                    }
                });
    }

    private long leader() {
        try (QueuePair queuePair = fabric.connect(regions)) {
            long view =
                    queuePair.read(RegionLayout.address(0, RegionLayout.LEAD_OFFSET), Long.BYTES);
            queuePair.await();
            return LocalMemory.longAcquire(view) >>> 32;
        }
    }

    @Test
    void whatOneChangesTheOtherOneSees() {
        Table first = ddlSession.createTable(numbers("t").build());
        fill(ddlSession, first, 1);
        Table seen = user.table("t");
        long version = user.schemaVersion();
        ddlSession.createIndex(IndexDefinition.ordered("i", "t", "value"));
        assertThat(Objects.requireNonNull(user.findIndex("i")).definition().table()).isEqualTo("t");
        assertThat(seen.indexes()).hasSize(1);
        assertThat(user.schemaVersion()).isGreaterThan(version);

        ddlSession.renameTable("t", "u");
        assertThat(user.findTable("t")).isNull();
        Table renamed = user.table("u");
        assertThat(count(user, renamed)).isEqualTo(ROWS);
        assertThatThrownBy(() -> count(user, seen)).hasMessageContaining("was dropped, or has");

        ddlSession.truncate("u");
        assertThatThrownBy(() -> count(user, renamed)).hasMessageContaining("was dropped, or has");
        assertThat(count(user, user.table("u"))).isZero();
        ddlSession.dropIndex("i");
        assertThat(user.findIndex("i")).isNull();
        assertThat(user.table("u").indexes()).isEmpty();
        ddlSession.dropTable("u");
        assertThat(user.findTable("u")).isNull();
        assertThat(user.tableNames()).isEmpty();
    }

    /// The first lookup after a change reads the catalog, in pages; those of other tables find that
    /// it has not been altered since.
    @Test
    void tablesThatTheOtherHasMadeAreLookedUpWithAFewStepsEach() {
        int tables = 60;
        for (int i = 0; i < tables; i++) {
            TableDefinition.Builder wide = numbers("t" + i);
            for (int column = 0; column < 60; column++) {
                wide.column("a_column_with_a_long_name_" + column, ColumnType.INT64);
            }
            ddlSession.createTable(wide.build());
        }
        ddlSession.createIndex(IndexDefinition.ordered("i", "t7", "value"));
        fabric.doAt(
                12 * tables,
                () -> {
                    throw new AssertionError("each lookup reads the catalog");
                });
        for (int i = 0; i < tables; i++) {
            assertThat(user.table("t" + i).indexes()).hasSize(i == 7 ? 1 : 0);
        }
        fabric.heal();
        ddlSession.createTable(numbers("last").build());
        assertThat(user.table("last").indexes()).isEmpty();
        ddlSession.dropIndex("i");
        assertThat(user.table("t7").indexes()).isEmpty();
    }

    /// ```
    /// user     reads the old table's first row       other     drops it: must wait
    /// user     goes on, and ends                     other     drops it, reuses its memory
    /// ```
    @Test
    void aDropWaitsForTheTransactionsOfTheOther() throws Exception {
        Table table = ddlSession.createTable(numbers("t").build());
        fill(ddlSession, table, 1);
        Table seen = user.table("t");
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<Boolean> dropped =
                CompletableFuture.supplyAsync(() -> {
                    awaitQuietly(runs);
                    ddlSession.dropTable("t");
                    fill(ddlSession, ddlSession.createTable(numbers("other").build()), 2);
                    return true;
                });
        user.transact(tx -> {
            TableScan scan = tx.scan(seen, seen.schema().all());
            assertThat(scan.next()).isNotNull();
            runs.countDown();
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < 50_000_000) {
                assertThat(dropped.isDone()).isFalse();
            }
            int rows = 1;
            for (Row row = scan.next(); row != null; row = scan.next()) {
                assertThat(row.int64(seen.column("value"))).isEqualTo(1);
                rows++;
            }
            assertThat(rows).isEqualTo(ROWS);
            return true;
        });
        assertThat(dropped.get()).isTrue();
        assertThat(count(user, user.table("other"))).isEqualTo(ROWS);
    }

    /// The catalog has the index as not filled, so it is not used, and can be dropped.
    @Test
    void anIndexWhoseBuilderHasDiedIsFoundUnfinished() {
        Table table = ddlSession.createTable(numbers("t").build());
        fill(ddlSession, table, 1);
        Table seen = user.table("t");
        int dead = 1_000_000;
        TimestampVectorLayout vector =
                new TimestampVectorLayout(RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
        try (QueuePair queuePair = fabric.connect(regions)) {
            SchemaLeases lease = new SchemaLeases(() -> queuePair, vector.schemaEpoch(), dead);
            Catalog catalog =
                    new Catalog(
                            () -> queuePair,
                            1,
                            dead,
                            new SchemaSessions(List::of, () -> false, () -> {}),
                            SchemaJournal.NONE,
                            () -> {});
            SchemaExclusion turn =
                    new SchemaExclusion(
                            Host.MACHINE,
                            lease,
                            new SchemaLatch(List::of),
                            catalog::refresh,
                            catalog::reclaim,
                            () -> {},
                            () -> {},
                            Duration.ofSeconds(30));
            turn.alone(
                    Duration.ofSeconds(30),
                    () -> catalog.create(IndexDefinition.ordered("i", "t", "value")));
            lease.end(dead);
        }
        user.transact(
                tx -> tx.insert(seen, seen.newKey().set(ROWS)).setInt64(seen.column("value"), 5));
        assertThat(user.findIndex("i")).isNull();
        assertThat(user.table("t").indexes()).isEmpty();
        assertThat(user.indexNames()).containsExactly("i");
        user.dropIndex("i");
        assertThat(ddlSession.indexNames()).isEmpty();
        ddlSession.createIndex(IndexDefinition.ordered("i", "t", "value"));
        assertThat(user.table("t").indexes()).hasSize(1);
    }

    /// Transactions may take as long as the database's limit, not this compute server's:
    /// so long it waits for those of the others, to drop an index that it can't fill.
    /// ```
    /// user     runs for 300 ms, repeatedly           hasty   makes an index, can't fill it
    /// user     runs on                              hasty   waits, and drops it
    /// ```
    @Test
    void anIndexThatCannotBeFilledIsDroppedBesideLongTransactions() throws Exception {
        Table table = ddlSession.createTable(numbers("t").expectedRows(MANY_ROWS).build());
        for (int first = 0; first < MANY_ROWS; first += ROWS) {
            insert(ddlSession, table, first);
        }
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<Boolean> reading =
                CompletableFuture.supplyAsync(
                        () -> {
                            while (!ends.get()) {
                                user.transact(tx -> {
                                    LockSupport.parkNanos(300_000_000);
                                    return true;
                                });
                            }
                            return true;
                        },
                        THREAD_OF_ITS_OWN);
        EmbeddedOptions hurried = options.withMaxTransactionTime(Duration.ofMillis(20));
        try (NamDb hasty = AttachedDatabase.open(hurried, fabric, regions)) {
            leaveFree(100 << 10);
            assertThatThrownBy(() -> hasty.createIndex(IndexDefinition.ordered("i", "t", "value")))
                    .isNotInstanceOf(SchemaBusyException.class)
                    .hasMessageContaining("is full");
            assertThat(hasty.indexNames()).isEmpty();
        } finally {
            ends.set(true);
        }
        assertThat(reading.get(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void insert(NamDb db, Table table, int first) {
        db.transact(tx -> {
            for (int id = first; id < first + ROWS; id++) {
                tx.insert(table, table.newKey().set(id)).setInt64(table.column("value"), id);
            }
            return true;
        });
    }

    /// Takes all of the memory server but this.
    private void leaveFree(long bytes) {
        try (QueuePair queuePair = fabric.connect(regions)) {
            MemoryClient client = new MemoryClient(queuePair, 1);
            long free = client.usage(0).freeBytes();
            while (free > bytes) {
                client.allocate(0, Math.max(64, free - bytes & -64));
                free = client.usage(0).freeBytes();
            }
        }
    }

    /// Each table is filled with a value of its own, so that a row of another one shows, and so
    /// does a write that went astray.
    @Test
    void theSchemaChangesBesideTransactionsOfTheOther() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        makeOnce("t0", 0);
        makeOnce("t1", 1);
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Long>> users =
                List.of(
                        use(isOver, random.split(), "t0"),
                        use(isOver, random.split(), "t1"),
                        use(isOver, random.split(), "t0"));
        try {
            for (int round = 2; round < 60; round++) {
                String name = "t" + random.nextInt(2);
                change(random, name, round);
                check(ddlSession, ddlSession.table(name));
            }
        } finally {
            isOver.set(true);
        }
        for (CompletableFuture<Long> each : users) {
            assertThat(each.get()).isPositive();
        }
        check(user, user.table("t0"));
        check(user, user.table("t1"));
    }

    private void makeOnce(String name, long value) {
        Table table =
                ddlSession.createTable(
                        numbers(name)
                                .inlined(value % 2 == 0)
                                .property("value", "" + value)
                                .build());
        fill(ddlSession, table, value << 32);
        ddlSession.createIndex(IndexDefinition.ordered(name + "_by_value", name, "value"));
    }

    private void change(SplittableRandom random, String name, long round) {
        switch (random.nextInt(4)) {
            case 0 -> {
                ddlSession.dropTable(name);
                makeOnce(name, round);
            }
            case 1 ->
                    fill(
                            ddlSession,
                            ddlSession.truncate(name),
                            value(ddlSession.table(name)) << 32);
            case 2 -> {
                ddlSession.dropIndex(name + "_by_value");
                ddlSession.createIndex(IndexDefinition.ordered(name + "_by_value", name, "value"));
            }
            default -> {
                ddlSession.renameTable(name, "aside");
                ddlSession.renameTable("aside", name);
            }
        }
    }

    private static long value(Table table) {
        return Long.parseLong(table.definition().properties().get("value"));
    }

    private CompletableFuture<Long> use(
            AtomicBoolean isOver, SplittableRandom random, String name) {
        return CompletableFuture.supplyAsync(() -> {
            long done = 0;
            try (Session session = user.session()) {
                while (!isOver.get() || done == 0) {
                    Table table = user.findTable(name);
                    try {
                        if (table != null && useOnce(session, table, random)) {
                            done++;
                        }
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessageContaining("was dropped");
                    }
                }
            }
            return done;
        });
    }

    private static boolean useOnce(Session session, Table table, SplittableRandom random) {
        long mine = value(table);
        return session.transact(tx -> {
            boolean isWhole = true;
            for (int i = 0; i < 5; i++) {
                Row row = tx.read(table, table.newKey().set(random.nextInt(ROWS)));
                isWhole &= row != null;
                if (row != null) {
                    long found = row.int64(table.column("value"));
                    assertThat(found >>> 32).isEqualTo(mine);
                    row.setInt64(table.column("value"), found + 1);
                }
            }
            for (Index index : table.indexes()) {
                RowCursor cursor =
                        tx.ascending(
                                index, table, index.newKey(), index.newKey(), table.schema().all());
                for (Row row = cursor.next(); row != null; row = cursor.next()) {
                    assertThat(row.int64(table.column("value")) >>> 32).isEqualTo(mine);
                }
            }
            return isWhole;
        });
    }

    private static void check(NamDb db, Table table) {
        db.transact(tx -> {
            int rows = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                assertThat(row.int64(table.column("value")) >>> 32).isEqualTo(value(table));
                rows++;
            }
            assertThat(rows).isEqualTo(ROWS);
            for (Index index : table.indexes()) {
                int found = 0;
                RowCursor cursor =
                        tx.ascending(
                                index, table, index.newKey(), index.newKey(), table.schema().all());
                while (cursor.next() != null) {
                    found++;
                }
                assertThat(found).isEqualTo(ROWS);
            }
            return true;
        });
    }
}
