package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A failure where a transaction ends, or where a failed session is handed over: the session does
/// not keep the schema latch, on which schema changes would wait, and is not lost.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SessionFailureTest {
    private static final int TEXT_BYTES = 8_000;

    /// Their images need more than a session's own memory.
    private static final int MANY_ROWS = 1_000;

    private static final int MAX_STEPS = 1_000;
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final NamDb db =
            NamDb.embedded(
                    EmbeddedOptions.DEFAULT
                            .withMemoryBytes(256 << 20)
                            .withSlots(64)
                            .withRetryPolicy(RetryPolicy.NONE)
                            .withMaintenanceInterval(Duration.ofHours(1))
                            .withFabric(() -> fabric));
    private final Table table =
            db.createTable(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT32)
                            .column("value", ColumnType.INT64)
                            .column("text", ColumnType.varchar(TEXT_BYTES))
                            .primaryKey("id")
                            .expectedRows(MANY_ROWS)
                            .build());

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
    }

    /// It is committed, and the session can only be closed.
    @Test
    void whatFailsWhereALargeTransactionIsForgottenDoesNotChangeTheOutcome() {
        Session session = db.session();
        insert(session.begin(), MANY_ROWS);
        fabric.failNextRelease(() -> new OutOfMemoryError("planted"));
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(session.isFailed()).isTrue();
        assertThat(session.sharedLatch.isEntered()).isFalse();
        assertThat(db.server().transactionMemory().usedBytes()).isZero();
        boolean isAlone = db.changeSchema(WAIT, () -> true); // waits for no session that is inside
        assertThat(isAlone).isTrue();
        session.close();
        FailedCommitTest.awaitRecovery(db);
        boolean isThere = db.transact(tx -> isThere(tx, MANY_ROWS - 1));
        assertThat(isThere).isTrue();
    }

    /// It fails as the heap is full, when it holds something, and the heap is still full when it is
    /// handed over.
    @Test
    void aSessionThatCouldNotBeHandedOverIsRecoveredNevertheless() {
        db.transact(tx -> insert(tx, 1));
        boolean isHeld = false;
        for (int step = 0; !isHeld && step < MAX_STEPS; step++) {
            Session session = db.session();
            changeAndFail(session, step);
            if (session.isFailed()) {
                isHeld = !canBeChanged();
                db.server().sessions().handOverFailed(); // as background maintenance does
                FailedCommitTest.awaitRecovery(db);
                assertThat(canBeChanged()).as("failure at step %d", step).isTrue();
            }
            session.close();
        }
        assertThat(isHeld).isTrue();
    }

    /// A memory server that can't be reached is waited for once, and not again to hand the session
    /// over.
    @Test
    void whatCannotBeHandedOverNowIsLeftToTheBackgroundWork() {
        db.transact(tx -> insert(tx, 1));
        Session session = db.session();
        change(session.begin());
        fabric.failDisconnect(1, () -> lost("the disconnect"));
        fabric.failAt(0, () -> lost("the verb"));
        assertThatThrownBy(session::commit).hasMessage("the verb");
        session.close();
        assertThat(db.server().sessions().all()).contains(session);
        db.server().sessions().handOverFailed(); // as background maintenance does
        assertThat(db.server().sessions().all()).doesNotContain(session);
        FailedCommitTest.awaitRecovery(db);
        assertThat(canBeChanged()).isTrue();
    }

    /// The connection is lost with a memory server, and the process joins its cluster again: the
    /// last session of the former compute server that is closed ends it once more.
    @Test
    void theEndOfARecoveryThatFailsDoesNotBlockTheNext() throws Exception {
        db.transact(tx -> insert(tx, 1));
        Session session = db.session();
        changeAndFail(session, 0);
        session.close();
        FailedCommitTest.awaitRecovery(db);
        fabric.failDisconnect(1, () -> lost("the disconnect"));
        assertThatThrownBy(() -> db.server().dead().end(false)).hasMessage("the disconnect");
        CompletableFuture.runAsync(() -> db.server().dead().end(false)).get(60, TimeUnit.SECONDS);
    }

    private static FabricException lost(String message) {
        return new FabricException(FabricException.Kind.CONNECTION_LOST, message);
    }

    /// The first disconnect is that of the unreliable queue pair.
    private void changeAndFail(Session session, int step) {
        Transaction tx = session.begin();
        change(tx);
        fabric.failDisconnect(2, () -> new OutOfMemoryError("planted"));
        fabric.failAt(step, () -> new OutOfMemoryError("planted"));
        assertThatThrownBy(session::commit).isInstanceOf(OutOfMemoryError.class);
        fabric.heal();
    }

    private boolean canBeChanged() {
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            change(tx);
            return session.commit() instanceof CommitOutcome.Committed;
        }
    }

    private void change(Transaction tx) {
        tx.read(table, table.newKey().set(0)).setInt64(table.column("value"), 1);
    }

    private boolean insert(Transaction tx, int rows) {
        for (int id = 0; id < rows; id++) {
            BlankRow.insert(tx, table, table.newKey().set(id));
        }
        return true;
    }

    private boolean isThere(Transaction tx, int id) {
        return tx.read(table, table.newKey().set(id)) != null;
    }
}
