package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// Unexpected failures in the background are retried, for ever.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundFailureTest {
    private static final int FAILURES = 3;
    private static final int SLOTS = 8;

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final NamDb db =
            NamDb.embedded(
                    EmbeddedOptions.DEFAULT
                            .withMemoryServers(1)
                            .withMemoryBytes(128 << 20)
                            .withSlots(SLOTS)
                            .withRetryPolicy(RetryPolicy.NONE)
                            .withMaintenanceInterval(Duration.ofMillis(1))
                            .withFabric(() -> fabric));
    private final Table table =
            db.createTable(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT32)
                            .primaryKey("id")
                            .expectedRows(100)
                            .build());

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
    }

    @Test
    void recoveryOfDeadSessionsGoesOn() throws InterruptedException {
        AtomicInteger tries = new AtomicInteger();
        db.observeRecoveries(cleaned -> {
            if (tries.getAndIncrement() < FAILURES) {
                throw new IllegalStateException("planted");
            }
        });
        breakASession().close();
        while (tries.get() <= FAILURES) {
            Thread.sleep(1);
        }
    }

    /// In the middle of a commit, when it holds something.
    private Session breakASession() {
        for (int step = 0; ; step++) {
            int id = step;
            int at = step;
            Session session = db.session();
            assertThatThrownBy(() ->
                            session.transact(tx -> {
                                tx.insert(table, table.newKey().set(id));
                                fabric.failAt(at, () -> new OutOfMemoryError("planted"));
                                return true;
                            }))
                    .hasMessage("planted");
            if (session.isFailed()) {
                return session;
            }
            session.close();
        }
    }

    @Test
    void theHousekeepingGoesOn() throws InterruptedException {
        for (int failure = 0; failure < FAILURES; failure++) {
            fabric.failNextOf("namdb-maintenance", () -> new OutOfMemoryError("planted"));
            awaitFailure();
        }
    }

    /// It opens another session each time, with failures on the way: if one of them kept its slot,
    /// there would be none left.
    @Test
    void theHousekeepingLosesNoSlot() throws InterruptedException {
        for (int step = 0; step < 4 * SLOTS; step++) {
            fabric.failOf("namdb-maintenance", step, BackgroundFailureTest::lost);
            awaitFailure();
        }
        FailedCommitTest.awaitRecovery(db);
        List<Session> users = Stream.generate(db::session).limit(SLOTS).toList();
        users.forEach(Session::close);
    }

    /// The thread that monitors the lease logs it, and once.
    @Test
    void theHousekeepingDoesNotSayThatTheProcessIsFenced() throws InterruptedException {
        List<Throwable> said = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> said.add(failure));
        try {
            fabric.fenceDisconnects();
            Session broken = breakASession();
            int before = fabric.fencedDisconnects();
            while (fabric.fencedDisconnects() < before + FAILURES) {
                Thread.sleep(1);
            }
            fabric.heal();
            broken.close();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertThat(said).isEmpty();
        FailedCommitTest.awaitRecovery(db);
    }

    private static FabricException lost() {
        return new FabricException(FabricException.Kind.CONNECTION_LOST, "planted");
    }

    private void awaitFailure() throws InterruptedException {
        while (!fabric.hasFailedOnce()) {
            Thread.sleep(1);
        }
    }
}
