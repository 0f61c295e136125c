package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.MemoryJournal;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.server.RegionLayout;
import org.namdb.simulated.SimDisk;

/// Memory servers with data directories: after all of them have ended, in whatever way, the
/// database is recovered, with all that was acknowledged; so it is while checkpoints are written.
/// `-Dnamdb.rounds=N`: N rounds of transfers, in place of two; every other one ends in a crash.
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeptClusterTest extends KeptClusterFixture {
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 2);

    /// The first byte of a request whether a checkpoint's file is forced.
    private static final byte FORCED = 12;

    /// So many a thread makes at the most, however slow others are: memory has space for them.
    private static final int MAX_TRANSFERS = 10_000;

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
        requested =
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
            assertThat(new JournalClient(queuePair, 1).contents().begun()).isOne();
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
        NamDb db = AttachedDatabase.open(OPTIONS, late, regions);
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

    /// As if all had died: that of server 0 first, which completes a checkpoint before any removes
    /// what it replaces. While these are copied, none does: in a process that has died none does.
    private List<SimDisk> copyAll(SplittableRandom random) {
        while (true) {
            List<Integer> before = disks.stream().map(KeptClusterFixture::firstSegment).toList();
            List<SimDisk> copies = new ArrayList<>();
            for (SimDisk each : disks) {
                copies.add(random.nextBoolean() ? each.killed() : each.crashed(random.split()));
            }
            if (before.equals(disks.stream().map(KeptClusterFixture::firstSegment).toList())) {
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
}
