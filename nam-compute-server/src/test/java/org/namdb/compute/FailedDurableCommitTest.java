package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.disk.SimDisk;
import org.namdb.fabric.shm.ShmFabric;

/// A commit of a database with a data directory fails at each of its steps. Before its entry is in
/// the journal, the database goes on without it. From then on the commit can't be taken back: the
/// database stops, and a restart has all of the commit.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedDurableCommitTest {
    private static final int MOST_STEPS = 1000;

    @Test
    void aCommitIsThereAfterARestartAsAWholeOrNotAtAll() {
        int stops = 0;
        int refusals = 0;
        for (int step = 0; step < MOST_STEPS; step++) {
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
                TreeMap<Long, String> rows = rows(again, again.table("things"));
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
}
