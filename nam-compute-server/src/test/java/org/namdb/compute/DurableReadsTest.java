package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.simulated.SimDisk;

/// Readers wait for what they have read that a crash could undo, and for nothing else. One session
/// does not wait for the disk, and nothing else writes to it.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DurableReadsTest {
    private final SimDisk disk = new SimDisk();
    private final JournalOptions journal =
            new JournalOptions(
                    () -> disk,
                    "the disk",
                    Durability.SYNC,
                    Duration.ofHours(1),
                    1 << 20,
                    1L << 40,
                    RecoveryProgress.UNSEEN);

    /// What a crash would leave.
    private String afterACrash() {
        SimDisk crashed = disk.crashed(new SplittableRandom(1));
        try (NamDb db = DurableDatabases.open(journal.on(() -> crashed, "a copy"))) {
            return rows(db, db.table("things")).toString();
        }
    }

    private static boolean isThere(NamDb db, Table table, long id) {
        return db.transact(tx -> tx.read(table, id(table, id)) != null);
    }

    @Test
    void onlyWhatWasSeenIsWaitedFor() {
        try (NamDb db = DurableDatabases.open(journal);
                Session careless = db.session()) {
            Table table = db.createTable(things("things").build());
            put(db, table, 1, 10);
            put(db, table, 2, 20);
            careless.setDurability(Durability.ASYNC);
            careless.transact(
                    tx -> tx.read(table, id(table, 1)).setInt64(table.column("amount"), 11));
            assertThat(isThere(db, table, 2)).isTrue();
            assertThat(isThere(db, table, 3)).isFalse();
            assertThat(afterACrash()).as("nothing was waited for").contains("amount=10");
            assertThat(isThere(db, table, 1)).isTrue();
            assertThat(afterACrash()).as("it was shown").contains("amount=11");
            delete(careless, table, 1);
            assertThat(isThere(db, table, 1)).isFalse();
            assertThat(afterACrash()).as("it was shown").doesNotContain("amount=11");
        }
    }

    /// A schema change leaves nothing in the records to see.
    @Test
    void aSchemaChangeIsSeenByAllReaders() {
        try (NamDb db = DurableDatabases.open(journal.withDurability(Durability.ASYNC));
                Session careful = db.session()) {
            Table table = db.createTable(things("things").build());
            put(db, table, 1, 10);
            careful.setDurability(Durability.SYNC);
            assertThat(careful.<Boolean>transact(tx -> tx.read(table, id(table, 1)) != null))
                    .isTrue();
            assertThat(afterACrash()).contains("amount=10");
            Table empty = db.truncate("things");
            assertThat(careful.<Boolean>transact(tx -> tx.read(empty, id(empty, 1)) == null))
                    .isTrue();
            assertThat(afterACrash()).isEqualTo("{}");
        }
    }

    /// What was deleted, or has another value, is collected as soon as no snapshot needs it; but
    /// not before that lasts.
    @Test
    void whatIsNotThereAnyMoreIsWaitedForToo() {
        assertThat(whatACrashBringsBack()).isEmpty();
    }

    @Test
    void oldVersionsAreCollectedBeforeTheirCommitLasts() {
        try (NamDb db = DurableDatabases.open(journal);
                Session careless = db.session()) {
            Table table = db.createTable(things("things").build());
            put(db, table, 1, 10);
            careless.setDurability(Durability.ASYNC);
            careless.transact(
                    tx -> tx.read(table, id(table, 1)).setInt64(table.column("amount"), 11));
            collect(db, careless);
            assertThat(careless.garbageWaiting()).isZero();
            assertThat(afterACrash()).contains("amount=10");
            delete(careless, table, 1);
            collect(db, careless);
            assertThat(careless.garbageWaiting()).as("a record is kept").isPositive();
        }
    }

    @Test
    void allIsCollectedWhereTheProcessDoesNotWaitForTheDisk() {
        try (NamDb db = DurableDatabases.open(journal)) {
            put(db, db.createTable(things("things").build()), 1, 10);
        }
        try (NamDb db = DurableDatabases.open(journal.withDurability(Durability.ASYNC));
                Session session = db.session();
                Session careful = db.session()) {
            Table table = db.table("things");
            delete(session, table, 1);
            collect(db, session);
            assertThat(session.garbageWaiting()).isZero();
            assertThat(afterACrash()).contains("amount=10");
            careful.setDurability(Durability.SYNC);
            assertThat(careful.<Boolean>transact(tx -> tx.read(table, id(table, 1)) == null))
                    .isTrue();
            assertThat(afterACrash()).as("it was shown").isEqualTo("{}");
        }
    }

    /// A test of the tests.
    @Test
    void garbageThatIsCollectedEarlyIsFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx1g",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.COLLECTED_BEFORE_DURABLE.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Planted.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(output).contains("found: deleted, changed");
    }

    /// Runs the same with the fault.
    static final class Planted {
        public static void main(String[] arguments) {
            System.out.println("found: " + new DurableReadsTest().whatACrashBringsBack());
        }
    }

    private String whatACrashBringsBack() {
        String back = "";
        try (NamDb db = DurableDatabases.open(journal);
                Session careless = db.session()) {
            Table table = db.createTable(things("things").build());
            Index index = db.createIndex(IndexDefinition.ordered("amounts", "things", "amount"));
            put(db, table, 1, 10);
            put(db, table, 2, 20);
            careless.setDurability(Durability.ASYNC);
            delete(careless, table, 1);
            collect(db, careless);
            boolean isShown = isThere(db, table, 1);
            if (!isShown && afterACrash().contains("amount=10")) {
                back = "deleted";
            }
            careless.transact(
                    tx -> tx.read(table, id(table, 2)).setInt64(table.column("amount"), 21));
            collect(db, careless);
            isShown = isFound(db, table, index, 20);
            if (!isShown && afterACrash().contains("amount=20")) {
                back += back.isEmpty() ? "changed" : ", changed";
            }
        }
        return back;
    }

    private static void delete(Session session, Table table, long id) {
        session.transact(tx -> {
            tx.delete(tx.read(table, id(table, id)));
            return true;
        });
    }

    private static boolean isFound(NamDb db, Table table, Index index, long amount) {
        return db.transact(tx -> {
            Key key = index.newKey().add(amount);
            RowCursor cursor = tx.ascending(index, table, key, key, table.schema().all());
            return cursor.next() != null;
        });
    }

    /// Has the low watermark rise, and collects all that it lets.
    private static void collect(NamDb db, Session session) {
        for (int time = 0; time < 200 && session.garbageWaiting() > 0; time++) {
            try (Session other = db.session()) {
                other.setDurability(Durability.ASYNC);
                other.begin();
                other.rollback();
            }
            session.collectGarbage();
        }
    }
}
