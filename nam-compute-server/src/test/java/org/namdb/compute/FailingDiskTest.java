package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.fabric.disk.ForwardingDisk;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.simulated.SimDisk;

/// The disk is full, or fails.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingDiskTest {
    /// So many rows are more than two segments.
    private static final int MANY = 1_000;

    private final SimDisk disk = new SimDisk();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10})
    void aForceThatFailsStopsTheDatabase(int force) {
        long acknowledged = -1;
        NamDb db = DurableDatabases.open(disk);
        Table table = db.createTable(things("things").build());
        disk.failForces(force);
        try {
            for (long id = 0; ; id++) {
                put(db, table, id, id);
                acknowledged = id;
            }
        } catch (JournalException e) {
            assertThat(e.kind()).isEqualTo(JournalException.Kind.FAILED);
            assertThat(e).hasMessageContaining("input/output error");
        }
        long forces = disk.forces();
        for (int time = 0; time < 3; time++) {
            assertThatThrownBy(() -> put(db, table, 1_000, 1))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("input/output error");
        }
        assertThat(disk.forces()).as("forces after the one that failed").isEqualTo(forces);
        SimDisk left = disk.crashed(new SplittableRandom(1));
        assertThatThrownBy(db::close).isInstanceOf(JournalException.class);
        try (NamDb again = DurableDatabases.open(left)) {
            assertThat(rows(again, again.table("things")))
                    .hasSizeGreaterThan((int) acknowledged)
                    .doesNotContainKey(1_000L);
        }
    }

    @Test
    void aFullDiskRefusesWritesUntilThereIsSpace() {
        long last = 0;
        String before;
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            db.createTable(things("others").build());
            put(db, table, 0, 0);
            disk.limit(disk.bytes() + DurableDatabases.SEGMENT_BYTES);
            TransactionException refusal = null;
            while (refusal == null) {
                try {
                    put(db, table, last + 1, 7);
                    last++;
                } catch (TransactionException e) {
                    refusal = e;
                }
            }
            assertThat(refusal.outcome()).isInstanceOf(CommitOutcome.JournalFull.class);
            assertThat(AbortCause.of(refusal.outcome())).isEqualTo(AbortCause.DISK_FULL);
            assertThat(refusal).hasMessageContaining("no space left on the disk");
            before = contents(db);
            assertThat(rows(db, table)).hasSize((int) last + 1);
            // Schema changes are refused as a whole, too.
            assertThatThrownBy(() -> db.createTable(things("more").build()))
                    .hasMessageContaining("no space left on the disk");
            assertThatThrownBy(() -> db.dropTable("others"))
                    .hasMessageContaining("no space left on the disk");
            assertThatThrownBy(() -> db.renameTable("others", "these"))
                    .hasMessageContaining("no space left on the disk");
            assertThatThrownBy(() -> db.truncate("things"))
                    .hasMessageContaining("no space left on the disk");
            IndexDefinition index = IndexDefinition.ordered("amounts", "things", "amount");
            assertThatThrownBy(() -> db.createIndex(index))
                    .hasMessageContaining("no space left on the disk");
            assertThat(contents(db)).isEqualTo(before);
            disk.limit(Long.MAX_VALUE);
            db.createIndex(index);
            db.dropTable("others");
            put(db, db.table("things"), 5_000, 5);
            before = contents(db);
        }
        try (NamDb db = DurableDatabases.open(disk)) {
            assertThat(contents(db)).isEqualTo(before);
        }
    }

    /// Without space for its first files, or with a failing disk, it is not created.
    @Test
    void aDatabaseWithoutADiskIsRefused() {
        disk.limit(DurableDatabases.SEGMENT_BYTES / 2);
        assertThatThrownBy(() -> DurableDatabases.open(disk))
                .hasMessageContaining("no space left on the disk");
        disk.limit(Long.MAX_VALUE);
        DurableDatabases.open(disk).close();
    }

    /// A disk on which new segments of the journal are not made while it is held.
    private static final class HeldDisk extends ForwardingDisk {
        private final AtomicBoolean isHeld = new AtomicBoolean();

        private HeldDisk() {
            super(new SimDisk());
        }

        @Override
        public DiskFile open(String name) {
            while (isHeld.get() && !actual.list().contains(name)) {
                LockSupport.parkNanos(1_000_000);
            }
            return actual.open(name);
        }
    }

    /// A large transaction waits for the disk. Others change the same record meanwhile.
    @Test
    void whatWaitsForTheDiskHoldsNoLock() throws InterruptedException {
        HeldDisk held = new HeldDisk();
        JournalOptions journal = DurableDatabases.journal(disk).on(() -> held, "the disk");
        try (NamDb db = DurableDatabases.open(journal)) {
            Table table = db.createTable(things("things").build());
            put(db, table, 0, 1);
            held.isHeld.set(true);
            Thread large = Thread.ofPlatform().start(() -> putMany(db, table));
            while (Arrays.stream(large.getStackTrace())
                    .noneMatch(frame -> frame.getMethodName().equals("reserve"))) {
                assertThat(large.isAlive()).isTrue();
                Thread.sleep(1);
            }
            try (Session session = db.session()) {
                Transaction tx = session.begin();
                tx.read(table, id(table, 0)).setInt64(table.column("amount"), 2);
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            }
            held.isHeld.set(false);
            large.join();
            assertThat(rows(db, table)).hasSize(MANY + 1);
            assertThat(rows(db, table).get(0L)).contains("amount=3 ");
        }
    }

    /// Adds 1 to the first row, and inserts more than a segment has bytes.
    private static void putMany(NamDb db, Table table) {
        db.transact(tx -> {
            Row first = tx.read(table, id(table, 0));
            first.setInt64(table.column("amount"), first.int64(table.column("amount")) + 1);
            for (int id = 1; id <= MANY; id++) {
                tx.insert(table, id(table, id))
                        .setInt64(table.column("amount"), id)
                        .setString(table.column("text"), "many " + id);
            }
            return null;
        });
    }

    /// The segments that were made for a transaction, until the disk was full, are removed when it
    /// is refused: others need them, as does a checkpoint.
    @Test
    void aTransactionThatIsTooLargeLeavesTheDiskAsItWas() throws InterruptedException {
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            put(db, table, 0, 1);
            while (segments() < 2) {
                Thread.sleep(1); // the next one is made ahead
            }
            disk.limit(disk.bytes() + DurableDatabases.SEGMENT_BYTES * 3 / 2);
            try {
                putMany(db, table);
                throw new AssertionError("not refused");
            } catch (TransactionException e) {
                assertThat(e.outcome()).isInstanceOf(CommitOutcome.JournalFull.class);
            }
            while (segments() > 2) {
                Thread.sleep(1); // the test's limit ends it
            }
            assertThat(rows(db, table)).hasSize(1);
            disk.open("another").write(0, ByteBuffer.allocate(DurableDatabases.SEGMENT_BYTES));
            put(db, table, 5_000, 5);
            disk.limit(Long.MAX_VALUE);
            putMany(db, table);
            while (segments() < 4) {
                Thread.sleep(1); // once more one is made ahead
            }
        }
    }

    private long segments() {
        return disk.list().stream().filter(name -> name.startsWith("journal-")).count();
    }
}
