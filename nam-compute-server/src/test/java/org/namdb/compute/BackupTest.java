package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.simulated.SimDisk;

/// A backup is a database of its own, with all that was acknowledged before it began, and a prefix
/// of what was later.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackupTest {
    /// So many rows are written at most between two backups, and while one is written: the memory
    /// is bounded, the time is not.
    private static final int MAX_ROWS = 1_500;

    private static final int IDENTITY = "NamDB data directory\nformat 1\n".length() + 26;

    private final long seed = Long.getLong("namdb.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final SimDisk disk = new SimDisk();
    private final JournalOptions journal = DurableDatabases.journal(disk);

    BackupTest() {
        System.out.println("-Dnamdb.seed=" + seed);
    }

    private static void nothing() {}

    /// While rows are inserted in order, tables come and go, and checkpoints replace the journal.
    @Test
    void transactionsRunMeanwhile() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        Semaphore permits = new Semaphore(0);
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<SimDisk> backups = new ArrayList<>();
        List<Integer> before = new ArrayList<>();
        try (NamDb db =
                DurableDatabases.open(
                        journal.withBytes(DurableDatabases.SEGMENT_BYTES, 200_000)
                                .withDurability(Durability.ASYNC))) {
            db.createTable(things("things").build());
            db.createIndex(IndexDefinition.ordered("amounts", "things", "amount"));
            Thread writer =
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    write(db, isOver, permits, acknowledged);
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            });
            for (int number = 0; number < 8; number++) {
                SimDisk target = new SimDisk();
                permits.release(MAX_ROWS);
                Thread.sleep(random.nextInt(200)); // a random moment
                before.add(acknowledged.get());
                permits.release(MAX_ROWS);
                assertThat(
                                db.current
                                        .checkpointer()
                                        .backUp(
                                                journal.on(() -> target, "backup"),
                                                BackupTest::nothing))
                        .isGreaterThan(8_000);
                backups.add(target.crashed(random));
            }
            isOver.set(true);
            permits.release();
            writer.join();
            assertThat(failure.get()).isNull();
        }
        for (int number = 0; number < backups.size(); number++) {
            SimDisk backup = backups.get(number);
            try (NamDb db = DurableDatabases.open(backup)) {
                Map<Long, String> rows = rows(db, db.table("things"));
                assertThat(rows).hasSizeGreaterThanOrEqualTo(before.get(number));
                for (long id = 0; id < rows.size(); id++) {
                    assertThat(rows).containsKey(id);
                }
                assertThat(db.indexNames()).contains("amounts");
            }
        }
        assertThat(before.getLast()).isGreaterThan(before.getFirst());
    }

    private static void write(
            NamDb db, AtomicBoolean isOver, Semaphore permits, AtomicInteger acknowledged) {
        for (int id = 0; !isOver.get(); id++) {
            permits.acquireUninterruptibly();
            put(db, db.table("things"), id, id);
            acknowledged.set(id + 1);
            if (id % 50 == 0) {
                put(db, db.createTable(things("more").build()), 1, id);
            } else if (id % 50 == 20) {
                db.dropTable("more");
            }
        }
    }

    @Test
    void whatIsThereIsNotOverwritten() {
        SimDisk target = new SimDisk();
        target.open("letter.txt").write(0, ByteBuffer.allocate(3));
        try (NamDb db = DurableDatabases.open(disk)) {
            assertThatThrownBy(() ->
                            db.current
                                    .checkpointer()
                                    .backUp(
                                            journal.on(() -> target, "backup"),
                                            BackupTest::nothing))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("backup is not empty: name a new directory");
            assertThat(target.list()).containsExactly("letter.txt");
            assertThatThrownBy(() -> db.current.checkpointer().backUp(journal, BackupTest::nothing))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("the disk is not empty");
        }
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20))) {
            assertThatThrownBy(() ->
                            db.current
                                    .checkpointer()
                                    .backUp(
                                            journal.on(() -> target, "backup"),
                                            BackupTest::nothing))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has no data directory");
        }
    }

    /// The database goes on, and can be backed up later.
    @Test
    void nothingIsLeftOfOneThatFails() {
        SimDisk target = new SimDisk();
        JournalOptions backup = journal.on(() -> target, "backup");
        String before;
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            for (int id = 0; id < 600; id++) {
                put(db, table, id, id);
            }
            before = contents(db);
            for (int bytes : new int[] {100, 10_000, 100_000}) {
                target.limit(bytes);
                assertThatThrownBy(
                                () -> db.current.checkpointer().backUp(backup, BackupTest::nothing))
                        .isInstanceOf(JournalException.class)
                        .hasMessageContaining("no space left on the disk");
                assertThat(target.list()).isEmpty();
            }
            target.limit(Long.MAX_VALUE);
            int[] calls = {0};
            assertThatThrownBy(() ->
                            db.current
                                    .checkpointer()
                                    .backUp(
                                            backup,
                                            () -> {
                                                if (++calls[0] == 2) {
                                                    throw new IllegalStateException("enough");
                                                }
                                            }))
                    .hasMessage("enough");
            assertThat(target.list()).isEmpty();
            assertThat(db.current.checkpointer().backUp(backup, BackupTest::nothing)).isPositive();
        }
        try (NamDb db = DurableDatabases.open(target)) {
            assertThat(contents(db)).isEqualTo(before);
        }
    }

    /// Damage to the last block is detected, too: a backup has come to its end.
    @Test
    void aDamagedBackupIsRefused() {
        SimDisk target = new SimDisk();
        try (NamDb db = DurableDatabases.open(disk)) {
            put(db, db.createTable(things("things").build()), 1, 1);
            put(db, db.table("things"), 2, 2);
            long _ =
                    db.current
                            .checkpointer()
                            .backUp(journal.on(() -> target, "backup"), BackupTest::nothing);
        }
        String name = "journal-00000001";
        try (DiskFile file = target.open(name)) {
            long last = file.size() - 2 * 4096; // the last one says that all before was forced
            ByteBuffer bytes = ByteBuffer.allocate(100);
            assertThat(file.read(last, bytes)).isEqualTo(100);
            file.write(last + 80, ByteBuffer.wrap(new byte[] {(byte) (bytes.get(80) ^ 1)}));
        }
        assertThatThrownBy(() -> DurableDatabases.open(target))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining(name);
        SimDisk restored = new SimDisk();
        assertThatThrownBy(() ->
                        DataDirectory.copy(
                                journal.on(() -> target, "backup"),
                                journal.on(() -> restored, "shop"),
                                BackupTest::nothing))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining(name);
        assertThat(restored.list()).isEmpty();
    }

    /// A backup says nothing of how memory is divided: each number of memory servers restores it.
    @Test
    void otherNumbersOfMemoryServersRestoreIt() {
        SimDisk target = new SimDisk();
        String before;
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            db.createIndex(IndexDefinition.ordered("amounts", "things", "amount"));
            db.createIndex(IndexDefinition.hash("texts", "things", "text"));
            for (int id = 0; id < 300; id++) {
                put(db, table, id, id % 7);
            }
            long _ =
                    db.current
                            .checkpointer()
                            .backUp(journal.on(() -> target, "backup"), BackupTest::nothing);
            before = contents(db);
        }
        SimDisk restored = target;
        for (int servers : List.of(3, 2, 1)) {
            JournalOptions backup = journal.on(lastOf(restored), "backup");
            SimDisk into = new SimDisk();
            long _ =
                    DataDirectory.copy(
                            backup, journal.on(() -> into, "restored"), BackupTest::nothing);
            try (NamDb db =
                    NamDb.embedded(
                            EmbeddedOptions.DEFAULT
                                    .withMemoryServers(servers)
                                    .withMemoryBytes((long) servers << 25)
                                    .withJournal(journal.on(() -> into, "restored")))) {
                assertThat(db.options().memoryServers()).isEqualTo(servers);
                assertThat(contents(db)).isEqualTo(before);
                put(db, db.table("things"), 1_000 + servers, servers);
                before = contents(db);
            }
            restored = into;
        }
    }

    private static Supplier<Disk> lastOf(SimDisk disk) {
        return () -> disk;
    }

    @Test
    void aDirectoryThatIsNotInUseIsCopied() {
        String before;
        SimDisk target = new SimDisk();
        JournalOptions copy = journal.on(() -> target, "copy");
        try (NamDb db = DurableDatabases.open(disk)) {
            put(db, db.createTable(things("things").build()), 1, 1);
            before = contents(db);
            assertThatThrownBy(() -> DataDirectory.copy(journal, copy, BackupTest::nothing))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("in use");
        }
        assertThat(DataDirectory.copy(journal, copy, BackupTest::nothing))
                .isEqualTo(disk.bytes() - IDENTITY);
        target.crash(random);
        try (NamDb db = DurableDatabases.open(target)) {
            assertThat(contents(db)).isEqualTo(before);
        }
        SimDisk empty = new SimDisk();
        assertThatThrownBy(() ->
                        DataDirectory.copy(
                                journal.on(() -> empty, "nothing"),
                                journal.on(SimDisk::new, "copy"),
                                BackupTest::nothing))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("nothing is no data directory of NamDB");
        assertThat(empty.list()).isEmpty();
    }
}
