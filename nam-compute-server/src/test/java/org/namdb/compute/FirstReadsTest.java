package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// The first reads of a procedure, which share a round trip with the last step of its begin.
class FirstReadsTest {
    private static final int ROWS = 600;

    private final NamDb db =
            NamDb.embedded(
                    EmbeddedOptions.DEFAULT
                            .withMemoryBytes(64 << 20)
                            .withMaintenanceInterval(Duration.ofHours(1))
                            .withFabric(() ->
                                    new ShmFabric(new ShmFabric.Options(false, 32 << 10, null))));
    private final Table things =
            db.createTable(
                    TableDefinition.named("things")
                            .column("id", ColumnType.INT64)
                            .column("value", ColumnType.INT64)
                            .primaryKey("id")
                            .expectedRows(1000)
                            .build());
    private final Index byValue =
            db.createIndex(IndexDefinition.ordered("by_value", "things", "value"));
    private final Column value = things.column("value");
    private final Session session = db.session();
    private final Session other = db.session();

    @AfterEach
    void close() {
        session.close();
        other.close();
        db.close();
    }

    private void insert(Session by, long from, long to) {
        by.transact(tx -> {
            for (long id = from; id < to; id++) {
                tx.insert(things, things.newKey().set(id)).setInt64(value, id);
            }
            return true;
        });
    }

    private long roundTrips(TransactionBody<Boolean> body) {
        long[] roundTrips = new long[1];
        session.transact(tx -> {
            boolean result = body.run(tx);
            roundTrips[0] = session.counters().roundTrips();
            return result;
        });
        return roundTrips[0];
    }

    /// It takes a slot when it begins: the begin that finds one more reads all slots again.
    static void awaitMaintenance() {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("namdb-maintenance"))
                .anyMatch(thread -> thread.getState() != Thread.State.TIMED_WAITING)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /// Each begins after another session's commit: one round trip for the begin, one for the reads.
    @Test
    void theyTakeNoRoundTripMoreThanTheyDoLater() {
        awaitMaintenance();
        insert(other, 0, ROWS);
        session.transact(tx -> tx.read(things, key(5)) != null && ascending(tx).next() != null);
        for (int round = 0; round < 3; round++) {
            insert(other, ROWS + round, ROWS + round + 1);
            long before = session.counters().roundTrips();
            assertThat(roundTrips(tx -> tx.read(things, key(5)) != null) - before).isEqualTo(2);
            insert(other, 2 * ROWS + round, 2 * ROWS + round + 1);
            before = session.counters().roundTrips();
            // The entries, then their record.
            assertThat(roundTrips(tx -> ascending(tx).next() != null) - before).isEqualTo(3);
        }
    }

    private RowCursor ascending(Transaction tx) {
        return tx.ascending(
                byValue,
                things,
                byValue.newKey().set(3),
                byValue.newKey().set(9),
                things.schema().all());
    }

    @Test
    void aSnapshotCanBeChosenBefore() {
        insert(other, 0, 1);
        session.transact(tx -> {
            assertThat(tx.snapshot().sequence()).isPositive();
            other.transact(theirs -> theirs.read(things, key(0)).setInt64(value, 7));
            assertThat(tx.read(things, key(0)).int64(value)).isZero();
            return true;
        });
    }

    private Key key(long id) {
        return things.newKey().set(id);
    }

    @Test
    void aCursorsFirstStepIsCancelled() {
        insert(session, 0, 10);
        for (int round = 0; round < 2; round++) {
            insert(other, 100 + round, 101 + round); // so that there is something to append
            assertThatThrownBy(() ->
                            session.transact(tx -> {
                                RowCursor cursor = ascending(tx);
                                session.cancel();
                                return cursor.next() != null;
                            }))
                    .isInstanceOf(StatementCancelledException.class);
        }
    }

    /// The collection lands more than what lets the views of the begin live.
    @Test
    void aBodyMayCollectBeforeItReads() {
        insert(session, 0, 1);
        for (int round = 1; round <= 10; round++) {
            int newest = round;
            Transaction old = other.begin(); // nothing is collected yet
            assertThat(old.read(things, key(0))).isNotNull();
            insert(session, 1, ROWS);
            session.transact(tx -> {
                for (long id = 1; id < ROWS; id++) {
                    Row row = tx.read(things, key(id));
                    tx.delete(row);
                }
                return true;
            });
            other.rollback();
            other.transact(tx -> tx.read(things, key(0)).setInt64(value, newest));
            session.transact(tx -> {
                for (int times = 0; times < 40; times++) {
                    session.collectGarbage();
                }
                assertThat(tx.read(things, key(0)).int64(value)).isEqualTo(newest);
                return true;
            });
        }
    }
}
