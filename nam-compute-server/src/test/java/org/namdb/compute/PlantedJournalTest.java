package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.SimDisk;

/// A test of the tests: a data directory loses something as soon as one of its safeguards is taken
/// out. Another JVM plants one after the other.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedJournalTest {
    /// Where an insert has to fall between the scans of two tables, it may not at first.
    private static final int MAX_ATTEMPTS = 20;

    /// What finds a fault, by an error.
    private record Search(PlantedFault fault, Attempt attempt) {}

    /// One attempt to find a fault.
    private interface Attempt {
        void run() throws InterruptedException;
    }

    private static final List<Search> SEARCHES =
            List.of(
                    new Search(
                            PlantedFault.ANSWERED_UNFORCED,
                            PlantedJournalTest::whatWasAnsweredIsThere),
                    new Search(
                            PlantedFault.APPENDED_LATE,
                            PlantedJournalTest::whatOthersBuildOnIsBeforeThem),
                    new Search(
                            PlantedFault.TAIL_READ_FIRST, PlantedJournalTest::whatWasShownIsThere),
                    new Search(
                            PlantedFault.UNDER_WAY_IGNORED,
                            FailedDurableCommitTest::commitWhileCheckpointing),
                    new Search(
                            PlantedFault.CHECKPOINT_BEFORE_JOURNAL,
                            PlantedJournalTest::aCheckpointIsOneState),
                    new Search(
                            PlantedFault.CHECKPOINTED_REPLAYED,
                            PlantedJournalTest::aCheckpointIsOneState));

    @Test
    void eachIsFound() throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx1g",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=several",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Planted.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        List<String> output;
        try (var said = process.inputReader(StandardCharsets.UTF_8)) {
            output = said.lines().filter(line -> line.startsWith("found ")).toList();
        } finally {
            process.destroy();
        }
        assertThat(output)
                .containsExactlyElementsOf(
                        SEARCHES.stream().map(each -> "found " + each.fault.label()).toList());
    }

    /// Runs all searches, without a fault and with theirs.
    static final class Planted {
        public static void main(String[] arguments) throws InterruptedException {
            for (Search search : SEARCHES) {
                PlantedFault.plant("");
                search.attempt.run();
                PlantedFault.plant(search.fault.label());
                boolean isFound = false;
                for (int attempt = 0; !isFound && attempt < MAX_ATTEMPTS; attempt++) {
                    try {
                        search.attempt.run();
                    } catch (RuntimeException | AssertionError e) {
                        isFound = true;
                    }
                }
                System.out.println((isFound ? "found " : "not found: ") + search.fault.label());
            }
            System.exit(0); // databases that a fault has stopped may not have ended
        }
    }

    /// Nothing is forced, unless a session waits for it.
    private static JournalOptions onlyAsked(SimDisk disk) {
        return new JournalOptions(
                () -> disk,
                "the disk",
                Durability.SYNC,
                Duration.ofHours(1),
                1 << 20,
                1L << 40,
                RecoveryProgress.UNSEEN);
    }

    private static Map<Long, String> left(SimDisk crashed, String table) {
        try (NamDb db = DurableDatabases.open(crashed)) {
            return rows(db, db.table(table));
        }
    }

    private static void whatWasAnsweredIsThere() {
        SimDisk disk = new SimDisk();
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            for (int id = 0; id < 20; id++) {
                put(db, table, id, id);
            }
            assertThat(left(disk.crashed(new SplittableRandom(1)), "things")).hasSize(20);
        }
    }

    /// At each step of a commit, another session adds to the value that it finds then.
    private static void whatOthersBuildOnIsBeforeThem() {
        AtomicBoolean isReached = new AtomicBoolean(true);
        for (int step = 0; isReached.get(); step++) {
            isReached.set(false);
            SimDisk disk = new SimDisk();
            FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
            EmbeddedOptions options =
                    EmbeddedOptions.DEFAULT
                            .withMemoryBytes(64 << 20)
                            .withRetryPolicy(RetryPolicy.NONE)
                            .withFabric(() -> fabric)
                            .withJournal(DurableDatabases.journal(disk));
            String before;
            try (NamDb db = NamDb.embedded(options);
                    Session session = db.session();
                    Session other = db.session()) {
                Table table = db.createTable(things("things").build());
                put(db, table, 0, 0);
                session.begin().read(table, id(table, 0)).setInt64(table.column("amount"), 1);
                fabric.doAt(
                        step,
                        () -> {
                            isReached.set(true);
                            add(other, table);
                        });
                CommitOutcome _ = session.commit();
                boolean _ = fabric.heal();
                before = rows(db, table).toString();
            }
            assertThat(left(disk, "things").toString()).isEqualTo(before);
        }
    }

    private static void add(Session session, Table table) {
        Transaction tx = session.begin();
        try {
            Row row = tx.read(table, id(table, 0));
            row.setInt64(table.column("amount"), row.int64(table.column("amount")) + 10);
            CommitOutcome _ = session.commit(); // or a conflict
        } catch (TransactionAborted e) {
            session.rollback(); // the record is being installed
        }
    }

    private static Row insert(Transaction tx, Table table, long id) {
        return tx.insert(table, id(table, id))
                .setInt64(table.column("amount"), id)
                .setString(table.column("text"), "row " + id);
    }

    /// At each step of a reader, another session commits a row, and waits for nothing. Where the
    /// reader's snapshot shows it, it lasts.
    private static void whatWasShownIsThere() {
        SimDisk disk = new SimDisk();
        FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withFabric(() -> fabric)
                        .withJournal(onlyAsked(disk));
        int shown = 0;
        try (NamDb db = NamDb.embedded(options);
                Session careless = db.session();
                Session reader = db.session()) {
            Table table = db.createTable(things("things").build());
            careless.setDurability(Durability.ASYNC);
            boolean isReached = true;
            for (int step = 0; isReached; step++) {
                long id = step;
                fabric.doAt(step, () -> careless.transact(tx -> insert(tx, table, id)));
                boolean isShown = reader.transact(tx -> tx.read(table, id(table, id)) != null);
                isReached = fabric.heal();
                if (isShown) {
                    shown++;
                    assertThat(left(disk.crashed(new SplittableRandom(1)), "things"))
                            .containsKey(id);
                }
            }
        }
        assertThat(shown).isPositive();
    }

    /// Rows are inserted into two tables at once, and nothing is forced. A checkpoint has each
    /// table at another time.
    private static void aCheckpointIsOneState() throws InterruptedException {
        SimDisk disk = new SimDisk();
        JournalOptions journal = onlyAsked(disk).withDurability(Durability.ASYNC);
        try (NamDb db = DurableDatabases.open(journal)) {
            db.createTable(things("one").build());
            db.createTable(things("two").build());
        }
        SimDisk crashed;
        try (NamDb db = DurableDatabases.open(journal.withBytes(1 << 20, 1));
                Session session = db.session()) {
            for (long id = 0; disk.list().contains("journal-00000001"); id++) {
                long next = id;
                session.transact(tx -> {
                    for (String name : List.of("one", "two")) {
                        insert(tx, db.table(name), next);
                    }
                    return next;
                });
                Thread.sleep(1); // the checkpoint needs the processor
            }
            crashed = disk.crashed(new SplittableRandom(1));
        }
        try (NamDb db = DurableDatabases.open(crashed)) {
            assertThat(rows(db, db.table("two"))).isEqualTo(rows(db, db.table("one")));
        }
    }
}
