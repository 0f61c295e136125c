package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.compute.DurableDatabases.id;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;

/// The machine crashes at random moments while threads transfer money. Each transfer leaves a row.
/// Whatever was acknowledged before the crash is there afterwards, and so is whatever a read has
/// shown; each transfer is there as a whole, once, or not at all.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashTest {
    private static final int ACCOUNTS = 20;
    private static final long FIRST_BALANCE = 1_000;
    private static final int THREADS = 4;

    /// So many a thread makes at the most, however slow others are: memory has space for them.
    private static final int MAX_TRANSFERS = 50_000;

    /// Of one disk; more would take too much memory.
    private static final int CRASHES = 25;

    /// `-Dnamdb.rounds=N`: so often, each time with a new disk.
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 1);

    private final long seed = Long.getLong("namdb.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private SimDisk disk = new SimDisk();
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isOver = new AtomicBoolean();

    CrashTest() {
        System.out.println("-Dnamdb.seed=" + seed);
    }

    /// A disk after a crash, and what had been acknowledged before.
    private record Crash(SimDisk disk, Set<Long> acknowledged) {}

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, 100_000})
    void whatWasAcknowledgedIsThere(long checkpointBytes) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            disk = new SimDisk();
            acknowledged.clear();
            isOver.set(false);
            crash(checkpointBytes);
        }
    }

    private void crash(long checkpointBytes) throws InterruptedException {
        JournalOptions journal =
                DurableDatabases.journal(disk)
                        .withBytes(DurableDatabases.SEGMENT_BYTES, checkpointBytes);
        List<Crash> crashes = crashes(journal, CRASHES);
        if (checkpointBytes < Long.MAX_VALUE) {
            assertThat(disk.list()).as("a checkpoint").anyMatch(name -> name.startsWith("check"));
        }
        for (Crash crash : crashes) {
            require(crash, journal, 2);
        }
    }

    /// Some may be missing then, but none that others have built on.
    @Test
    void withoutWaitingForTheDiskWhatIsLeftIsConsistent() throws InterruptedException {
        JournalOptions journal =
                DurableDatabases.journal(disk)
                        .withBytes(DurableDatabases.SEGMENT_BYTES, 100_000)
                        .withDurability(Durability.ASYNC);
        for (Crash crash : crashes(journal, 10)) {
            require(new Crash(crash.disk, Set.of()), journal, 1);
        }
    }

    private List<Crash> crashes(JournalOptions journal, int count) throws InterruptedException {
        List<Crash> crashes = new ArrayList<>();
        try (NamDb db = DurableDatabases.open(journal)) {
            make(db);
            List<Thread> threads = new ArrayList<>();
            for (int number = 1; number <= THREADS; number++) {
                int thread = number;
                threads.add(Thread.ofPlatform().start(() -> untilOver(() -> transfer(db, thread))));
            }
            threads.add(Thread.ofPlatform().start(() -> untilOver(() -> readSeen(db))));
            while (crashes.size() < count && failures.isEmpty()) {
                Thread.sleep(random.nextInt(60)); // a random moment
                awaitUnlessFailed(() -> acknowledged.size() > crashes.size());
                Set<Long> before = new HashSet<>(acknowledged);
                crashes.add(new Crash(disk.crashed(random), before));
            }
            if (journal.checkpointBytes() < Long.MAX_VALUE) {
                awaitUnlessFailed(() -> !disk.list().contains("journal-00000001"));
            }
            isOver.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(failures).isEmpty();
        assertThat(crashes.getLast().acknowledged).hasSizeGreaterThanOrEqualTo(count);
        crashes.add(new Crash(disk, new HashSet<>(acknowledged)));
        return crashes;
    }

    private void awaitUnlessFailed(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean() && failures.isEmpty()) {
            Thread.sleep(1); // the test's limit ends it
        }
    }

    private void untilOver(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    private static void make(NamDb db) {
        Table accounts =
                db.createTable(
                        TableDefinition.named("accounts")
                                .column("id", ColumnType.INT64)
                                .column("balance", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(ACCOUNTS)
                                .build());
        db.createTable(
                TableDefinition.named("transfers")
                        .column("id", ColumnType.INT64)
                        .column("source", ColumnType.INT64)
                        .column("target", ColumnType.INT64)
                        .column("amount", ColumnType.INT64)
                        .primaryKey("id")
                        .expectedRows(10_000)
                        .build());
        db.createIndex(IndexDefinition.ordered("by_source", "transfers", "source"));
        db.transact(tx -> {
            for (int i = 0; i < ACCOUNTS; i++) {
                tx.insert(accounts, id(accounts, i))
                        .setInt64(accounts.column("balance"), FIRST_BALANCE);
            }
            return null;
        });
    }

    private void transfer(NamDb db, int thread) {
        SplittableRandom own = new SplittableRandom(seed + thread);
        Table accounts = db.table("accounts");
        Table transfers = db.table("transfers");
        try (Session session = db.session()) {
            for (long number = 1; number <= MAX_TRANSFERS && !isOver.get(); number++) {
                long id = (long) thread << 32 | number;
                long source = own.nextInt(ACCOUNTS);
                long target = (source + 1 + own.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                long amount = own.nextInt(100);
                session.transact(tx -> {
                    change(tx, accounts, source, -amount);
                    change(tx, accounts, target, amount);
                    return tx.insert(transfers, id(transfers, id))
                            .setInt64(transfers.column("source"), source)
                            .setInt64(transfers.column("target"), target)
                            .setInt64(transfers.column("amount"), amount);
                });
                acknowledged.add(id);
            }
        }
    }

    private static void change(Transaction tx, Table accounts, long account, long by) {
        Row row = tx.read(accounts, id(accounts, account));
        row.setInt64(accounts.column("balance"), row.int64(accounts.column("balance")) + by);
    }

    /// What a session has read is as good as acknowledged.
    private void readSeen(NamDb db) {
        Table transfers = db.table("transfers");
        try (Session session = db.session()) {
            boolean isOpened = false;
            while (!isOver.get()) {
                isOpened = !isOpened;
                List<Long> seen = new ArrayList<>();
                if (isOpened) {
                    ids(session.begin(), transfers, seen);
                } else {
                    session.transact(tx -> {
                        seen.clear();
                        ids(tx, transfers, seen);
                        return null;
                    });
                }
                acknowledged.addAll(seen);
                if (isOpened) {
                    session.rollback();
                }
            }
        }
    }

    private static void ids(Transaction tx, Table table, List<Long> into) {
        TableScan scan = tx.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            into.add(row.keyWord(0) ^ Long.MIN_VALUE);
        }
    }

    /// Restarts it so often, crashing again in between.
    private void require(Crash crash, JournalOptions journal, int restarts) {
        SimDisk left = crash.disk;
        for (int restart = 0; restart < restarts; restart++) {
            SimDisk used = left;
            try (NamDb db = DurableDatabases.open(journal.on(() -> used, "the disk"))) {
                if (db.findTable("transfers") == null || db.table("accounts") == null) {
                    assertThat(crash.acknowledged).isEmpty();
                } else {
                    require(db, crash.acknowledged);
                }
                left = used.crashed(random);
            }
        }
    }

    private static void require(NamDb db, Set<Long> acknowledged) {
        Table accounts = db.table("accounts");
        Table transfers = db.table("transfers");
        Map<Long, Long> balances = new HashMap<>();
        Map<Long, Long> expected = new HashMap<>();
        Set<Long> made = new HashSet<>();
        db.transact(tx -> {
            TableScan scan = tx.scan(accounts, accounts.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                long id = row.keyWord(0) ^ Long.MIN_VALUE;
                balances.put(id, row.int64(accounts.column("balance")));
                expected.put(id, FIRST_BALANCE);
            }
            scan = tx.scan(transfers, transfers.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                made.add(row.keyWord(0) ^ Long.MIN_VALUE);
                long amount = row.int64(transfers.column("amount"));
                expected.merge(row.int64(transfers.column("source")), -amount, Long::sum);
                expected.merge(row.int64(transfers.column("target")), amount, Long::sum);
            }
            return null;
        });
        Set<Long> lost = new HashSet<>(acknowledged);
        lost.removeAll(made);
        assertThat(lost).as("lost").isEmpty();
        assertThat(balances).isEqualTo(expected);
    }
}
