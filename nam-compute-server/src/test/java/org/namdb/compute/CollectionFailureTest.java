package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.maintenance.SessionMaintenance;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A failure while garbage is collected, in a process that lives on: nothing stays locked, no
/// session is lost for it, and the remaining garbage is collected.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectionFailureTest {
    private static final int RECORDS = 40;
    private static final int SLOTS = 64;
    private static final int MAX_STEPS = 2_000;

    /// The failure.
    enum Failure {
        ERROR,
        PEER_GONE;

        Throwable make() {
            return switch (this) {
                case ERROR -> new OutOfMemoryError("planted");
                case PEER_GONE -> new FabricException(FabricException.Kind.PEER_GONE, "planted");
            };
        }
    }

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private NamDb db = open(Duration.ofHours(1));

    /// On memory server 0 and 1.
    private Table left = table("left", 0);

    private Table right = table("right", 1);

    private NamDb open(Duration maintenanceInterval) {
        return NamDb.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(2)
                        .withMemoryBytes(256 << 20)
                        .withSlots(SLOTS)
                        .withRetryPolicy(RetryPolicy.NONE)
                        .withMaintenanceInterval(maintenanceInterval)
                        .withFabric(() -> fabric));
    }

    private void reopen(Duration maintenanceInterval) {
        db.close();
        db = open(maintenanceInterval);
        left = table("left", 0);
        right = table("right", 1);
    }

    private Table table(String name, int server) {
        return db.createTable(
                TableDefinition.named(name)
                        .column("id", ColumnType.INT32)
                        .column("value", ColumnType.INT64)
                        .primaryKey("id")
                        .versions(2)
                        .expectedRows(100)
                        .servers(server)
                        .build());
    }

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
    }

    /// Leaves old versions on both servers, and a dead record.
    private void change(Session session, int round) {
        session.transact(tx -> {
            for (int id = 0; id < RECORDS; id++) {
                Table table = id % 2 == 0 ? left : right;
                Row row = tx.read(table, table.newKey().set(id));
                if (row == null) {
                    row = tx.insert(table, table.newKey().set(id));
                }
                row.setInt64(table.column("value"), round);
            }
            tx.delete(tx.read(left, left.newKey().set(0)));
            return true;
        });
    }

    /// Has the low watermark pass what was committed.
    private void begin(Session session) {
        session.transact(tx -> tx.read(left, left.newKey().set(2)) != null);
    }

    /// Nothing is left: what is changed next gets another buffer for its old versions.
    private void drain(Session session) {
        while (session.garbageWaiting() > 0) {
            begin(session);
            session.collectGarbage();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whateverFailsInACollectionLeavesNothingLocked(Failure failure) {
        Session session = db.session();
        change(session, 0);
        for (int step = 0; step < MAX_STEPS; step++) {
            change(session, step + 1);
            begin(session);
            assertThat(session.garbageWaiting()).isGreaterThanOrEqualTo(RECORDS - 1);
            fabric.failAt(step, failure::make);
            try {
                session.collectGarbage();
            } catch (FabricException | OutOfMemoryError e) {
                // the planted one
            }
            boolean hasFailed = fabric.heal();
            boolean isPlanned = failure == Failure.PEER_GONE;
            assertThat(session.isFailed()).as("step " + step).isEqualTo(hasFailed && !isPlanned);
            boolean isFailed = session.isFailed();
            if (isFailed) {
                session.close();
                FailedCommitTest.awaitRecovery(db);
            }
            try (Session other = db.session()) {
                change(other, -1); // without a single retry
                drain(other);
            }
            if (isFailed) { // what it has left is for a sweep
                reopen(Duration.ofHours(1));
                session = db.session();
                change(session, 0);
            }
            drain(session);
            if (!hasFailed) {
                session.close();
                assertThat(step).isGreaterThan(4 * RECORDS);
                return;
            }
        }
        throw new AssertionError("a collection has so many steps?");
    }

    /// It works with the other session's queue pair, whose user notices when it becomes active.
    @Test
    void failuresOfAnotherSessionsCollectionDoNotEndTheCollectingSession() {
        try (Session gone = db.session();
                Session next = db.session()) {
            change(gone, 1);
            change(gone, 2);
            next.transact(tx -> true);
            fabric.failAt(0, () -> new OutOfMemoryError("planted"));
            assertThat(gone.maintenance().runMaintenance()).isTrue();
            assertThat(fabric.heal()).isTrue();
            assertThat(gone.isFailed()).isTrue();
            boolean goesOn = next.transact(tx -> true);
            assertThat(goesOn).isTrue();
        }
    }

    @Test
    void aServerThatIsGoneBreaksNoSessionAndTheOthersGarbageGoes() {
        Session session = db.session();
        change(session, 0);
        change(session, 1);
        begin(session);
        fabric.cutOff(1);
        for (int round = 0; round < 200; round++) {
            int value = round;
            session.transact(tx -> {
                Row row = tx.read(left, left.newKey().set(2 + 2 * (value % 19)));
                return row.setInt64(left.column("value"), value);
            });
            session.collectGarbage();
        }
        assertThat(session.isFailed()).isFalse();
        assertThat(session.garbageWaiting()).isLessThan(2 * RECORDS);
        fabric.heal();
        for (int i = 0; i < 2_000; i++) {
            begin(session);
            session.collectGarbage();
        }
        assertThat(session.garbageWaiting()).isZero();
        session.close();
    }

    /// The collection is part of the commit's call, after the publication.
    @ParameterizedTest
    @EnumSource
    void whateverFailsInACollectionDoesNotChangeTheOutcomeBefore(Failure failure) {
        int unknown = 0;
        boolean hasFailed = true;
        int step = 0;
        for (; hasFailed && step < MAX_STEPS; step++) {
            Session session = db.session();
            update(session.begin(), 2 * step + 1);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            begin(session);
            update(session.begin(), 2 * step + 2);
            session.maintenance().wantMemory(); // when the transaction has ended
            fabric.failAt(step, failure::make);
            Throwable thrown = catchThrowable(session::commit);
            hasFailed = fabric.heal();
            session.close();
            FailedCommitTest.awaitRecovery(db);
            boolean isSeen = db.transact(tx -> value(tx)) == 2 * step + 2;
            assertThat(isSeen || thrown != null).as("failure at step %d", step).isTrue();
            unknown += isSeen && thrown != null ? 1 : 0;
        }
        assertThat(hasFailed).isFalse();
        assertThat(step).isGreaterThan(30);
        assertThat(unknown).as("what is posted behind the publication, and the await").isEqualTo(2);
    }

    private void update(Transaction tx, long value) {
        Row row = tx.read(left, left.newKey().set(2));
        if (row == null) {
            row = tx.insert(left, left.newKey().set(2));
        }
        row.setInt64(left.column("value"), value);
    }

    private long value(Transaction tx) {
        return tx.read(left, left.newKey().set(2)).int64(left.column("value"));
    }

    /// One that can't reach all servers would fail at once, and its slot with it.
    @Test
    void theBackgroundWorkTakesNoSlotsWhileAServerIsGone() throws InterruptedException {
        reopen(Duration.ofMillis(1));
        while (db.server().sessions().all().isEmpty()) {
            Thread.sleep(1); // until background maintenance has its own
        }
        fabric.cutOff(1);
        for (int i = 0; i < 2 * SLOTS; i++) {
            assertThatThrownBy(() -> db.server().sessions().openOwn())
                    .isInstanceOf(FabricException.class);
        }
        fabric.heal();
        for (int i = 0; i < SLOTS; i++) {
            SessionMaintenance opened = db.server().sessions().openOwn();
            assertThat(opened.slotNumber()).isLessThanOrEqualTo(SLOTS);
        }
    }
}
