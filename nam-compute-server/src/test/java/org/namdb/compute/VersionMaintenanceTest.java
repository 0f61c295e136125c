package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.memory.server.VersionMaintenance;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// The memory servers' background maintenance, driven by hand while transactions run.
class VersionMaintenanceTest {
    private static final int ALL_BUCKETS = 10_000;
    private static final long LONGER_THAN_HELD_BACK_MILLIS = 300;

    private static TableDefinition counters() {
        return TableDefinition.named("counters")
                .column("id", ColumnType.INT32)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .versions(4)
                .expectedRows(100)
                .build();
    }

    private static void add(Session session, Table table) {
        session.transact(tx -> {
            Row row = tx.read(table, table.newKey().set(1));
            return row.setInt64(table.column("value"), row.int64(table.column("value")) + 1);
        });
    }

    @Test
    void versionsThatTheMoverMovedAreFoundAndWritersNeedNotMoveThem() throws InterruptedException {
        try (NamDb db = NamDb.embedded();
                Session reader = db.session();
                Session writer = db.session();
                Session server = db.session()) {
            Table table = db.createTable(counters());
            Column value = table.column("value");
            writer.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            VersionMaintenance maintenance = server.maintenance().ofServer(0);
            reader.transact(tx -> {
                for (int round = 0; round < 5; round++) {
                    for (int i = 0; i < 3; i++) {
                        add(writer, table);
                    }
                    sleep(LONGER_THAN_HELD_BACK_MILLIS);
                    maintenance.step(ALL_BUCKETS);
                    assertThat(tx.snapshot().sequence()).isPositive();
                    // A read that the transaction has not cached: another projection of the same
                    // row.
                    Row row = tx.read(table, table.newKey().set(1), table.schema().nothing());
                    assertThat(row).isNotNull();
                }
                assertThat(tx.read(table, table.newKey().set(1)).int64(value)).isZero();
                return true;
            });
            assertThat(maintenance.moved() + db.server().maintenanceThread().versionsMoved())
                    .isPositive();
            assertThat(maintenance.passes()).isPositive();
            add(writer, table);
            long now = writer.transact(tx -> tx.read(table, table.newKey().set(1)).int64(value));
            assertThat(now).isEqualTo(16);
        }
    }

    /// ```
    /// u  maintains server 0: the low watermark rises
    /// r  stops it from now on
    /// v  maintains server 1 in the same session: no collection was blocked for long
    /// ```
    @Test
    void aRiseOfTheLowWatermarkCountsForEveryServer() {
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryServers(2));
                Session reader = db.session();
                Session writer = db.session();
                Session server = db.session()) {
            Table table = db.createTable(counters().copy("counters").servers(1).build());
            writer.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            VersionMaintenance first = server.maintenance().ofServer(0);
            VersionMaintenance second = server.maintenance().ofServer(1);
            sleep(LONGER_THAN_HELD_BACK_MILLIS);
            add(writer, table); // appends to the snapshot chain
            first.step(ALL_BUCKETS);
            reader.transact(tx -> {
                assertThat(tx.snapshot().sequence()).isPositive();
                for (int i = 0; i < 3; i++) {
                    add(writer, table);
                }
                second.step(ALL_BUCKETS);
                assertThat(second.moved()).as("moved at once").isZero();
                sleep(LONGER_THAN_HELD_BACK_MILLIS);
                second.step(ALL_BUCKETS);
                return true;
            });
            assertThat(second.moved() + db.server().maintenanceThread().versionsMoved())
                    .as("moved later")
                    .isPositive();
        }
    }

    @Test
    void theSweepTakesAwayWhatASessionForgot() {
        try (NamDb db = NamDb.embedded();
                Session writer = db.session();
                Session server = db.session()) {
            Table table = db.createTable(counters());
            writer.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            add(writer, table);
            assertThat(writer.garbageWaiting())
                    .as("the writer has not collected it yet")
                    .isPositive();
            VersionMaintenance maintenance = server.maintenance().ofServer(0);
            for (int i = 0; i < 5; i++) {
                server.transact(tx ->
                        BlankRow.insert(
                                tx,
                                table,
                                table.newKey().set(100 + (int) tx.snapshot().sequence())));
                maintenance.step(ALL_BUCKETS);
            }
            assertThat(db.oldVersionBytes()).isZero();
        }
    }

    @Test
    void itIsIdleWhileTheChainDoesNotGrowAndNothingIsLeft() {
        try (NamDb db = NamDb.embedded();
                Session writer = db.session();
                Session server = db.session()) {
            Table table = db.createTable(counters());
            writer.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            add(writer, table);
            VersionMaintenance maintenance = server.maintenance().ofServer(0);
            awaitRest(maintenance);
            assertThat(db.oldVersionBytes()).as("it does not rest before all is done").isZero();
            long before = maintenance.passes();
            add(writer, table);
            add(writer, table); // its snapshot is the first that sees the commit before
            maintenance.step(ALL_BUCKETS);
            assertThat(maintenance.passes()).isGreaterThan(before);
            awaitRest(maintenance);
            long resting = maintenance.passes();
            for (int i = 0; i < 64; i++) {
                maintenance.step(ALL_BUCKETS);
            }
            assertThat(maintenance.passes())
                    .as("one step of 64 goes on: what came late is found")
                    .isGreaterThan(resting);
        }
    }

    /// Drives it until it is idle; the database's own background maintenance has appended to the
    /// chain what it had to by then.
    private static void awaitRest(VersionMaintenance maintenance) {
        long end = System.nanoTime() + 20_000_000_000L;
        long before;
        do {
            assertThat(System.nanoTime()).as("it is never idle").isLessThan(end);
            sleep(1);
            before = maintenance.passes();
            maintenance.step(ALL_BUCKETS);
        } while (maintenance.passes() != before);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
