package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Schema changes whose redo record is longer than a message, or has no space in the catalog.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeSchemaTest {
    private static final int SLOTS = 64;
    private static final int SERVERS = 2;
    private static final int MEMORY_BYTES = 64 << 20;
    private static final int TABLES = 24;
    private static final int PROPERTY_BYTES = 4_000;
    private static final int MAX_STEPS = 1_500;
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final FailingFabric fabric =
            new FailingFabric(new ShortMessages(new ShmFabric(ShmFabric.Options.DEFAULT)));
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<Region> regions;
    private final NamDb db;
    private final NamDb other;

    LargeSchemaTest() {
        for (int i = 0; i < SERVERS; i++) {
            long reserved = DatabaseLayout.reservedBytes(i, SLOTS);
            servers.add(new MemoryServer(fabric, i, MEMORY_BYTES, reserved));
        }
        regions = servers.stream().map(MemoryServer::region).toList();
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(SERVERS)
                        .withMemoryBytes(MEMORY_BYTES)
                        .withSlots(16)
                        .withExecutionThreads(1)
                        .withMaintenanceInterval(Duration.ofMillis(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        other = AttachedDatabase.open(options, fabric, regions);
    }

    @AfterEach
    void close() {
        boolean _ = fabric.heal();
        other.close();
        db.close();
        servers.forEach(MemoryServer::close);
        fabric.close();
    }

    /// Refuses requests that are longer than those of RDMA may be.
    private static final class ShortMessages extends ForwardingFabric {
        private static final int MAX_BYTES = 1 << 16;

        ShortMessages(Fabric actual) {
            super(actual);
        }

        @Override
        public QueuePair connect(List<Region> regions) {
            return new ForwardingQueuePair(actual.connect(regions)) {
                @Override
                protected long postRequest(int server, long source, int bytes, int replyBytes) {
                    if (Math.max(bytes, replyBytes) > MAX_BYTES) {
                        throw new FabricException(FabricException.Kind.TOO_LARGE, bytes + " bytes");
                    }
                    return super.postRequest(server, source, bytes, replyBytes);
                }
            };
        }
    }

    @Test
    void manyTablesAreMadeAtOnce() {
        assertThat(makeTables(Integer.MAX_VALUE)).as("a failure").isFalse();
        requireWhole(TABLES);
    }

    /// Wherever the commit fails, all tables are there, or none, and they can be used.
    @RepeatedTest(12)
    void manyTablesAreMadeAsAWhole() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        int step = new SplittableRandom(seed).nextInt(MAX_STEPS);
        System.out.println("-Dnamdb.seed=" + seed + " fails at step " + step);
        boolean _ = makeTables(step);
        FailedCommitTest.awaitRecovery(db);
        for (NamDb by : List.of(db, other)) {
            by.transact(tx -> true); // it has noticed what has changed then
        }
        requireWhole(db.tableNames().isEmpty() ? 0 : TABLES);
    }

    private void requireWhole(int tables) {
        List<String> names = db.tableNames();
        assertThat(names).hasSize(tables);
        assertThat(other.tableNames()).isEqualTo(names);
        for (NamDb by : List.of(db, other)) {
            names.forEach(name -> use(by, name));
        }
        names.forEach(other::dropTable);
        assertThat(db.tableNames()).isEmpty();
        assertThat(db.indexNames()).isEmpty();
    }

    /// @param failing at which step of the commit all begins to fail
    /// @return whether it has made so many
    private boolean makeTables(int failing) {
        try (Session session = db.session()) {
            boolean[] hasFailed = new boolean[1];
            Transaction _ = session.begin();
            TransactionSchema schema = db.schemaOf(session);
            for (int i = 0; i < TABLES; i++) {
                Table _ = schema.createTable(definition("t" + i));
                IndexDefinition index = IndexDefinition.ordered("by_n" + i, "t" + i, "n");
                Index _ = schema.createIndex(index, _ -> {});
            }
            fabric.doAt(failing, () -> failFromNowOn(hasFailed));
            try {
                CommitOutcome outcome = schema.commit(WAIT, () -> {});
                assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
            } catch (FabricException | TransactionException e) {
                assertThat(hasFailed[0]).as(e.toString()).isTrue();
            }
            boolean _ = fabric.heal();
            return hasFailed[0];
        }
    }

    private void failFromNowOn(boolean[] hasFailed) {
        hasFailed[0] = true;
        fabric.doAt(0, () -> failFromNowOn(hasFailed));
        throw new FabricException(FabricException.Kind.PEER_GONE, "planted");
    }

    private static void use(NamDb by, String name) {
        Table table = by.table(name);
        assertThat(table.indexes()).hasSize(1);
        by.transact(tx -> {
            Row row = tx.insert(table, table.newKey().set(by.process()));
            row.setInt64(table.column("n"), 1);
            return true;
        });
    }

    private static TableDefinition definition(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("n", ColumnType.INT64)
                .primaryKey("id")
                .property("comment", "c".repeat(PROPERTY_BYTES))
                .expectedRows(1)
                .build();
    }

    /// What frees memory needs none.
    @Test
    void aTableIsDroppedWhereTheCatalogIsFull() {
        Table _ = db.createTable(definition("t"));
        Index _ = db.createIndex(IndexDefinition.ordered("by_n", "t", "n"));
        Table _ = db.createTable(definition("u"));
        assertThat(other.table("t").indexes()).hasSize(1);
        List<String> _ = fillCatalog();
        db.dropTable("t");
        for (NamDb by : List.of(db, other)) {
            assertThat(by.tableNames()).containsExactly("u");
            assertThat(by.indexNames()).isEmpty();
        }
        Table _ = db.renameTable("u", "v"); // there is space now
        assertThat(other.tableNames()).containsExactly("v");
    }

    /// Where one memory server has space for the redo record, and the other one none for the entry
    /// that it lists, nothing changes wherever the coordinator fails, and the others go on.
    @Test
    void aTableKeepsItsNameWhereTheCatalogIsFull() {
        int withSpace = serverOf("update");
        String name = nameOn(withSpace, "t");
        String newName = nameOn(1 - withSpace, "u");
        Table _ = db.createTable(definition(name));
        assertThat(other.tableNames()).containsExactly(name);
        List<String> fillers = fillCatalog();
        try (QueuePair queuePair = fabric.connect(regions)) {
            MemoryClient client = new MemoryClient(queuePair, SERVERS);
            fillers.stream()
                    .filter(filler -> serverOf(filler) == withSpace)
                    .limit(2)
                    .forEach(client::removeCatalogEntry);
        }
        boolean[] hasFailed = {true};
        int step = 0;
        for (; hasFailed[0]; step++) {
            hasFailed[0] = false;
            fabric.doAt(step, () -> failFromNowOn(hasFailed));
            try {
                Table _ = db.renameTable(name, newName);
            } catch (FabricException | MemoryFullException e) {
                assertThat(hasFailed[0] || e instanceof MemoryFullException).isTrue();
            }
            boolean _ = fabric.heal();
            FailedCommitTest.awaitRecovery(db);
            for (NamDb by : List.of(db, other)) {
                assertThat(by.<Boolean>transact(tx -> true)).isTrue();
                assertThat(by.tableNames()).as("failure at step " + step).containsExactly(name);
            }
        }
        assertThat(step).isGreaterThan(20);
        try (QueuePair queuePair = fabric.connect(regions)) {
            MemoryClient client = new MemoryClient(queuePair, SERVERS);
            fillers.forEach(client::removeCatalogEntry);
            Table _ = db.renameTable(name, newName);
            assertThat(other.tableNames()).containsExactly(newName);
            assertThat(client.catalogNames())
                    .allMatch(each -> each.startsWith("table:") || each.startsWith("filler:"));
        }
    }

    /// The memory server that holds an entry of the catalog.
    private static int serverOf(String entry) {
        return Math.floorMod(entry.hashCode(), SERVERS);
    }

    private static String nameOn(int server, String prefix) {
        int suffix = 0;
        while (serverOf("table:" + prefix + suffix) != server) {
            suffix++;
        }
        return prefix + suffix;
    }

    /// The memory servers are full, too, and what they keep for the catalog has entries that name
    /// no table.
    ///
    /// @return their names
    private List<String> fillCatalog() {
        try (QueuePair queuePair = fabric.connect(regions)) {
            MemoryClient client = new MemoryClient(queuePair, SERVERS);
            for (int server = 0; server < SERVERS; server++) {
                for (long bytes = MEMORY_BYTES; bytes >= 64; bytes /= 2) {
                    while (allocate(client, server, bytes)) {}
                }
            }
            List<String> entries = new ArrayList<>();
            for (int bytes = 16 << 10; bytes > 0; bytes /= 2) {
                for (int full = 0; full < 8; ) { // of each server, most likely
                    entries.add("filler:" + entries.size());
                    full = putEntry(client, entries.getLast(), bytes) ? 0 : full + 1;
                }
            }
            return entries;
        }
    }

    private static boolean allocate(MemoryClient client, int server, long bytes) {
        return client.fromReserve(() -> client.allocate(server, bytes)) != 0;
    }

    private static boolean putEntry(MemoryClient client, String name, int bytes) {
        try {
            return client.putCatalogEntry(name, new byte[bytes]);
        } catch (MemoryFullException e) {
            return false;
        }
    }
}
