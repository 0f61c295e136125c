package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;

/// Clusters with data directories that end at any moment, also while they are recovered, and also
/// with the machines: afterwards all is there that was acknowledged, and each transaction is whole
/// or absent. `-Dnamdb.seed=N` runs that seed only, `-Dnamdb.seeds=N` as many.
@Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeptClusterRunTest {
    private static final int SEEDS = Integer.getInteger("namdb.seeds", 30);
    private static final int MAX_LIVES = 4;
    private static final int ACCOUNTS = 12;
    private static final long BALANCE = 100;

    /// Fills the journals.
    private static final String NOTE = "n".repeat(1_500);

    private static final int CLIENTS = 2;
    private static final int COMPUTE_SERVERS = 2;
    private static final long MAX_LIFE_NANOS = 200_000_000;

    /// A compute server looks twice a second whether a checkpoint is due.
    private static final long MAX_LONG_LIFE_NANOS = 2_500_000_000L;

    private static final int MAX_VERBS = 200_000;

    /// So that a checkpoint is written several times in a life, or never.
    private static final long SMALL_CHECKPOINT_BYTES = 1 << 17;

    @Test
    void allThatWasAcknowledgedIsThereAfterAnyDeath() {
        Long only = Long.getLong("namdb.seed");
        long first = only == null ? 1 : only;
        long last = only == null ? SEEDS : only;
        int acknowledged = 0;
        int inRecovery = 0;
        int checkpoints = 0;
        for (long seed = first; seed <= last; seed++) {
            Run run = Run.of(seed);
            acknowledged += run.acknowledged.size();
            inRecovery += run.deathsInRecovery;
            checkpoints += run.checkpoints;
        }
        System.out.printf(
                "%d seeds, %d transfers acknowledged, %d deaths in a recovery, %d with checkpoints%n",
                last - first + 1, acknowledged, inRecovery, checkpoints);
        if (only == null) {
            assertThat(acknowledged).isGreaterThan(SEEDS);
            assertThat(inRecovery).isGreaterThan(SEEDS / 10);
            assertThat(checkpoints).isGreaterThan(SEEDS / 10);
        }
    }

    /// One seed: lives that end too early, and a last one in which all is looked at.
    static final class Run {
        private final SplittableRandom random;
        private final int servers;
        private final long checkpointBytes;
        private List<SimDisk> disks;

        /// What clients were told, over all lives.
        private final Set<Long> acknowledged = new HashSet<>();

        private final Set<String> tables = new HashSet<>();
        private boolean isMade;

        /// Whether a disk was lost, and the database was not recovered since.
        private boolean isDiskNew;

        private int life;
        private int deathsInRecovery;
        private int checkpoints;
        private long readyNanos = 1;
        private final List<String> course = new ArrayList<>();

        /// @throws AssertionError if anything is lost, or not whole
        static Run of(long seed) {
            Run run = new Run(seed);
            try {
                run.run();
            } catch (Throwable e) {
                throw new AssertionError("-Dnamdb.seed=" + seed + ": " + run.course, e);
            }
            return run;
        }

        private Run(long seed) {
            random = new SplittableRandom(seed);
            servers = random.nextInt(2, 4);
            checkpointBytes = random.nextBoolean() ? SMALL_CHECKPOINT_BYTES : Long.MAX_VALUE;
            disks = Stream.generate(SimDisk::new).limit(servers).toList();
            course.add(
                    "%d memory servers, checkpoints %s"
                            .formatted(servers, checkpointBytes == Long.MAX_VALUE ? "off" : "on"));
        }

        private void run() {
            int lives = random.nextInt(1, MAX_LIVES + 1);
            for (life = 0; life < lives; life++) {
                try (KeptLife now = new KeptLife(random.nextLong(), disks, checkpointBytes)) {
                    live(now);
                }
            }
            try (KeptLife last = new KeptLife(random.nextLong(), disks, checkpointBytes)) {
                boolean[] isJudged = new boolean[1];
                last.start(operator ->
                        last.compute(
                                "judge",
                                db -> {
                                    judge(db);
                                    isJudged[0] = true;
                                    last.simulation().stop();
                                }));
                assertThat(last.run(KeptLife.timeoutNanos())).as("recovered in time").isTrue();
                assertThat(isJudged[0]).isTrue();
            }
        }

        /// A life that ends at any moment: of its recovery, too.
        private void live(KeptLife now) {
            boolean inRecovery = life > 0 && random.nextInt(3) == 0;
            long end = inRecovery ? random.nextLong(readyNanos) : KeptLife.timeoutNanos();
            boolean hasCheckpoints = checkpointBytes != Long.MAX_VALUE;
            long work = random.nextLong(hasCheckpoints ? MAX_LONG_LIFE_NANOS : MAX_LIFE_NANOS);
            boolean machinesToo = random.nextBoolean();
            now.start(operator -> {
                if (!isMade) {
                    SimHost _ =
                            now.compute(
                                    "maker",
                                    db -> {
                                        make(db);
                                        isMade = true;
                                        startClients(now, work);
                                        db.close();
                                    });
                } else {
                    startClients(now, work);
                }
            });
            boolean isEnded = now.run(end);
            assertThat(isEnded || inRecovery).as("is ready in time").isTrue();
            List<SimDisk> left = now.disksAfterDeath(random, machinesToo);
            checkpoints +=
                    left.stream()
                                    .flatMap(disk -> disk.list().stream())
                                    .anyMatch(name -> name.contains("checkpoint-"))
                            ? 1
                            : 0;
            if (now.recoveredNanos() < 0) {
                deathsInRecovery++;
            } else {
                readyNanos = Math.max(1, now.recoveredNanos());
            }
            isDiskNew &= now.recoveredNanos() < 0;
            int lost = !isDiskNew && random.nextInt(3) == 0 ? random.nextInt(servers) : -1;
            if (lost >= 0) {
                left.set(lost, new SimDisk());
                isDiskNew = true;
            }
            disks = left;
            course.add(
                    "life %d ended at %,d ns%s, %s, lost disk %d; %d acknowledged"
                            .formatted(
                                    life,
                                    now.simulation().nanoTime(),
                                    now.recoveredNanos() < 0 ? ", not recovered" : "",
                                    machinesToo ? "with the machines" : "by SIGKILL",
                                    lost,
                                    acknowledged.size()));
        }

        private void make(NamDb db) {
            db.tableNames().forEach(db::dropTable); // of a life that ended before all were there
            Table accounts =
                    db.createTable(
                            TableDefinition.named("accounts")
                                    .column("id", ColumnType.INT64)
                                    .column("balance", ColumnType.INT64)
                                    .primaryKey("id")
                                    .expectedRows(ACCOUNTS)
                                    .build());
            db.transact(tx -> {
                for (long id = 0; id < ACCOUNTS; id++) {
                    Row _ =
                            tx.insert(accounts, accounts.newKey().set(id))
                                    .setInt64(accounts.column("balance"), BALANCE);
                }
                return null;
            });
            Table _ =
                    db.createTable(
                            TableDefinition.named("transfers")
                                    .column("id", ColumnType.INT64)
                                    .column("source", ColumnType.INT64)
                                    .column("target", ColumnType.INT64)
                                    .column("note", ColumnType.varchar(NOTE.length()))
                                    .primaryKey("id")
                                    .expectedRows(ACCOUNTS)
                                    .build());
            Index _ = db.createIndex(IndexDefinition.ordered("sources", "transfers", "source"));
        }

        private void startClients(KeptLife now, long work) {
            Simulation simulation = now.simulation();
            simulation.at(simulation.nanoTime() + work, simulation::stop);
            for (int server = 0; server < COMPUTE_SERVERS; server++) {
                int number = server;
                long verbs = random.nextInt(2) == 0 ? random.nextLong(MAX_VERBS) : Long.MAX_VALUE;
                SimHost[] host = new SimHost[1];
                long[] seeds = random.longs(CLIENTS).toArray();
                host[0] =
                        now.compute(
                                "compute-" + server,
                                db -> {
                                    SimHost own = Objects.requireNonNull(host[0]);
                                    if (verbs != Long.MAX_VALUE) {
                                        own.crashAtVerb(own.verbs() + verbs);
                                    }
                                    for (int client = 0; client < CLIENTS; client++) {
                                        int id = (life * 10 + number) * 10 + client;
                                        long seed = seeds[client];
                                        Thread _ =
                                                own.start(
                                                        "client-" + id,
                                                        () -> transfer(db, id, seed));
                                    }
                                });
            }
        }

        /// One client, until the cluster ends.
        private void transfer(NamDb db, int client, long seed) {
            SplittableRandom own = new SplittableRandom(seed);
            try (Session session = db.session()) {
                for (int count = 0; ; count++) {
                    long id = client * 1_000_000L + count;
                    long source = own.nextLong(ACCOUNTS);
                    long target = (source + own.nextLong(1, ACCOUNTS)) % ACCOUNTS;
                    session.transact(tx -> {
                        move(tx, db.table("accounts"), source, -1);
                        move(tx, db.table("accounts"), target, 1);
                        Table transfers = db.table("transfers");
                        return tx.insert(transfers, transfers.newKey().set(id))
                                .setInt64(transfers.column("source"), source)
                                .setInt64(transfers.column("target"), target)
                                .setString(transfers.column("note"), NOTE);
                    });
                    acknowledged.add(id);
                    if (own.nextInt(40) == 0) {
                        String name = "made" + id;
                        Table _ =
                                db.createTable(
                                        TableDefinition.named(name)
                                                .column("id", ColumnType.INT64)
                                                .primaryKey("id")
                                                .expectedRows(1)
                                                .build());
                        tables.add(name);
                    }
                }
            }
        }

        private static void move(Transaction tx, Table accounts, long id, long by) {
            Row row = Objects.requireNonNull(tx.read(accounts, accounts.newKey().set(id)));
            row.setInt64(accounts.column("balance"), row.int64(accounts.column("balance")) + by);
        }

        private void judge(NamDb db) {
            if (!isMade) {
                return;
            }
            assertThat(db.tableNames()).contains("accounts", "transfers").containsAll(tables);
            db.transact(tx -> {
                Map<Long, Long> balances = new TreeMap<>();
                Table accounts = db.table("accounts");
                TableScan scan = tx.scan(accounts, accounts.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    balances.put(
                            row.int64(accounts.column("id")),
                            row.int64(accounts.column("balance")));
                }
                Map<Long, Long> expected = new HashMap<>();
                for (long id = 0; id < ACCOUNTS; id++) {
                    expected.put(id, BALANCE);
                }
                Set<Long> found = new HashSet<>();
                Table transfers = db.table("transfers");
                scan = tx.scan(transfers, transfers.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    assertThat(found.add(row.int64(transfers.column("id")))).isTrue();
                    expected.merge(row.int64(transfers.column("source")), -1L, Long::sum);
                    expected.merge(row.int64(transfers.column("target")), 1L, Long::sum);
                }
                assertThat(found).as("acknowledged").containsAll(acknowledged);
                assertThat(balances).isEqualTo(expected);
                return null;
            });
            assertThat(db.findIndex("sources")).isNotNull();
        }
    }
}
