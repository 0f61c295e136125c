package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.Cut;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.MemoryJournal;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.fabric.disk.SimDisk;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorLayout;

/// Memory servers with data directories: after all of them have ended, in whatever way, the
/// database is recovered, with all that was acknowledged.
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeptClusterTest {
    private static final long SEED = Long.getLong("namdb.seed", 3);
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 3);
    private static final int SLOTS = 24;
    private static final int SERVERS = 3;
    private static final int RING_BYTES = 8192;
    private static final int SEGMENT_BYTES = 1 << 16;
    private static final int CHECKPOINT_BYTES = 1 << 18;
    private static final long SERVER_BYTES = 32L << 20;

    /// The first byte of a request whether a checkpoint's file is forced.
    private static final byte FORCED = 12;

    /// So many a thread makes at the most, however slow others are: memory has space for them.
    private static final int MAX_TRANSFERS = 10_000;

    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryServers(SERVERS)
                    .withMemoryBytes(SERVERS * SERVER_BYTES)
                    .withSlots(SLOTS)
                    .withExecutionThreads(1)
                    .withSchemaWait(Duration.ofSeconds(20));

    private final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    private final ImageRings rings = DatabaseLayout.imageRings(SERVERS, vector, RING_BYTES);
    private final List<AutoCloseable> open = new ArrayList<>();
    private List<SimDisk> disks = Stream.generate(SimDisk::new).limit(SERVERS).toList();
    private final List<RecoveryReport> reports = new ArrayList<>();
    private Runnable seen = () -> {};
    private Runnable ended = () -> {};
    private BiFunction<Integer, SimDisk, Disk> opened = (_, disk) -> disk;
    private Consumer<ByteBuffer> asked = _ -> {}; // what is requested of memory server 0
    private UnaryOperator<List<Region>> reached = all -> all;
    private Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private List<Region> regions = List.of();
    private final List<MemoryJournal> journals = new ArrayList<>();

    private final RecoveryProgress progress =
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
    private NamDb start(long kept) {
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
                    asked.accept(request.duplicate());
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

    private MemoryJournal journal(int number, SimDisk disk, int servers) {
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

    private NamDb attach() {
        NamDb db = NamDb.attached(OPTIONS, fabric, regions);
        open.add(db);
        return db;
    }

    /// Everything ends, and starts again with what `how` makes of the disks.
    private NamDb restart(UnaryOperator<SimDisk> how) throws Exception {
        List<SimDisk> left = disks.stream().map(how).toList();
        end();
        disks = left;
        return start(RegionLayout.KEPT_SYNC);
    }

    private static Table table(NamDb db, String name) {
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

    private static void put(Session session, Table table, long from, long to, long value) {
        session.transact(tx -> {
            for (long id = from; id < to; id++) {
                Row row = tx.read(table, table.newKey().set(id));
                row = row == null ? tx.insert(table, table.newKey().set(id)) : row;
                row.setInt64(table.column("a"), value);
            }
            return null;
        });
    }

    private static Map<Long, Long> rows(NamDb db, String name) {
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

    @Test
    void whatWasAcknowledgedIsThereAgain() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        assertThat(reports).isEmpty();
        Table first = table(db, "first");
        try (Session session = db.session()) {
            put(session, first, 0, 50, 1);
            put(session, first, 10, 20, 2);
            Table dropped = table(db, "dropped");
            put(session, dropped, 0, 10, 7);
            db.dropTable("dropped");
            Table second = table(db, "second");
            put(session, second, 0, 600, 3); // an image larger than a ring
            put(session, second, 5, 6, 4);
            session.transact(tx -> {
                tx.delete(Objects.requireNonNull(tx.read(first, first.newKey().set(0))));
                return null;
            });
        }
        for (int round = 0; round < 3; round++) {
            int given = attach().process(); // by no commit
            db =
                    restart(
                            round == 1
                                    ? SimDisk::killed
                                    : disk -> disk.crashed(new SplittableRandom(5)));
            assertThat(db.process()).as("compute servers may outlive it").isGreaterThan(given + 9);
            assertThat(db.tableNames()).containsExactly("first", "second");
            Map<Long, Long> rows = rows(db, "first");
            assertThat(rows).hasSize(49 + round).containsEntry(10L, 2L).containsEntry(49L, 1L);
            rows = rows(db, "second");
            assertThat(rows).hasSize(600).containsEntry(5L, 4L).containsEntry(599L, 3L);
            assertThat(db.findIndex("second_a")).isNotNull();
            assertThat(reports).hasSize(round + 1);
            assertThat(reports.getLast().rows()).isEqualTo(649 + round);
            try (Session session = db.session()) {
                put(session, db.table("first"), 1000 + round, 1001 + round, 9);
            }
        }
    }

    /// The recovery has no way to other compute servers, and there are none.
    @Test
    void cachedTablesAreRecovered() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        Table items = table(db, "items");
        try (Session session = db.session()) {
            put(session, items, 0, 50, 1);
        }
        Table _ = db.redefine("items", items.definition().copy("items").cached(true).build());
        db = restart(SimDisk::killed);
        assertThat(rows(db, "items")).hasSize(50);
        assertThat(db.table("items").isCached()).isTrue();
    }

    /// A round of many sessions, whose disks are copied in the middle.
    @Test
    void acknowledgedTransfersSurviveCrashesAndSumsHold() throws Exception {
        System.out.println("-Dnamdb.seed=" + SEED);
        int accounts = 40;
        for (int round = 0; round < ROUNDS; round++) {
            SplittableRandom random = new SplittableRandom(SEED + round);
            disks = Stream.generate(SimDisk::new).limit(SERVERS).toList();
            NamDb db = start(RegionLayout.KEPT_SYNC);
            Table table = table(db, "accounts");
            try (Session session = db.session()) {
                put(session, table, 0, accounts, 100);
            }
            Table _ = table(db, "log");
            NamDb other = attach();
            Map<Long, Boolean> acknowledged = new ConcurrentHashMap<>();
            AtomicBoolean isDone = new AtomicBoolean();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads =
                    startTransfers(
                            List.of(db, other), random, accounts, acknowledged, isDone, failure);
            Thread.sleep(random.nextInt(100, 600));
            List<SimDisk> left = new ArrayList<>();
            List<Long> before = List.copyOf(acknowledged.keySet());
            List<Integer> order = new ArrayList<>(IntStream.range(0, SERVERS).boxed().toList());
            Collections.shuffle(order, new Random(random.nextLong()));
            SimDisk[] copies = new SimDisk[SERVERS];
            for (int server : order) {
                copies[server] =
                        round % 2 == 0
                                ? disks.get(server).killed()
                                : disks.get(server).crashed(random.split());
            }
            left.addAll(List.of(copies));
            isDone.set(true);
            for (Thread each : threads) {
                each.join();
            }
            assertThat(failure.get()).isNull();
            end();
            disks = left;
            NamDb again = start(RegionLayout.KEPT_SYNC);
            Map<Long, Long> balances = rows(again, "accounts");
            assertThat(balances).hasSize(accounts);
            Map<Long, Long> entries = rows(again, "log");
            assertThat(entries.keySet()).as("acknowledged").containsAll(before);
            requireSame(balances, entries, accounts);
            end();
        }
    }

    private static List<Thread> startTransfers(
            List<NamDb> by,
            SplittableRandom random,
            int accounts,
            Map<Long, Boolean> acknowledged,
            AtomicBoolean isDone,
            AtomicReference<Throwable> failure) {
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            NamDb db = by.get(thread % by.size());
            long seed = random.nextLong();
            long number = thread;
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Session session = db.session()) {
                                    transfers(
                                            db,
                                            session,
                                            number,
                                            seed,
                                            accounts,
                                            acknowledged,
                                            isDone);
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            }));
        }
        return threads;
    }

    /// Disks are copied while checkpoints replace the journals, and tables are made and dropped.
    @Test
    void checkpointsReplaceTheJournalsWhileTransactionsRun() throws Exception {
        System.out.println("-Dnamdb.seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        int accounts = 40;
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "accounts"), 0, accounts, 100);
        }
        Table _ = table(db, "log");
        NamDb other = attach();
        Map<Long, Boolean> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean isDone = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads =
                startTransfers(List.of(db, other), random, accounts, acknowledged, isDone, failure);
        List<List<SimDisk>> copies = new ArrayList<>();
        List<List<Long>> known = new ArrayList<>();
        int made = 0;
        while (checkpoints() < 3 || copies.size() < 4) {
            Thread.sleep(random.nextInt(50, 250));
            if (random.nextBoolean()) {
                Table dropped = table(db, "short" + made++);
                try (Session session = db.session()) {
                    put(session, dropped, 0, 20, 1);
                }
                if (random.nextBoolean()) {
                    db.dropTable(dropped.name());
                }
            }
            if (checkpoints() > 0 && random.nextInt(4) == 0) {
                known.add(List.copyOf(acknowledged.keySet()));
                copies.add(copyAll(random));
            }
            assertThat(failure.get()).isNull();
        }
        isDone.set(true);
        for (Thread each : threads) {
            each.join();
        }
        assertThat(failure.get()).isNull();
        known.add(List.copyOf(acknowledged.keySet()));
        copies.add(copyAll(random));
        assertThat(disks).allSatisfy(disk -> assertThat(firstSegment(disk)).isGreaterThan(1));
        end();
        int first = Math.max(0, copies.size() - 3);
        for (int times = 0; times < 2 * (copies.size() - first); times++) {
            int copy = first + times / 2;
            disks = new ArrayList<>(copies.get(copy).stream().map(SimDisk::killed).toList());
            if (times % 2 == 1) {
                disks.set(times / 2 % SERVERS, new SimDisk()); // any disk may be lost
            }
            NamDb again = start(RegionLayout.KEPT_SYNC);
            assertThat(reports.getLast().checkpointBytes()).isPositive();
            Map<Long, Long> balances = rows(again, "accounts");
            Map<Long, Long> entries = rows(again, "log");
            assertThat(entries.keySet()).as("acknowledged").containsAll(known.get(copy));
            requireSame(balances, entries, accounts);
            for (String name : again.tableNames()) {
                assertThat(name.startsWith("short") ? rows(again, name).size() % 20 : 0).isZero();
            }
            end();
        }
    }

    /// A compute server that is silent for a minute is declared dead, and a force may take longer.
    @Test
    void bothDisksOfACheckpointAreForcedAtTheSameTime() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch polled = new CountDownLatch(3);
        AtomicBoolean isFirstForced = new AtomicBoolean();
        AtomicReference<String> failure = new AtomicReference<>();
        opened =
                (server, disk) ->
                        new HookedDisk(
                                disk,
                                () -> {
                                    begun.countDown();
                                    await(begun, "the other disk is not forced", failure);
                                    if (server == 0) {
                                        isFirstForced.set(true);
                                    } else {
                                        await(polled, "server 0 hears nothing", failure);
                                    }
                                });
        asked =
                request -> {
                    if (isFirstForced.get() && request.get() == FORCED) {
                        polled.countDown();
                    }
                };
        NamDb db = start(RegionLayout.KEPT_SYNC);
        Table _ = table(db, "t");
        commit(db, this::areReplaced);
        assertThat(failure.get()).isNull();
    }

    /// Neither a compute server that ends waits for a force, nor one that begins the next
    /// checkpoint, nor a memory server that ends.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowDiskOfACheckpointHoldsNoneUp(boolean isComputeServerFirst) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        AtomicReference<String> failure = new AtomicReference<>();
        opened =
                (server, disk) ->
                        new HookedDisk(
                                disk,
                                () -> {
                                    begun.countDown();
                                    await(released, "the disk was waited for", failure);
                                });
        NamDb db = start(RegionLayout.KEPT_SYNC);
        Table _ = table(db, "t");
        commit(db, () -> begun.getCount() == 0);
        if (isComputeServerFirst) {
            db.close();
        }
        try (QueuePair queuePair = fabric.connect(regions)) {
            new JournalClient(queuePair, 1, 1).beginSecond(9);
            assertThat(new JournalClient(queuePair, 1).look().begun()).isOne();
        }
        for (MemoryJournal each : journals) {
            each.close();
        }
        released.countDown();
        assertThat(failure.get()).isNull();
        open.removeAll(journals);
    }

    /// ```
    /// a compute server                           another one
    /// chooses a cut: snapshot 10, with table u
    ///                                            drops u: no commit, so there is no snapshot 11
    ///                                            its cut, 10 without u, is on all disks
    /// its cut, 10 with u, comes behind
    /// ```
    @Test
    void aLateCutBringsNoDroppedTableBack() throws Exception {
        NamDb other = start(RegionLayout.KEPT_SYNC);
        LateCuts late = new LateCuts(fabric);
        NamDb db = NamDb.attached(OPTIONS, late, regions);
        open.add(db);
        Table table = table(db, "t");
        Table _ = table(db, "u");
        try (Session session = db.session()) {
            put(session, table, 0, 1, 1); // when it is on all disks, so is the schema
            assertThat(other.tableNames()).contains("u");
            late.isLate = true;
            Thread committer = Thread.ofPlatform().start(() -> put(session, table, 1, 2, 1));
            assertThat(late.chosen.await(20, TimeUnit.SECONDS)).isTrue();
            Thread drop = Thread.ofPlatform().start(() -> other.dropTable("u"));
            boolean _ = drop.join(Duration.ofSeconds(2)); // it waits, or is on all disks
            late.released.countDown();
            committer.join();
            drop.join();
        }
        List<SimDisk> left = disks.stream().map(SimDisk::killed).toList();
        end();
        disks = left;
        NamDb again = start(RegionLayout.KEPT_SYNC);
        assertThat(again.tableNames()).containsExactly("t");
        assertThat(rows(again, "t")).hasSize(2);
    }

    /// Requests a cut long after it was chosen, once.
    private static final class LateCuts extends ForwardingFabric {
        private volatile boolean isLate;
        private final CountDownLatch chosen = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        LateCuts(Fabric actual) {
            super(actual);
        }

        @Override
        public QueuePair connect(List<Region> all) {
            return new ForwardingQueuePair(actual.connect(all)) {
                @Override
                protected long postRequest(int server, long source, int bytes, int replyBytes) {
                    if (isLate && Thread.currentThread().getName().equals("namdb-cuts")) {
                        isLate = false;
                        chosen.countDown();
                        KeptClusterTest.await(
                                released, "it is late for ever", new AtomicReference<>());
                    }
                    return super.postRequest(server, source, bytes, replyBytes);
                }
            };
        }

        @Override
        public void close() {
            // It is the others', too.
        }
    }

    private static void await(
            CountDownLatch latch, String otherwise, AtomicReference<String> failure) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                failure.set(otherwise);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The number of the last checkpoint, complete or not.
    private int checkpoints() {
        return disks.getFirst().list().stream()
                .filter(name -> name.contains("checkpoint-"))
                .mapToInt(name -> Integer.parseInt(name.substring(name.length() - 8)))
                .max()
                .orElse(0);
    }

    private static int firstSegment(SimDisk disk) {
        return disk.list().stream()
                .filter(name -> name.contains("journal-"))
                .mapToInt(name -> Integer.parseInt(name.substring(name.length() - 8)))
                .min()
                .orElseThrow();
    }

    /// As if all had died: that of server 0 first, which completes a checkpoint before any removes
    /// what it replaces. While these are copied, none does: in a process that has died none does.
    private List<SimDisk> copyAll(SplittableRandom random) {
        while (true) {
            List<Integer> before = disks.stream().map(KeptClusterTest::firstSegment).toList();
            List<SimDisk> copies = new ArrayList<>();
            for (SimDisk each : disks) {
                copies.add(random.nextBoolean() ? each.killed() : each.crashed(random.split()));
            }
            if (before.equals(disks.stream().map(KeptClusterTest::firstSegment).toList())) {
                return copies;
            }
        }
    }

    /// Moves 1, and writes down from where to where. An account's value is 100 and all that was
    /// written down.
    private static void transfers(
            NamDb db,
            Session session,
            long thread,
            long seed,
            int accounts,
            Map<Long, Boolean> acknowledged,
            AtomicBoolean isDone) {
        SplittableRandom random = new SplittableRandom(seed);
        Table table = db.table("accounts");
        Table log = db.table("log");
        for (long next = 0; next < MAX_TRANSFERS && !isDone.get(); next++) {
            long from = random.nextLong(accounts);
            long to = (from + 1 + random.nextLong(accounts - 1)) % accounts;
            long id = thread << 32 | next;
            try {
                session.transact(tx -> {
                    Row source = Objects.requireNonNull(tx.read(table, table.newKey().set(from)));
                    Row target = Objects.requireNonNull(tx.read(table, table.newKey().set(to)));
                    source.setInt64(table.column("a"), source.int64(table.column("a")) - 1);
                    target.setInt64(table.column("a"), target.int64(table.column("a")) + 1);
                    tx.insert(log, log.newKey().set(id)).setInt64(log.column("a"), from << 16 | to);
                    return null;
                });
                acknowledged.put(id, true);
            } catch (TransactionException e) {
                // A conflict too many.
            }
        }
    }

    private static void requireSame(
            Map<Long, Long> balances, Map<Long, Long> entries, int accounts) {
        long[] expected = new long[accounts];
        Arrays.fill(expected, 100);
        for (long entry : entries.values()) {
            expected[(int) (entry >>> 16)]--;
            expected[(int) (entry & 0xffff)]++;
        }
        for (int account = 0; account < accounts; account++) {
            assertThat(balances.get((long) account))
                    .as("account %d", account)
                    .isEqualTo(expected[account]);
        }
    }

    /// The disks are copied at each step of a recovery, and it is tried with the copies.
    ///
    /// @param lost the disk that was lost before; -1 for none
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void aRecoveryThatDiesIsBegunAgain(int lost) throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 2000, 1);
        }
        List<SimDisk> left = new ArrayList<>(disks.stream().map(SimDisk::killed).toList());
        end();
        List<List<SimDisk>> copies = new ArrayList<>();
        if (lost >= 0) {
            left.set(lost, new SimDisk());
        }
        disks = left;
        seen = () -> copies.add(disks.stream().map(SimDisk::killed).toList());
        NamDb again = start(RegionLayout.KEPT_SYNC);
        seen = () -> {};
        assertThat(rows(again, "t")).hasSize(2000);
        copies.add(disks.stream().map(SimDisk::killed).toList());
        end();
        assertThat(copies).hasSizeGreaterThan(3);
        SplittableRandom random = new SplittableRandom(SEED);
        for (int tries = 0; tries < 4; tries++) {
            disks =
                    tries == 0
                            ? copies.get(copies.size() - 2)
                            : copies.get(random.nextInt(copies.size()));
            NamDb recovered = start(RegionLayout.KEPT_SYNC);
            assertThat(rows(recovered, "t")).hasSize(2000);
            assertThat(recovered.findIndex("t_a")).isNotNull();
            end();
        }
    }

    /// Each image is on two disks.
    @Test
    void anyDiskCanBeLost() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        Table table = table(db, "t");
        List<Thread> threads = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int thread = 0; thread < 6; thread++) { // slots of all servers
            long from = 1000L * thread;
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Session session = db.session()) {
                                    for (long id = from; id < from + 50; id += 5) {
                                        put(session, table, id, id + 5, 1);
                                        put(session, table, id, id + 1, id);
                                    }
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            }));
        }
        for (Thread each : threads) {
            each.join();
        }
        assertThat(failure.get()).isNull();
        Map<Long, Long> before = rows(db, "t");
        assertThat(before).hasSize(300);
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        for (int lost = 0; lost < SERVERS; lost++) {
            List<SimDisk> left = new ArrayList<>(whole.stream().map(SimDisk::killed).toList());
            left.set(lost, new SimDisk());
            disks = left;
            NamDb again = start(RegionLayout.KEPT_SYNC);
            assertThat(rows(again, "t")).as("without disk %d", lost).isEqualTo(before);
            NamDb later = restart(SimDisk::killed);
            assertThat(rows(later, "t")).as("on new disk %d", lost).isEqualTo(before);
            end();
        }
    }

    /// One directory is newer than the others, and these are older copies. Nothing is lost
    /// silently: neither what was committed since, nor what the newer one has alone.
    ///
    /// @param commits what followed the recovery: nothing, a commit, or a checkpoint, too
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9})
    void directoriesOfDifferentTimesAreRefused(int commits) throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        List<SimDisk> old = disks.stream().map(SimDisk::killed).toList();
        try (Session session = db.session()) {
            put(session, db.table("t"), 10, 20, 1);
        }
        List<List<SimDisk>> copies = new ArrayList<>();
        ended = () -> copies.add(disks.stream().map(SimDisk::killed).toList());
        NamDb later = restart(SimDisk::killed);
        ended = () -> {};
        if (commits > 0) {
            commit(later, () -> commits == 1 || areReplaced());
            copies.add(disks.stream().map(SimDisk::killed).toList());
        }
        end();
        for (int server = 0; server < SERVERS; server++) {
            disks = mixed(old, copies.getLast(), server);
            List<List<String>> before = disks.stream().map(SimDisk::list).toList();
            assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                    .isInstanceOf(JournalException.class)
                    .hasMessage(
                            "the data directory of memory server %d, disk %<d, has commits of generation 2, and the data directory of memory server %d, disk %<d, has none: the database would be recovered to generation 1, without them. Give each memory server the directory that it has written last"
                                    .formatted(server, server == 0 ? 1 : 0));
            assertThat(disks.stream().map(SimDisk::list).toList()).isEqualTo(before);
            end();
            disks = mixed(copies.getLast(), old, server); // two have all that was committed
            assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(commits > 0 ? 30 : 20);
            end();
            disks = mixed(old, Stream.generate(SimDisk::new).limit(SERVERS).toList(), server);
            assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
            end();
        }
    }

    /// ```
    /// the first recovery      has begun 2 on all, dies: memory server 1 alone has its cut
    /// the next one            takes generation 1; has 0 begin generation 3, which removes 2; dies
    /// ```
    @Test
    void aRecoveryAfterTwoThatHaveDiedIsNotRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        List<SimDisk> first = disks.stream().map(SimDisk::killed).toList();
        List<List<SimDisk>> steps = new ArrayList<>();
        seen = () -> steps.add(disks.stream().map(SimDisk::killed).toList());
        ended = seen;
        NamDb _ = restart(SimDisk::killed);
        seen = () -> {};
        ended = seen;
        end();
        SimDisk one = first.get(1).killed();
        SimDisk complete = steps.getLast().get(1);
        for (String name : complete.list()) {
            try (DiskFile from = complete.open(name);
                    DiskFile into = one.open(name)) {
                ByteBuffer bytes = ByteBuffer.allocate((int) from.size());
                int _ = from.read(0, bytes);
                into.write(0, bytes.flip());
            }
        }
        SimDisk zero = first.getFirst().killed();
        zero.open("g00000003-journal-00000001").write(0, ByteBuffer.allocate(SEGMENT_BYTES));
        disks = List.of(zero, one, steps.get(steps.size() - 2).get(2));
        assertThat(disks.get(1).list()).anyMatch(name -> name.startsWith("g00000002-"));
        assertThat(disks.get(2).list()).anyMatch(name -> name.startsWith("g00000002-"));
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
    }

    /// By sessions whose images go to all memory servers.
    ///
    /// @param isEnough ends that
    private static void commit(NamDb db, BooleanSupplier isEnough) {
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
    private boolean areReplaced() {
        return disks.stream().noneMatch(disk -> firstSegment(disk) == 1);
    }

    /// All of the first, but one of the others.
    private static List<SimDisk> mixed(List<SimDisk> most, List<SimDisk> others, int server) {
        List<SimDisk> mixed = new ArrayList<>(most);
        mixed.set(server, others.get(server));
        return mixed.stream().map(SimDisk::killed).toList();
    }

    /// Slots belong to servers by how many these are: without one, other journals would be merged.
    @Test
    void aRecoveryBeginsWithAllMemoryServersOnly() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 100, 1);
        }
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        disks = whole;
        reached = all -> all.subList(0, SERVERS - 1);
        List<List<String>> before = disks.stream().map(SimDisk::list).toList();
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(FabricException.class)
                .hasMessage("2 of 3 memory servers can be reached");
        assertThat(disks.stream().map(SimDisk::list).toList()).isEqualTo(before);
        end();
        reached = all -> all;
        disks = whole.stream().map(SimDisk::killed).toList();
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(100);
    }

    /// Memory server 0 begins once more where another one is not as it was, or not yet.
    @Test
    void aRecoveryFindsAMemoryServerThatHasAnotherLife() {
        NamDb _ = start(RegionLayout.KEPT_SYNC);
        assertThatThrownBy(() -> ClusterRecovery.run(OPTIONS, fabric, regions, SERVERS, progress))
                .isInstanceOf(FabricException.class)
                .hasMessage("memory server 0 has not begun once more yet");
        try (QueuePair queuePair = fabric.connect(regions)) {
            JournalClient client = new JournalClient(queuePair, 1);
            assertThatThrownBy(() -> client.begin(2, 1, 7))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memory server 1 has begun already");
            assertThatThrownBy(() -> client.generation(9).open("journal-00000001").size())
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memory server 1 has no file g00000009-journal-00000001");
        }
    }

    /// A late request ends no life but the one that it is about.
    @Test
    void aMemoryServerIsRequestedToBeginOnceMore() {
        NamDb _ = start(RegionLayout.KEPT_SYNC);
        try (QueuePair queuePair = fabric.connect(regions)) {
            JournalClient client = new JournalClient(queuePair, 1);
            assertThat(client.look().begun()).isEqualTo(1);
            client.end(0);
            client.end(2);
            assertThat(journals.get(1).isOver()).isFalse();
            client.end(1);
            assertThat(journals.get(1).isOver()).isTrue();
            assertThat(journals.get(0).isOver()).isFalse();
        }
    }

    /// A compute server takes it of the memory before, and memory server 1 has been started again.
    @Test
    void aCutOfAnotherLifeIsRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        byte[] late = new Cut(9_999, 0, 7, new long[] {1}, null).encode();
        for (int life = 1; life < 3; life++) {
            int generation = life;
            reached =
                    all -> {
                        requireRefused(all, generation, late); // nothing is begun yet
                        return all;
                    };
            NamDb again = restart(SimDisk::killed);
            requireRefused(regions, generation, late);
            assertThat(rows(again, "t")).hasSize(9 + life);
            try (Session later = again.session()) {
                put(later, again.table("t"), 10L * life, 10L * life + 1, 1);
            }
        }
    }

    private void requireRefused(List<Region> all, int generation, byte[] late) {
        try (QueuePair queuePair = fabric.connect(all)) {
            JournalClient client = new JournalClient(queuePair, 1, generation);
            assertThatThrownBy(() -> client.cut(late))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("takes no cut");
            assertThat(client.beginCheckpoint()).isZero();
            assertThatThrownBy(() -> client.dropBefore(0, 2)).isInstanceOf(FabricException.class);
        }
    }

    @Test
    void directoriesThatDontBelongTogetherAreRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        SimDisk used = disks.get(0);
        assertThatThrownBy(() -> journal(0, used, SERVERS)).hasMessageContaining("in use");
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        open.add(fabric);
        Region _ = fabric.register(1, SERVER_BYTES);
        disks = whole.stream().map(SimDisk::killed).toList();
        assertThatThrownBy(() -> journal(1, disks.get(0), SERVERS))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("memory server 0 of 3, and this is server 1 of 3");
        end();
        disks = List.of(whole.get(0).killed(), new SimDisk(), new SimDisk());
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining(
                        "are not all there: look at the data directory of memory server 0");
        end();
        disks = Stream.generate(SimDisk::new).limit(SERVERS).toList();
        NamDb other = start(RegionLayout.KEPT_SYNC);
        assertThat(other.tableNames()).isEmpty();
        List<SimDisk> others = disks.stream().map(SimDisk::killed).toList();
        end();
        disks = List.of(whole.get(0).killed(), others.get(1), whole.get(2).killed());
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("is of another database than");
        end();
        disks = whole;
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
    }
}
