package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.simulated.SimDisk;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.schema.TpccSchema;

/// TPC-C on a database with a data directory, whose process is killed, or whose machine crashes, at
/// random moments. Afterwards the twelve conditions hold, and what was acknowledged is there, once.
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledTpccTest {
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 3);
    private static final int CRASHES_A_ROUND = 2;
    private static final int MAX_WORK_MILLIS = 400;
    private static final int MAX_TOLD = 500;

    private final long seed = Long.getLong("namdb.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @TempDir private Path directory;

    KilledTpccTest() {
        System.out.println("-Dnamdb.seed=" + seed);
    }

    /// How many rows of what terminals insert there are.
    private record Rows(long orders, long payments) {
        static Rows of(NamDb db) {
            TpccSchema schema = TpccSchema.open(db, TpccTerminals.SCALE);
            return db.transact(tx ->
                    new Rows(count(tx, schema.orders.table), count(tx, schema.histories.table)));
        }

        private static long count(Transaction tx, Table table) {
            TableScan scan = tx.scan(table, table.schema().all());
            long count = 0;
            while (scan.next() != null) {
                count++;
            }
            return count;
        }
    }

    /// Each process recovers from what the one before it has left. Each time, a copy of that is
    /// looked at, too.
    @Test
    void whatAKilledProcessHasAcknowledgedIsThere() throws Exception {
        Path data = directory.resolve("data");
        Rows loaded;
        try (NamDb db = NamDb.embedded(TpccTerminals.kept(JournalOptions.in(data)))) {
            TpccTerminals.load(db);
            loaded = Rows.of(db);
        }
        List<Acknowledged> acknowledged = new ArrayList<>();
        try (Programs programs = new Programs(directory)) {
            for (int round = 1; round <= ROUNDS; round++) {
                RunningTerminals terminals =
                        new RunningTerminals(
                                programs.start(
                                        List.of(),
                                        "terminals-" + round,
                                        TpccTerminals.class,
                                        data.toString(),
                                        Long.toString(random.nextLong())));
                terminals.begin();
                terminals.awaitWork();
                Thread.sleep(random.nextInt(MAX_WORK_MILLIS)); // a random moment
                terminals.kill();
                assertThat(terminals.failures()).isEmpty();
                acknowledged.add(terminals.acknowledged());
                try (NamDb db = NamDb.embedded(TpccTerminals.kept(JournalOptions.in(copy(data))))) {
                    require(db, loaded, acknowledged, round);
                }
            }
        }
        assertThat(acknowledged).anyMatch(each -> each.orders() > 0);
    }

    private Path copy(Path data) throws IOException {
        Path copy = directory.resolve("copy");
        Files.createDirectories(copy);
        try (Stream<Path> files = Files.list(copy)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName().toString()));
            }
        }
        return copy;
    }

    /// The disk loses at random what was not forced.
    @Test
    void whatWasAcknowledgedBeforeACrashIsThere() throws InterruptedException {
        for (int round = 1; round <= ROUNDS; round++) {
            SimDisk disk = new SimDisk();
            JournalOptions journal = JournalOptions.in(directory).on(() -> disk, "the disk");
            List<SimDisk> crashed = new ArrayList<>();
            List<Acknowledged> before = new ArrayList<>();
            Rows loaded;
            try (NamDb db = NamDb.embedded(TpccTerminals.kept(journal))) {
                TpccTerminals.load(db);
                loaded = Rows.of(db);
                Acknowledged acknowledged = new Acknowledged();
                Queue<String> failures = new ConcurrentLinkedQueue<>();
                Semaphore told = new Semaphore(0);
                TpccTerminals terminals =
                        new TpccTerminals(
                                db,
                                random.nextLong(),
                                0,
                                line -> {
                                    if (acknowledged.take(List.of(line.split(" ")))) {
                                        told.release();
                                    } else {
                                        failures.add(line);
                                        told.release(CRASHES_A_ROUND * MAX_TOLD); // it is over
                                    }
                                });
                terminals.start();
                for (int crash = 0; crash < CRASHES_A_ROUND; crash++) {
                    told.acquire(1 + random.nextInt(MAX_TOLD));
                    before.add(acknowledged.copy());
                    crashed.add(disk.crashed(random));
                }
                terminals.end();
                assertThat(failures).isEmpty();
                assertThat(acknowledged.orders()).isPositive();
            }
            for (int crash = 0; crash < CRASHES_A_ROUND; crash++) {
                SimDisk left = crashed.get(crash);
                try (NamDb db =
                        NamDb.embedded(
                                TpccTerminals.kept(journal.on(() -> left, "what is left")))) {
                    require(db, loaded, before.subList(crash, crash + 1), Integer.MAX_VALUE);
                }
            }
        }
    }

    /// @param lives how many processes may have made one transaction more in each of their threads
    private static void require(NamDb db, Rows loaded, List<Acknowledged> acknowledged, int lives) {
        TpccSchema schema = TpccSchema.open(db, TpccTerminals.SCALE);
        try (Session session = db.session()) {
            assertThat(new ConsistencyCheck(schema, TpccTerminals.SCALE).run(session, _ -> {}))
                    .hasSize(12)
                    .allMatch(ConditionResult::holds);
        }
        long orders = Acknowledged.require(db, acknowledged);
        Rows rows = Rows.of(db);
        long more = (long) lives * TpccTerminals.THREADS;
        long payments = acknowledged.stream().mapToLong(Acknowledged::payments).sum();
        assertThat(rows.orders() - loaded.orders()).isBetween(orders, orders + more);
        assertThat(rows.payments() - loaded.payments()).isBetween(payments, payments + more);
    }
}
