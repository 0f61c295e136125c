package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.disk.SimDisk;
import org.namdb.mvcc.schema.IndexDefinition;

/// The disk is full, or fails.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingDiskTest {
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
    void aFullDiskRefusesWritesUntilThereIsRoom() {
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
            // Definitions are refused as a whole, too.
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

    /// Without room for its first files it does not come to be; nor with a disk that fails.
    @Test
    void aDatabaseWithoutADiskIsRefused() {
        disk.limit(DurableDatabases.SEGMENT_BYTES / 2);
        assertThatThrownBy(() -> DurableDatabases.open(disk))
                .hasMessageContaining("no space left on the disk");
        disk.limit(Long.MAX_VALUE);
        DurableDatabases.open(disk).close();
    }
}
