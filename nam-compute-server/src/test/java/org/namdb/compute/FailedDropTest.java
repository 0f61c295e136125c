package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A compute server was about to drop a table, and failed before the name was removed; it lives on.
class FailedDropTest {
    private static final int SLOTS = 64;
    private static final int ROWS = 200;

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());
    private final EmbeddedOptions options =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(64 << 20)
                    .withSlots(16)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofMillis(1));
    private final NamDb ddlSession;
    private final QueuePair queuePair;
    private final MemoryClient client;

    FailedDropTest() {
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        ddlSession = AttachedDatabase.open(options, fabric, regions);
        queuePair = fabric.connect(regions);
        client = new MemoryClient(queuePair, 1);
    }

    @AfterEach
    void close() {
        queuePair.close();
        ddlSession.close();
        server.close();
        fabric.close();
    }

    /// ```
    /// failed    entry "unnamed" of t                                  ends
    /// coordinator           drops t, frees its memory; makes u             drops v
    /// ```
    /// The last drop must not free t's memory again, which u has.
    @Test
    void memoryIsFreedOnceThoughTheOneThatFailedEndsLater() {
        ddlSession.createTable(numbers("v"));
        Table dropped = ddlSession.createTable(numbers("t"));
        NamDb failed = AttachedDatabase.open(options, fabric, regions);
        byte[] entry = Objects.requireNonNull(client.catalogEntry(CatalogEntry.TABLE + "t"));
        String unnamed =
                CatalogEntry.UNNAMED_TABLE + failed.process() + ":" + dropped.records().id();
        assertThat(client.putCatalogEntry(unnamed, entry)).isTrue();

        ddlSession.dropTable("t");
        Table made = ddlSession.createTable(numbers("u"));
        ddlSession.transact(tx -> {
            for (int id = 0; id < ROWS; id++) {
                tx.insert(made, made.newKey().set(id)).setInt64(made.column("value"), id);
            }
            return true;
        });
        failed.close();
        ddlSession.dropTable("v");
        ddlSession.createTable(numbers("w"));
        ddlSession.createTable(numbers("x"));

        assertThat(client.catalogNames()).noneMatch(CatalogEntry::isUnnamed);
        int rows =
                ddlSession.transact(tx -> {
                    int found = 0;
                    for (int id = 0; id < ROWS; id++) {
                        found += tx.read(made, made.newKey().set(id)) == null ? 0 : 1;
                    }
                    return found;
                });
        assertThat(rows).isEqualTo(ROWS);
    }

    private static TableDefinition numbers(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .expectedRows(ROWS)
                .build();
    }
}
