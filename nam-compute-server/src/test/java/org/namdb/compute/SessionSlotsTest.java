package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;

/// Slots that are released and taken again, by sessions of the same compute server and of others:
/// the commit timestamps of a slot rise, whichever session has it, and a new transaction sees what
/// was committed before.
class SessionSlotsTest {
    private static final int CYCLES = 300;
    private static final int SLOTS = 4;

    /// The last commit timestamp of each slot.
    private final Map<Integer, Long> last = new HashMap<>();

    private int commits;

    private static TableDefinition counters() {
        return TableDefinition.named("counters")
                .column("id", ColumnType.INT32)
                .column("count", ColumnType.INT64)
                .primaryKey("id")
                .expectedRows(100)
                .build();
    }

    /// Counts one up, in a commit that must be newer than all of its slot.
    private void count(Session session, Table table) {
        Column count = table.column("count");
        long before =
                session.transact(tx -> {
                    Row row = tx.read(table, table.newKey().set(1));
                    if (row == null) {
                        row = tx.insert(table, table.newKey().set(1));
                    }
                    long value = row.int64(count);
                    row.setInt64(count, value + 1);
                    return value;
                });
        assertThat(before).as("all commits before are seen").isEqualTo(commits++);
        int slot = CommitTimestamp.slot(session.commitTimestamp());
        long timestamp = CommitTimestamp.timestamp(session.commitTimestamp());
        assertThat(slot).isEqualTo(session.slotNumber());
        assertThat(timestamp)
                .as("timestamp in slot " + slot)
                .isGreaterThan(last.getOrDefault(slot, 0L));
        last.put(slot, timestamp);
    }

    @Test
    void sessionsThatAreClosedAndOpenedAgainContinueTheirSlots() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(SLOTS))) {
            Table table = db.createTable(counters());
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                List<Session> open = new ArrayList<>();
                for (int i = 1 + random.nextInt(SLOTS); i > 0; i--) {
                    open.add(db.session());
                }
                for (int i = random.nextInt(8); i > 0; i--) {
                    count(open.get(random.nextInt(open.size())), table);
                }
                open.forEach(Session::close);
            }
        }
        assertThat(last).as("slots that were used").hasSizeBetween(2, SLOTS);
    }

    @Test
    void aSessionThatIsClosedTwiceIsGivenToOneUser() {
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(SLOTS))) {
            Session closed = db.session();
            closed.close();
            closed.close();
            try (Session first = db.session();
                    Session second = db.session()) {
                assertThat(first).isNotSameAs(second);
            }
        }
    }

    /// ```
    /// x  opens the last session           a  finds no idle one, waits for x, and may open none
    ///                                     b  is released meanwhile: it is a's
    /// ```
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCallerThatMayOpenNoSessionTakesOneThatWasReleasedMeanwhile() throws Exception {
        FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withSlots(2)
                        .withFabric(() -> fabric);
        try (NamDb db = NamDb.embedded(options)) {
            Session b = db.session();
            CountDownLatch isReleased = new CountDownLatch(1);
            CountDownLatch isOpening = new CountDownLatch(1);
            Executor threads = work -> new Thread(work).start();
            CompletableFuture<Session> x =
                    CompletableFuture.supplyAsync(
                            () -> {
                                fabric.doAt(0, () -> meet(isOpening, isReleased));
                                return db.session();
                            },
                            threads);
            isOpening.await();
            AtomicReference<Session> taken = new AtomicReference<>();
            Thread a = new Thread(() -> taken.set(db.session()));
            a.start();
            while (a.getState() != Thread.State.WAITING && a.isAlive()) {
                Thread.onSpinWait();
            }
            b.close();
            isReleased.countDown();
            a.join();
            assertThat(taken.get()).isSameAs(b);
            taken.get().close();
            x.get().close();
        }
    }

    private static void meet(CountDownLatch mine, CountDownLatch others) {
        mine.countDown();
        try {
            others.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void computeServersThatComeAndGoContinueEachOthersSlots() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        int slots = 2 * (SLOTS + MaintenanceThread.SLOTS);
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(SLOTS);
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
                MemoryServer server =
                        new MemoryServer(
                                fabric,
                                0,
                                options.memoryBytes(),
                                DatabaseLayout.reservedBytes(0, slots))) {
            DatabaseLayout.format(
                    fabric, List.of(server.region()), slots, options.maxTransactionTime());
            try (NamDb first = AttachedDatabase.open(options, fabric, List.of(server.region()))) {
                first.createTable(counters());
                Session stays = first.session();
                for (int cycle = 0; cycle < CYCLES / 10; cycle++) {
                    try (NamDb db =
                            AttachedDatabase.open(options, fabric, List.of(server.region()))) {
                        cycle(db, 1 + random.nextInt(SLOTS));
                    }
                    count(stays, first.table("counters"));
                }
                stays.close();
            }
        }
        assertThat(last.size()).as("slots that were used").isLessThanOrEqualTo(slots);
    }

    private void cycle(NamDb db, int sessions) {
        List<Session> open = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            open.add(db.session());
            count(open.getLast(), db.table("counters"));
        }
        open.forEach(Session::close);
    }

    /// With one slot for all: a caller that has a procedure's result can open a session.
    @Test
    void aProcedureReleasesItsSessionBeforeItsResultIsThere() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withSlots(1).withMaintenanceInterval(Duration.ofHours(1));
        try (NamDb db = NamDb.embedded(options)) {
            db.register("one", (StoredProcedure<Integer, Integer>) (tx, argument) -> 1);
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                assertThat(db.<Integer>call("one", 0)).isEqualTo(1);
                db.session().close();
            }
        }
    }

    @Test
    void aProcedureThatIsCalledAfterTheEndFails() {
        NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
        db.register("one", (StoredProcedure<Integer, Integer>) (tx, argument) -> 1);
        db.close();
        assertThatThrownBy(() -> db.call("one", 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the database is closed");
    }
}
