package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// How much memory tables take that are made without a hint, and what a lookup in them costs:
/// counts, which no machine changes. `-Dnamdb.rows=N` has the large tables be of N rows in place of
/// 300,000; some 60 bytes a row are needed, and `-Dnamdb.tables=N` is for the number of small ones.
class TableSizeTest {
    private static final int SLOTS = 16;
    private static final int ROWS = Integer.getInteger("namdb.rows", 300_000);
    private static final int TABLES = Integer.getInteger("namdb.tables", 200);
    private static final int LOOKUPS = 5_000;

    /// Of a row of two integers: header, key, and the body with its pointer to old versions.
    private static final int OWN_BYTES = 32;

    /// 5,000 tables with an index and a row each are to fit in a gigabyte.
    private static final long TABLE_BYTES = (1L << 30) / 5_000;

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer server =
            new MemoryServer(
                    fabric,
                    0,
                    (128L << 20) + 80L * ROWS + TABLE_BYTES * TABLES,
                    DatabaseLayout.reservedBytes(0, SLOTS));
    private final NamDb db;
    private final QueuePair queuePair;
    private final MemoryClient memory;

    TableSizeTest() {
        List<Region> regions = List.of(server.region());
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withSlots(SLOTS).withExecutionThreads(1);
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        queuePair = fabric.connect(regions);
        memory = new MemoryClient(queuePair, 1);
    }

    @AfterEach
    void close() {
        queuePair.close();
        db.close();
        server.close();
        fabric.close();
    }

    private Table create(String name) {
        return db.createTable(
                TableDefinition.named(name)
                        .column("id", ColumnType.INT64)
                        .column("value", ColumnType.INT64)
                        .primaryKey("id")
                        .build());
    }

    private static Row insert(Transaction tx, Table table, long id) {
        return tx.insert(table, table.newKey().set(id)).setInt64(table.column("value"), id);
    }

    private long usedBytes() {
        return memory.usage(0).usedBytes();
    }

    @Test
    void anEmptyTableWithAnIndexTakesLessThan16Kilobytes() {
        long before = usedBytes();
        create("t");
        db.createIndex(IndexDefinition.hash("by_value", "t", "value"));
        assertThat(usedBytes() - before).isLessThan(16 << 10);
    }

    @Test
    void aMemoryServerHasManySmallTables() {
        long before = usedBytes();
        try (Session session = db.session()) {
            for (int number = 0; number < TABLES; number++) {
                Table table = create("t" + number);
                db.createIndex(IndexDefinition.hash("by_value" + number, "t" + number, "value"));
                session.transact(tx -> insert(tx, table, 1));
            }
        }
        assertThat(usedBytes() - before).isLessThan(TABLE_BYTES * TABLES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 10_000})
    void aTableThatHasGrownIsSmallAndALookUpReadsOneBucket(int together) {
        long before = usedBytes();
        Table table = create("t");
        try (Session session = db.session()) {
            for (long from = 0; from < ROWS; from += together) {
                long first = from;
                session.transact(tx -> {
                    for (long id = first; id < Math.min(first + together, ROWS); id++) {
                        insert(tx, table, id);
                    }
                    return true;
                });
            }
            SplittableRandom random = new SplittableRandom(Seeds.next());
            long reads = session.counters().reads();
            long trips = session.counters().roundTrips();
            session.transact(tx -> {
                for (int i = 0; i < LOOKUPS; i++) {
                    Row row = tx.read(table, table.newKey().set(random.nextLong(ROWS)));
                    assertThat(row).isNotNull();
                }
                return true;
            });
            reads = session.counters().reads() - reads;
            trips = session.counters().roundTrips() - trips;
            assertThat((double) reads / LOOKUPS).isLessThan(2.3);
            assertThat((double) trips / LOOKUPS).isLessThan(1.1);
        }
        HashTable records = table.records();
        long bucketBytes = records.layout().bucketBytes() * (records.buckets() + records.parts());
        assertThat((double) bucketBytes / ROWS / OWN_BYTES)
                .as("bytes of buckets, relative to those of rows")
                .isLessThan(together == 1 ? 1.8 : 1.65);
        assertThat((double) (usedBytes() - before) / ROWS / OWN_BYTES)
                .as("with the directory, and with what sessions hold and do not use")
                .isLessThan(2.1);
    }
}
