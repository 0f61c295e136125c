package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.ServerUsage;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Commits' garbage is collected in time, and does not fill a memory server.
class CollectionTest {
    private static final int ROWS = 2_000;
    private static final int FEW = 500;
    private static final Duration NEVER = Duration.ofHours(1);

    /// Bodies of 2 KB, not in the buckets.
    private static TableDefinition wide(int rows) {
        return TableDefinition.named("wide")
                .column("id", ColumnType.INT64)
                .column("pad", ColumnType.varchar(2000))
                .primaryKey("id")
                .inlined(false)
                .versions(1)
                .expectedRows(rows)
                .build();
    }

    private static TableDefinition narrow(int rows) {
        return TableDefinition.named("narrow")
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .column("pad", ColumnType.varchar(100))
                .primaryKey("id")
                .expectedRows(rows)
                .build();
    }

    private static TableDefinition rows(String name) {
        return rows(name, 100);
    }

    private static TableDefinition rows(String name, int expected) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .column("pad", ColumnType.varchar(1000))
                .primaryKey("id")
                .expectedRows(expected)
                .build();
    }

    private static void insert(Session session, Table table, int count) {
        session.transact(tx -> {
            for (int id = 0; id < count; id++) {
                BlankRow.insert(tx, table, table.newKey().set(id));
            }
            return true;
        });
    }

    private static void deleteAll(Session session, Table table, int count) {
        session.transact(tx -> {
            for (int id = 0; id < count; id++) {
                tx.delete(tx.read(table, table.newKey().set(id)));
            }
            return true;
        });
    }

    private static long used(NamDb db) {
        return db.usage().stream().mapToLong(ServerUsage::usedBytes).sum();
    }

    private static EmbeddedOptions withoutBackground() {
        return EmbeddedOptions.DEFAULT.withMaintenanceInterval(NEVER);
    }

    @Test
    void rowsThatComeAndGoInLargeTransactionsFitForEver() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(64 << 20));
                Session session = db.session()) {
            Table table = db.createTable(rows("t"));
            for (int round = 0; round < 60; round++) {
                insert(session, table, ROWS);
                deleteAll(session, table, ROWS);
            }
            assertThat(session.garbageWaiting()).isLessThan(4 * ROWS);
        }
    }

    @Test
    void aFailedInsertLeavesNoMemoryTaken() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(32 << 20));
                Session session = db.session()) {
            Table wide = db.createTable(wide(20_000));
            long before = used(db);
            assertThatThrownBy(() -> insert(session, wide, 20_000))
                    .isInstanceOf(TransactionException.class)
                    .hasMessageContaining("is full");
            assertThat(used(db) - before).isLessThan(1 << 20);
            insert(session, wide, 4_000);
        }
    }

    /// Rows lie in buckets, of which the table gets more and more, until there is no memory.
    @Test
    void aFailedInsertLeavesNoBucketsTaken() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(32 << 20));
                Session session = db.session()) {
            Table table = db.createTable(rows("t", 1_000));
            long before = used(db);
            assertThatThrownBy(() -> insert(session, table, 60_000))
                    .isInstanceOf(TransactionException.class)
                    .hasMessageContaining("is full");
            assertThat(used(db) - before).isLessThan(1 << 20);
            insert(session, table, 4_000);
            db.createTable(rows("another", 1_000));
            db.truncate("t");
        }
    }

    /// It fails wherever the memory ends: at buckets, or at nodes of the index. Buckets that were
    /// split for it stay with the table, which gets them filled later, and frees them when it is
    /// truncated.
    @Test
    void aFailedInsertLosesNoMemoryInIndexes() {
        int fits = 0;
        int failed = 0;
        for (int rows = 120_000; fits == 0; rows = rows * 96 / 100) {
            try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(16 << 20));
                    Session session = db.session()) {
                Table table = db.createTable(narrow(1_000));
                db.createIndex(IndexDefinition.ordered("by_value", "narrow", "value"));
                long before = used(db);
                if (fits(session, table, rows)) {
                    fits = rows;
                } else {
                    failed++;
                    db.truncate("narrow");
                    assertThat(used(db) - before).as("%d rows", rows).isLessThan(1 << 20);
                }
            }
        }
        assertThat(failed).isPositive();
    }

    private static boolean fits(Session session, Table table, int rows) {
        try {
            insert(session, table, rows);
            return true;
        } catch (TransactionException full) {
            return false;
        }
    }

    /// There is no memory for a second table.
    @Test
    void aTableThatFillsTheMemoryCanBeTruncated() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(32 << 20));
                Session session = db.session()) {
            Table table = db.createTable(rows("t", 10_000));
            int rows = fill(session, table);
            db.truncate("t");
            assertThat(fill(session, db.table("t"))).isCloseTo(rows, withinPercentage(5));
        }
    }

    /// @return how many rows fit
    private static int fill(Session session, Table table) {
        int atOnce = 100;
        for (int first = 0; ; first += atOnce) {
            int from = first;
            try {
                session.transact(tx -> {
                    for (int id = from; id < from + atOnce; id++) {
                        BlankRow.insert(tx, table, table.newKey().set(id));
                    }
                    return true;
                });
            } catch (TransactionException full) {
                return first;
            }
        }
    }

    /// No transaction begins any more, and the session stays open.
    @Test
    void aSessionAtRestKeepsNoGarbage() {
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20);
        try (NamDb db = NamDb.embedded(options.withMaintenanceInterval(Duration.ofMillis(1)));
                Session session = db.session()) {
            Table table = db.createTable(rows("t"));
            insert(session, table, ROWS);
            deleteAll(session, table, ROWS);
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> {
                        while (session.garbageWaiting() > 0) {
                            Thread.sleep(1);
                        }
                    });
            insert(session, table, ROWS);
        }
    }

    /// Garbage that a session left when it handed its permit off slows all others down until it has
    /// one again: the next holder of the permit collects it.
    @Test
    void theNextHolderOfAPermitCollectsTheGarbage() {
        try (NamDb db = NamDb.embedded(withoutBackground());
                Session left = db.session();
                Session next = db.session()) {
            Table table = db.createTable(narrow(ROWS));
            insert(left, table, FEW);
            deleteAll(left, table, FEW);
            assertThat(left.garbageWaiting()).isPositive();
            next.transact(tx -> true); // the snapshot that the low watermark rises to
            for (int pass = 0; pass < 8 && !left.maintenance().runMaintenance(); pass++) {
                next.transact(tx -> true);
            }
            assertThat(left.garbageWaiting()).isZero();
            insert(left, table, 1);
            boolean isDone =
                    next.transact(tx -> {
                        deleteAll(left, table, 1);
                        return left.maintenance().runMaintenance();
                    });
            assertThat(isDone).isFalse(); // that snapshot needed what was deleted
            assertThat(left.garbageWaiting()).isPositive();
        }
    }

    /// Its own user would wait for that.
    @Test
    void theNextHolderOfAPermitLeavesLargeTransactionsToTheBackgroundWork() {
        try (NamDb db = NamDb.embedded(withoutBackground());
                Session left = db.session();
                Session next = db.session()) {
            Table table = db.createTable(narrow(ROWS));
            insert(left, table, ROWS);
            deleteAll(left, table, ROWS);
            next.transact(tx -> true);
            assertThat(left.maintenance().runMaintenance()).isTrue();
            assertThat(left.garbageWaiting()).isGreaterThanOrEqualTo(ROWS);
        }
    }

    /// What one session has deleted, another one can insert: when memory is short, no session keeps
    /// what it doesn't use.
    @Test
    void memoryGoesFromSessionsThatDeleteToSessionsThatInsert() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(48 << 20));
                Session inserts = db.session();
                Session deletes = db.session()) {
            Table table =
                    db.createTable(
                            TableDefinition.named("apart")
                                    .column("id", ColumnType.INT64)
                                    .column("value", ColumnType.INT64)
                                    .column("pad", ColumnType.varchar(2000))
                                    .primaryKey("id")
                                    .inlined(false)
                                    .expectedRows(ROWS)
                                    .build());
            for (int round = 0; round < 30; round++) {
                insert(inserts, table, ROWS);
                deleteAll(deletes, table, ROWS);
            }
        }
    }

    /// Long before memory is short.
    @Test
    void memoryGoesRoundBetweenSessionsThatOnlyDeleteAndOnlyInsert() {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(256 << 20));
                Session inserts = db.session();
                Session deletes = db.session()) {
            Table table = db.createTable(wide(ROWS));
            insert(inserts, table, ROWS);
            long live = used(db);
            for (int round = 0; round < 40; round++) {
                deleteAll(deletes, table, ROWS);
                for (int pass = 0; pass < 8; pass++) {
                    deletes.transact(tx -> true);
                    deletes.collectGarbage();
                }
                insert(inserts, table, ROWS);
                assertThat(used(db)).isLessThan(live + live / 2 + (8 << 20));
            }
        }
    }

    /// A record is changed by one session and deleted by another one, which may collect it before
    /// the first one has removed the entry of its former value.
    @ParameterizedTest
    @EnumSource(IndexDefinition.Kind.class)
    void formerEntriesAreRemovedWhicheverSessionCollectsTheirRecords(IndexDefinition.Kind kind) {
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(64 << 20));
                Session changes = db.session();
                Session deletes = db.session()) {
            Table table = db.createTable(narrow(100));
            Index index =
                    db.createIndex(
                            kind == IndexDefinition.Kind.HASH
                                    ? IndexDefinition.hash("of_value", "narrow", "value")
                                    : IndexDefinition.ordered("by_value", "narrow", "value"));
            for (int round = 1; round <= 40; round++) {
                insert(deletes, table, 50);
                for (int change = 1; change <= 2; change++) {
                    long value = 2L * round + change;
                    changes.transact(tx -> {
                        for (int id = 0; id < 50; id++) {
                            Row row = tx.read(table, table.newKey().set(id));
                            row.setInt64(table.column("value"), value);
                        }
                        return true;
                    });
                }
                deleteAll(deletes, table, 50);
                (round % 2 == 0 ? changes : deletes).collectGarbage();
            }
            for (Session each : List.of(deletes, changes)) {
                for (int pass = 0; pass < 100 && each.garbageWaiting() > 0; pass++) {
                    each.transact(tx -> true);
                    each.collectGarbage();
                }
                assertThat(each.garbageWaiting()).isZero();
            }
            assertThat(entries(deletes, table, index)).isZero();
        }
    }

    /// Nothing else finds them: a sweep goes over records, and their versions.
    @Test
    void programsThatEndLeaveNoEntriesOfFormerValues() {
        int slots = 64;
        EmbeddedOptions options =
                withoutBackground().withMemoryBytes(64 << 20).withSlots(8).withExecutionThreads(1);
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
                MemoryServer server =
                        new MemoryServer(
                                fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, slots))) {
            List<Region> regions = List.of(server.region());
            DatabaseLayout.format(fabric, regions, slots, options.maxTransactionTime());
            try (NamDb db = AttachedDatabase.open(options, fabric, regions)) {
                Table table = db.createTable(rows("t"));
                db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
                db.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            }
            for (int program = 1; program <= 30; program++) {
                long value = program;
                try (NamDb db = AttachedDatabase.open(options, fabric, regions)) {
                    Table table = db.table("t");
                    db.transact(tx ->
                            tx.read(table, table.newKey().set(1))
                                    .setInt64(table.column("value"), value));
                }
            }
            try (NamDb db = AttachedDatabase.open(options, fabric, regions);
                    Session session = db.session()) {
                Table table = db.table("t");
                Index index = Objects.requireNonNull(db.findIndex("by_value"));
                assertThat(entries(session, table, index)).isEqualTo(1);
            }
        }
    }

    /// The entries for all values that were used, whether they lead to a record or not.
    private static long entries(Session session, Table table, Index index) {
        AtomicLong entries = new AtomicLong();
        for (long value = 0; value < 100; value++) {
            session.indexes
                    .writer(table, index)
                    .entriesNow(index.newKey().add(value), entry -> entries.incrementAndGet());
        }
        return entries.get();
    }

    /// A session that does nothing any more has deleted what takes the memory.
    @Test
    void aTableIsMadeWhereGarbageWas() {
        int rows = 4_000;
        try (NamDb db = NamDb.embedded(withoutBackground().withMemoryBytes(32 << 20));
                Session session = db.session()) {
            Table table = db.createTable(wide(rows));
            insert(session, table, rows);
            deleteAll(session, table, rows);
            assertThat(used(db)).isGreaterThan(16L << 20);
            db.createTable(rows("t", 10_000));
            assertThat(session.garbageWaiting()).isZero();
        }
    }

    /// Threads that begin and pause in turns, with the one that collects while they pause.
    @Test
    void sessionsAreTheirThreadsAgainWhenTheyComeBack() throws InterruptedException {
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20);
        try (NamDb db =
                NamDb.embedded(options.withMaintenanceInterval(Duration.ofNanos(200_000)))) {
            Table table = db.createTable(rows("t"));
            List<Thread> threads = new ArrayList<>();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            for (int i = 0; i < 4; i++) {
                int first = 1_000 * i;
                threads.add(
                        Thread.ofPlatform()
                                .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
                                .start(() -> comeAndGo(db, table, first)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
        }
    }

    private static void comeAndGo(NamDb db, Table table, int first) {
        try (Session session = db.session()) {
            for (int round = 0; round < 150; round++) {
                int value = round;
                session.transact(tx -> {
                    for (int id = first; id < first + 20; id++) {
                        Row row = tx.read(table, table.newKey().set(id));
                        if (row == null) {
                            BlankRow.insert(tx, table, table.newKey().set(id));
                        } else if ((id + value) % 3 == 0) {
                            tx.delete(row);
                        } else {
                            row.setInt64(table.column("value"), value);
                        }
                    }
                    return true;
                });
                LockSupport.parkNanos(round % 5 == 0 ? 1_000_000 : 0);
            }
        }
    }
}
