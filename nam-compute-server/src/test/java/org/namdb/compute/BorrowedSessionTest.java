package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// Another thread borrows a session at the moment when its own thread, at the begin of a
/// transaction, has released the schema latch for another compute server's schema change.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BorrowedSessionTest {
    private static final int SLOTS = 200;
    private static final int MAX_STEPS = 1_000;

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());
    private final NamDb ddlSession;
    private final NamDb user;
    private final Table table;

    BorrowedSessionTest() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withSlots(SLOTS / 2)
                        .withExecutionThreads(1)
                        .withRetryPolicy(RetryPolicy.NONE)
                        .withLatchWait(Duration.ofMillis(20))
                        .withMaintenanceInterval(Duration.ofHours(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        ddlSession = AttachedDatabase.open(options, fabric, regions);
        ddlSession.createTable(
                TableDefinition.named("t")
                        .column("id", ColumnType.INT32)
                        .primaryKey("id")
                        .expectedRows(10)
                        .build());
        user = AttachedDatabase.open(options, fabric, regions);
        table = user.table("t");
    }

    @AfterEach
    void close() {
        fabric.heal();
        user.close();
        ddlSession.close();
        server.close();
        fabric.close();
    }

    /// It gives up at once, as the user's compute server has not made way; but the epoch is another
    /// one, which the user's next begin finds.
    private void define() {
        assertThatThrownBy(() -> ddlSession.changeSchema(Duration.ZERO, () -> true))
                .isInstanceOf(SchemaBusyException.class);
    }

    /// ```
    /// s  finds another epoch, and releases the schema latch
    /// b  borrows the session
    /// s  can't read the epoch: the begin fails, and is none of b's business
    /// ```
    @Test
    void aBeginThatFailsDoesNotEndWhatABorrowerDoes() {
        int borrowed = 0;
        boolean hasFailed = true;
        for (int step = 0; hasFailed && step < MAX_STEPS; step++) {
            define();
            Session session = user.session();
            SharedSchemaLatch sharedLatch = session.sharedLatch;
            boolean[] isBorrowed = new boolean[1];
            fabric.failAt(
                    step,
                    () -> {
                        isBorrowed[0] = sharedLatch.borrow(sharedLatch.count());
                        return new FabricException(FabricException.Kind.PEER_GONE, "planted");
                    });
            Throwable thrown = catchThrowable(session::begin);
            hasFailed = fabric.heal();
            assertThat(thrown != null).isEqualTo(hasFailed);
            if (isBorrowed[0]) {
                borrowed++;
                assertThat(sharedLatch.isEntered()).as("failure at step %d", step).isTrue();
                sharedLatch.leave();
            }
            session.close();
        }
        assertThat(hasFailed).isFalse();
        assertThat(borrowed).isPositive();
    }

    /// ```
    /// s  runs a statement: finds another epoch, and releases the schema latch
    /// b  borrows the session, collects, and waits for a latch
    /// c  cancels the statement                              b  waits on, for as long as it may
    /// s  goes on, and is cancelled
    /// ```
    @Test
    void theCancellationOfTheSessionsStatementDoesNotReachABorrower() {
        try (Session session = user.session();
                QueuePair queuePair = fabric.connect(regions)) {
            boolean isBorrowed = false;
            for (int step = 0; !isBorrowed && step < MAX_STEPS; step++) {
                leaveGarbage(session);
                define();
                Borrower borrower = new Borrower(session, queuePair);
                fabric.doAt(step, borrower::borrowIfOutside);
                Transaction tx = session.begin();
                fabric.heal();
                isBorrowed = borrower.hasBorrowed;
                if (isBorrowed) {
                    assertThat(borrower.thrown).isNull();
                    assertThat(session.isFailed()).isFalse();
                    assertThat(session.garbageWaiting()).as("garbage left").isPositive();
                    assertThatThrownBy(tx::checkCancelled)
                            .isInstanceOf(StatementCancelledException.class);
                }
                session.rollback();
            }
            assertThat(isBorrowed).isTrue();
        }
    }

    /// A deleted record, which can't be collected without its bucket's latch.
    private void leaveGarbage(Session session) {
        session.transact(tx -> tx.insert(table, table.newKey().set(1)));
        session.transact(tx -> {
            tx.delete(tx.read(table, table.newKey().set(1)));
            return true;
        });
    }

    private void latchAll(QueuePair queuePair, long word) {
        for (long bucket = 0; bucket < table.records().buckets(); bucket++) {
            long home = table.records().bucketAddress(bucket);
            queuePair.writeWord(home + BucketLayout.LATCH_OFFSET, word);
        }
        queuePair.await();
    }

    /// Works in the session if its own thread is outside, while another one holds all latches.
    private final class Borrower {
        private final Session session;
        private final QueuePair queuePair;
        boolean hasBorrowed;
        @Nullable Throwable thrown;

        Borrower(Session session, QueuePair queuePair) {
            this.session = session;
            this.queuePair = queuePair;
        }

        void borrowIfOutside() {
            if (session.sharedLatch.isEntered()) {
                return;
            }
            hasBorrowed = true;
            latchAll(queuePair, SLOTS);
            Thread thread = new Thread(this::borrow, "borrower");
            thread.start();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            latchAll(queuePair, 0);
        }

        private void borrow() {
            session.cancel();
            thrown = catchThrowable(session.maintenance()::wantMemory);
        }
    }
}
