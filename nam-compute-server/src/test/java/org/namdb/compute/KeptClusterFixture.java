package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.MemoryJournal;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;
import org.namdb.timestamp.TimestampVectorLayout;

/// Memory servers with data directories on simulated disks, which end and start again.
abstract class KeptClusterFixture {
    static final long SEED = Long.getLong("namdb.seed", 3);
    static final int SLOTS = 24;
    static final int SERVERS = 3;
    static final int RING_BYTES = 8192;
    static final int SEGMENT_BYTES = 1 << 16;
    static final int CHECKPOINT_BYTES = 1 << 18;
    static final long SERVER_BYTES = 32L << 20;

    static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryServers(SERVERS)
                    .withMemoryBytes(SERVERS * SERVER_BYTES)
                    .withSlots(SLOTS)
                    .withExecutionThreads(1)
                    .withSchemaWait(Duration.ofSeconds(20));

    final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    final ImageRings rings = DatabaseLayout.imageRings(SERVERS, vector, RING_BYTES);
    final List<AutoCloseable> open = new ArrayList<>();
    List<SimDisk> disks = Stream.generate(SimDisk::new).limit(SERVERS).toList();
    final List<RecoveryReport> reports = new ArrayList<>();
    Runnable seen = () -> {};
    Runnable ended = () -> {};
    BiFunction<Integer, SimDisk, Disk> opened = (_, disk) -> disk;
    Consumer<ByteBuffer> requested = _ -> {}; // what is requested of memory server 0
    UnaryOperator<List<Region>> reached = all -> all;
    Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    List<Region> regions = List.of();
    final List<MemoryJournal> journals = new ArrayList<>();

    final RecoveryProgress progress =
            new RecoveryProgress() {
                @Override
                public void at(Step step, long done, long all) {
                    assertThat(done).isBetween(0L, all);
                    seen.run();
                }

                @Override
                public void ended(RecoveryReport report) {
                    reports.add(report);
                    ended.run();
                }
            };

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        open.clear();
    }

    /// Starts all memory servers, recovers, and attaches.
    NamDb start(long kept) {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        open.add(fabric);
        List<Region> made = new ArrayList<>();
        journals.clear();
        for (int number = 0; number < SERVERS; number++) {
            long reserved = DatabaseLayout.reservedBytes(number, vector, SERVERS, RING_BYTES);
            MemoryServer server = new MemoryServer(fabric, number, SERVER_BYTES, reserved);
            open.add(server);
            made.add(server.region());
            MemoryJournal journal = journal(number, disks.get(number), SERVERS);
            open.add(journal);
            journals.add(journal);
            server.answerJournal(request -> {
                if (journal == journals.getFirst()) {
                    requested.accept(request.duplicate());
                }
                return journal.answer(request);
            });
        }
        regions = made;
        try (QueuePair queuePair = fabric.connect(regions)) {
            DatabaseLayout.formatImageRings(queuePair, RING_BYTES);
            DatabaseLayout.formatKept(queuePair, kept, true);
        }
        DatabaseLayout.format(fabric, regions, SLOTS, OPTIONS.maxTransactionTime());
        ClusterRecovery.run(OPTIONS, fabric, reached.apply(regions), SERVERS, progress);
        return attach();
    }

    MemoryJournal journal(int number, SimDisk disk, int servers) {
        return new MemoryJournal(
                Host.MACHINE,
                JournalOptions.in(Path.of("/nowhere"))
                        .on(() -> opened.apply(number, disk), "disk " + number)
                        .withBytes(SEGMENT_BYTES, CHECKPOINT_BYTES),
                number,
                servers,
                fabric.memory(number),
                rings,
                SLOTS);
    }

    NamDb attach() {
        NamDb db = AttachedDatabase.open(OPTIONS, fabric, regions);
        open.add(db);
        return db;
    }

    /// Everything ends, and starts again with what `how` makes of the disks.
    NamDb restart(UnaryOperator<SimDisk> how) throws Exception {
        List<SimDisk> left = disks.stream().map(how).toList();
        end();
        disks = left;
        return start(RegionLayout.KEPT_SYNC);
    }

    static Table table(NamDb db, String name) {
        Table made =
                db.createTable(
                        TableDefinition.named(name)
                                .column("id", ColumnType.INT64)
                                .column("a", ColumnType.INT64)
                                .nullable("b", ColumnType.varchar(300))
                                .primaryKey("id")
                                .build());
        Index _ = db.createIndex(IndexDefinition.ordered(name + "_a", name, "a"));
        return made;
    }

    static void put(Session session, Table table, long from, long to, long value) {
        session.transact(tx -> {
            for (long id = from; id < to; id++) {
                Row row = tx.read(table, table.newKey().set(id));
                row = row == null ? tx.insert(table, table.newKey().set(id)) : row;
                row.setInt64(table.column("a"), value);
            }
            return null;
        });
    }

    static Map<Long, Long> rows(NamDb db, String name) {
        try (Session session = db.session()) {
            return session.transact(tx -> {
                Table table = db.table(name);
                Map<Long, Long> rows = new TreeMap<>();
                var scan = tx.scan(table, table.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    rows.put(row.int64(table.column("id")), row.int64(table.column("a")));
                }
                scan.close();
                return rows;
            });
        }
    }

    /// By sessions whose images go to all memory servers.
    ///
    /// @param isEnough ends that
    static void commit(NamDb db, BooleanSupplier isEnough) {
        try (Session first = db.session();
                Session second = db.session();
                Session third = db.session()) {
            do {
                for (Session each : List.of(first, second, third)) {
                    put(each, db.table("t"), 20, 30, 1);
                }
            } while (!isEnough.getAsBoolean());
        }
    }

    /// Whether a checkpoint has replaced the beginning of all journals.
    boolean areReplaced() {
        return disks.stream().noneMatch(disk -> firstSegment(disk) == 1);
    }

    static int firstSegment(SimDisk disk) {
        return disk.list().stream()
                .filter(name -> name.contains("journal-"))
                .mapToInt(name -> Integer.parseInt(name.substring(name.length() - 8)))
                .min()
                .orElseThrow();
    }
}
