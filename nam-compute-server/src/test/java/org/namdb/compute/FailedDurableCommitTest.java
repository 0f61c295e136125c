package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.SimDisk;

/// A commit of a database with a data directory fails at each of its steps. Before its entry is in
/// the journal, the database goes on without it. From then on the commit can't be rolled back: the
/// database stops, and a restart has all of the commit.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedDurableCommitTest {
    private static final int MAX_STEPS = 1000;
    private static final String SECOND = "checkpoint-00000002";

    @Test
    void aCommitIsThereAfterARestartAsAWholeOrNotAtAll() {
        int stops = 0;
        int refusals = 0;
        for (int step = 0; step < MAX_STEPS; step++) {
            SimDisk disk = new SimDisk();
            FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
            NamDb db =
                    NamDb.embedded(
                            EmbeddedOptions.DEFAULT
                                    .withMemoryBytes(64 << 20)
                                    .withRetryPolicy(RetryPolicy.NONE)
                                    .withFabric(() -> fabric)
                                    .withJournal(DurableDatabases.journal(disk)));
            Table table = db.createTable(things("things").build());
            for (int id = 0; id < 3; id++) {
                put(db, table, id, id);
            }
            String before = contents(db);
            Session session = db.session();
            Transaction tx = session.begin();
            tx.read(table, id(table, 0)).setInt64(table.column("amount"), 100);
            tx.delete(tx.read(table, id(table, 1)));
            tx.insert(table, id(table, 7))
                    .setInt64(table.column("amount"), 7)
                    .setString(table.column("text"), "seven");
            fabric.failAt(step, () -> new IllegalArgumentException("planted"));
            Throwable thrown = null;
            try {
                session.commit();
            } catch (RuntimeException | Error e) {
                thrown = e;
            }
            boolean hasFailed = fabric.heal();
            boolean isStopped = thrown != null && session.commitTimestamp() != 0;
            if (isStopped) {
                stops++;
                assertThatThrownBy(() -> put(db, table, 2, 200))
                        .isInstanceOf(JournalException.class)
                        .hasMessageContaining("planted");
                assertThatThrownBy(() -> put(db, table, 8, 8)).isInstanceOf(JournalException.class);
            } else {
                refusals += thrown == null ? 0 : 1;
                put(db, table, 2, 200);
            }
            SimDisk left = disk.crashed(new SplittableRandom(step));
            try {
                db.close();
            } catch (JournalException e) {
                assertThat(isStopped).isTrue();
            }
            try (NamDb again = DurableDatabases.open(left)) {
                Map<Long, String> rows = rows(again, again.table("things"));
                boolean isThere = rows.containsKey(7L);
                assertThat(rows.containsKey(1L)).as("step %d", step).isNotEqualTo(isThere);
                assertThat(rows.get(0L)).contains(isThere ? "amount=100 " : "amount=0 ");
                if (!isStopped) {
                    assertThat(isThere).as("step %d", step).isEqualTo(thrown == null);
                    assertThat(rows.get(2L)).contains("amount=200 ");
                } else if (!isThere) {
                    assertThat(contents(again)).isEqualTo(before);
                }
            }
            if (!hasFailed) {
                assertThat(stops).isPositive();
                assertThat(refusals).isPositive();
                return;
            }
        }
        throw new AssertionError("a commit has so many steps?");
    }

    /// A commit takes its time after it was written to the journal, while others go on and a
    /// checkpoint is written, which does not show it. It is not left out.
    @Test
    void aCheckpointKeepsTheJournalOfCommitsThatAreUnderWay() {
        commitWhileCheckpointing();
    }

    static void commitWhileCheckpointing() {
        int stalls = 0;
        for (int step = 0; step < MAX_STEPS; step++) {
            SimDisk disk = new SimDisk();
            FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
            JournalOptions journal =
                    DurableDatabases.journal(disk)
                            .withBytes(
                                    DurableDatabases.SEGMENT_BYTES,
                                    2 * DurableDatabases.SEGMENT_BYTES);
            AtomicBoolean isReached = new AtomicBoolean();
            AtomicBoolean isStalled = new AtomicBoolean();
            SimDisk left;
            try (NamDb db =
                    NamDb.embedded(
                            EmbeddedOptions.DEFAULT
                                    .withMemoryBytes(64 << 20)
                                    .withFabric(() -> fabric)
                                    .withJournal(journal))) {
                Table table = db.createTable(things("things").build());
                put(db, table, 0, 0);
                Session session = db.session();
                Transaction tx = session.begin();
                tx.read(table, id(table, 0)).setInt64(table.column("amount"), 100);
                fabric.doAt(
                        step,
                        () -> {
                            isReached.set(true);
                            if (session.commitTimestamp() != 0) {
                                isStalled.set(true);
                                putUntilCheckpointed(db, table, disk);
                            }
                        });
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
                boolean _ = fabric.heal();
                left = disk.crashed(new SplittableRandom(step));
            }
            if (!isReached.get()) {
                assertThat(stalls).isPositive();
                return;
            }
            if (isStalled.get()) {
                stalls++;
                try (NamDb db = DurableDatabases.open(journal.on(() -> left, "what is left"))) {
                    assertThat(rows(db, db.table("things")).get(0L))
                            .as("after step %d", step)
                            .contains("amount=100 ");
                }
            }
        }
        throw new AssertionError("a commit has so many steps?");
    }

    /// A second checkpoint begins when the first one is complete.
    private static void putUntilCheckpointed(NamDb db, Table table, SimDisk disk) {
        Thread others =
                Thread.ofPlatform()
                        .start(() -> {
                            for (long id = 1; !disk.list().contains(SECOND); id++) {
                                put(db, table, id % 50 + 1, id);
                            }
                        });
        try {
            others.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
