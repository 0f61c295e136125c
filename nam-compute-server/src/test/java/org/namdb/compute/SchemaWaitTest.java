package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.SchemaExclusion;
import org.namdb.compute.schema.SchemaLatch;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.TimestampVectorLayout;

/// A compute server waits for the schema change of another one: how long, what ends the wait, and
/// which one an error names.
class SchemaWaitTest extends TwoServersFixture {
    private static final Set<Thread.State> PARKED =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    /// The schema change never ends, and its compute server lives: no other one may end it.
    @Test
    void aCloseWaitsForNoSchemaChangeOfTheOther() throws Exception {
        CountDownLatch defines = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        CompletableFuture<Boolean> defining = defineUntil(defines, isClosed);
        assertThat(defines.await(60, TimeUnit.SECONDS)).isTrue();
        try {
            CompletableFuture<Throwable> waiting =
                    CompletableFuture.supplyAsync(
                            () -> catchThrowable(() -> user.transact(tx -> true)),
                            THREAD_OF_ITS_OWN);
            assertTimeoutPreemptively(Duration.ofSeconds(60), user::close);
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isNotNull();
        } finally {
            isClosed.countDown();
        }
        assertThat(defining.get(60, TimeUnit.SECONDS)).isTrue();
    }

    /// ```
    /// t  waits for the other one's schema change: has the turn, and checks which sessions run
    /// c  closes the sessions: one collects once more, and waits for the turn that t has
    /// ```
    @Test
    void theHolderOfTheTurnSeesTheSessionsWhileTheyAreClosed() throws Exception {
        // Its background maintenance does nothing: no thread may use a closed session.
        EmbeddedOptions resting = options.withMaintenanceInterval(Duration.ofHours(1));
        try (NamDb third = AttachedDatabase.open(resting, fabric, regions)) {
            fill(third, third.createTable(numbers("t").build()), 1); // so it has a session
            CompletableFuture<List<Session>> seen = new CompletableFuture<>();
            Thread closer =
                    new Thread(
                            () -> third.server().sessions().close(true, new FirstFailure()),
                            "closer");
            Thread turn =
                    new Thread(
                            () ->
                                    third.changeSchema(
                                            Duration.ofSeconds(60),
                                            () -> {
                                                closer.start();
                                                awaitParked(closer);
                                                return seen.complete(
                                                        third.server().sessions().all());
                                            }),
                            "turn");
            turn.start();
            assertThat(seen.get(60, TimeUnit.SECONDS)).isNotEmpty();
            turn.join();
            closer.join();
        }
    }

