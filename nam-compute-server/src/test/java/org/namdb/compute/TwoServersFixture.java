package org.namdb.compute;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// Two compute servers on one fabric: one changes the schema, the other one uses it.
abstract class TwoServersFixture {
    static final int SLOTS = 64;
    static final int ROWS = 200;

    /// The common pool may have fewer threads than wait here.
    static final Executor THREAD_OF_ITS_OWN = work -> Thread.ofVirtual().start(work);

    final FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    final List<Region> regions = List.of(server.region());
    final EmbeddedOptions options =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(64 << 20)
                    .withSlots(16)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofMillis(1));
    final NamDb ddlSession;
    final NamDb user;

    TwoServersFixture() {
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        ddlSession = AttachedDatabase.open(options, fabric, regions);
        user = AttachedDatabase.open(options, fabric, regions);
    }

    @AfterEach
    void close() {
        user.close();
        ddlSession.close();
        server.close();
        fabric.close();
    }

    static TableDefinition.Builder numbers(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .versions(2)
                .expectedRows(ROWS);
    }

    static void fill(NamDb db, Table table, long value) {
        db.transact(tx -> {
            for (int id = 0; id < ROWS; id++) {
                tx.insert(table, table.newKey().set(id)).setInt64(table.column("value"), value);
            }
            return true;
        });
    }

    static long count(NamDb db, Table table) {
        return db.<Long>transact(tx -> {
            long rows = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            while (scan.next() != null) {
                rows++;
            }
            return rows;
        });
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