    private static void awaitParked(Thread thread) {
        while (thread.isAlive() && !PARKED.contains(thread.getState())) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aWaitForASchemaChangeCanBeCancelled() throws Exception {
        CountDownLatch defines = new CountDownLatch(1);
        CountDownLatch isTold = new CountDownLatch(1);
        CompletableFuture<Boolean> defining = defineUntil(defines, isTold);
        try {
            assertThat(defines.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Throwable> waiting =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try (Session session = user.session()) {
                                    session.cancelAfter(1_000_000);
                                    return catchThrowable(session::begin);
                                }
                            },
                            THREAD_OF_ITS_OWN);
            assertThat(waiting.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(StatementCancelledException.class);
        } finally {
            isTold.countDown();
        }
        assertThat(defining.get(60, TimeUnit.SECONDS)).isTrue();
        user.transact(tx -> true);
    }

    private CompletableFuture<Boolean> defineUntil(CountDownLatch defines, CountDownLatch isOver) {
        return CompletableFuture.supplyAsync(
                () ->
                        ddlSession.changeSchema(
                                Duration.ofSeconds(60),
                                () -> {
                                    defines.countDown();
                                    awaitQuietly(isOver);
                                    return true;
                                }),
                THREAD_OF_ITS_OWN);
    }

    /// It is closed then, as it joins again: that is not what a session is to report.
    @Test
    void aWaitForASchemaChangeEndsWithTheLeaseOfItsComputeServer() throws Exception {
        CountDownLatch defines = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        CompletableFuture<Boolean> defining = defineUntil(defines, isOver);
        try (QueuePair queuePair = fabric.connect(regions)) {
            assertThat(defines.await(60, TimeUnit.SECONDS)).isTrue();
            TimestampVectorLayout vector =
                    new TimestampVectorLayout(
                            RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
            SchemaLeases lease = new SchemaLeases(() -> queuePair, vector.schemaEpoch(), 1_000_000);
            RuntimeException lost = new RuntimeException("the lease is lost");
            Runnable checkHeld =
                    () -> {
                        throw lost;
                    };
            SchemaExclusion turn =
                    new SchemaExclusion(
                            Host.MACHINE,
                            lease,
                            new SchemaLatch(List::of),
                            () -> {},
                            isAlive -> {},
                            checkHeld,
                            () -> {},
                            Duration.ofSeconds(60));
            turn.close();
            for (int times = 0; times < 2; times++) {
                assertThat(catchThrowable(() -> turn.awaitOthers(checkHeld))).isSameAs(lost);
                assertThat(catchThrowable(() -> turn.alone(Duration.ofSeconds(60), () -> 1)))
                        .isSameAs(lost);
                assertThat(turn.end()).isTrue();
            }
            lease.release();
        } finally {
            isOver.countDown();
            assertThat(defining.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aTimeoutOfAWaitForASchemaChangeNamesTheCoordinator() throws Exception {
        CountDownLatch defines = new CountDownLatch(1);
        CountDownLatch isTold = new CountDownLatch(1);
        CompletableFuture<Boolean> defining = defineUntil(defines, isTold);
        try (QueuePair queuePair = fabric.connect(regions)) {
            assertThat(defines.await(60, TimeUnit.SECONDS)).isTrue();
            TimestampVectorLayout vector =
                    new TimestampVectorLayout(
                            RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
            SchemaLeases lease = new SchemaLeases(() -> queuePair, vector.schemaEpoch(), 1_000_000);
            SchemaExclusion turn =
                    new SchemaExclusion(
                            Host.MACHINE,
                            lease,
                            new SchemaLatch(List::of),
                            () -> {},
                            isAlive -> {},
                            () -> {},
                            () -> {},
                            Duration.ofMillis(1));
            assertBeingChanged(
                    catchThrowable(() -> turn.awaitOthers(() -> {})), ddlSession.process());
            isTold.countDown();
            assertThat(defining.get(60, TimeUnit.SECONDS)).isTrue();

            Throwable beside =
                    turn.alone(
                            Duration.ofSeconds(60),
                            () ->
                                    CompletableFuture.supplyAsync(
                                                    () ->
                                                            catchThrowable(() ->
                                                                    turn.awaitOthers(() -> {})),
                                                    THREAD_OF_ITS_OWN)
                                            .orTimeout(60, TimeUnit.SECONDS)
                                            .join());
            assertBeingChanged(beside, 1_000_000);
            lease.release();
        } finally {
            isTold.countDown();
        }
    }

    /// The cache can't be compared with the catalog behind it, for whatever reason: the next one
    /// that begins tries again.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSchemaChangeThatHasFailedIsOverEvenIfARefreshFails(boolean isError) {
        try (QueuePair queuePair = fabric.connect(regions)) {
            TimestampVectorLayout vector =
                    new TimestampVectorLayout(
                            RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
            SchemaLeases lease = new SchemaLeases(() -> queuePair, vector.schemaEpoch(), 1_000_000);
            List<Throwable> failures = new ArrayList<>();
            int[] refreshes = new int[1];
            Runnable refresh =
                    () -> {
                        refreshes[0]++;
                        if (!failures.isEmpty() && isError) {
                            throw (Error) failures.removeLast();
                        } else if (!failures.isEmpty()) {
                            throw (RuntimeException) failures.removeLast();
                        }
                    };
            SchemaExclusion turn =
                    new SchemaExclusion(
                            Host.MACHINE,
                            lease,
                            new SchemaLatch(List::of),
                            refresh,
                            isAlive -> {},
                            () -> {},
                            () -> {},
                            Duration.ofSeconds(60));
            IllegalArgumentException planted = new IllegalArgumentException("planted");
            Throwable ofRefresh =
                    isError
                            ? new OutOfMemoryError("refresh")
                            : new IllegalStateException("refresh");
            Throwable thrown =
                    catchThrowable(() ->
                            turn.alone(
                                    Duration.ofSeconds(60),
                                    () -> {
                                        failures.add(ofRefresh);
                                        throw planted;
                                    }));
            assertThat(thrown).isSameAs(isError ? ofRefresh : planted);
            assertThat(failures).as("it was tried").isEmpty();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> {
                        boolean _ = user.transact(tx -> true);
                    });
            int before = refreshes[0];
            assertThat(turn.alone(Duration.ofSeconds(30), () -> 1)).isEqualTo(1);
            assertThat(refreshes[0]).as("tried again").isEqualTo(before + 1);
            lease.release();
        }
    }

    private static void assertBeingChanged(@Nullable Throwable thrown, int ddlSession) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        SchemaBusyException.class,
                        e -> {
                            assertThat(e.isBeingChanged()).isTrue();
                            assertThat(e.computeServers()).containsExactly(ddlSession);
                        });
    }

    @Test
    void aComputeServerThatDoesNotYieldIsNamedAndNothingHasChanged() {
        try (NamDb hasty =
                AttachedDatabase.open(
                        options.withSchemaWait(Duration.ofMillis(500)), fabric, regions)) {
            ddlSession.createTable(numbers("t").build());
            Table seen = user.table("t");
            user.transact(tx -> {
                tx.insert(seen, seen.newKey().set(1)).setInt64(seen.column("value"), 1);
                assertThatThrownBy(() -> runElsewhere(() -> hasty.dropTable("t")))
                        .rootCause()
                        .isInstanceOfSatisfying(
                                SchemaBusyException.class,
                                e -> {
                                    assertThat(e.computeServers()).containsExactly(user.process());
                                    assertThat(e.slots()).isEmpty();
                                    assertThat(e).hasMessageContaining("have not yielded");
                                });
                return true;
            });
            assertThat(count(user, seen)).isEqualTo(1);
            ddlSession.dropTable("t");
            assertThat(user.findTable("t")).isNull();
        }
    }

    /// A compute server that has died blocks schema changes until its lease has been ended.
    @Test
    void aDeadComputeServerIsWaitedForUntilItIsFenced() {
        int dead = 1_000_000;
        TimestampVectorLayout vector =
                new TimestampVectorLayout(RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
        try (QueuePair queuePair = fabric.connect(regions);
                NamDb hasty =
                        AttachedDatabase.open(
                                options.withSchemaWait(Duration.ofMillis(500)), fabric, regions)) {
            ddlSession.createTable(numbers("t").build());
            SchemaLeases lease = new SchemaLeases(() -> queuePair, vector.schemaEpoch(), dead);
            assertThatThrownBy(() -> hasty.dropTable("t"))
                    .isInstanceOfSatisfying(
                            SchemaBusyException.class,
                            e -> assertThat(e.computeServers()).contains(dead));
            lease.end(dead);
            lease.end(dead);
            ddlSession.dropTable("t");
            assertThat(ddlSession.tableNames()).isEmpty();
        }
    }

    private static void runElsewhere(Runnable task) {
        CompletableFuture.runAsync(task).join();
    }
}
