package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.mvcc.ring.ImageRingReader;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SlotOwners;

/// A session fails at any step of a commit whose image goes to two rings. It is recovered, maybe by
/// a recovery that fails at any step itself, before another one. Then all of the commit is seen if
/// its image is whole in any ring, and nothing of it else.
/// ```
/// d  its locks, image to copy 0, to copy 1, install, publish:  fails at any step
/// X  recovers d:                                               fails at any step, or does not
/// Y  recovers d
/// ```
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommitFinishTest {
    private static final int MAX_STEPS = 1000;
    private static final int ROWS = 4;
    private static final int SERVERS = 2;

    private FailingFabric fabric;
    private NamDb db;
    private ImageRings rings;

    /// On memory server 0 and 1.
    private Table left;

    private Table right;

    private long round;

    /// Whether steps are counted from the commit timestamp on, or from the begin of the commit.
    private boolean isFromTimestamp;

    /// Of the last session: whether it had a commit timestamp, whether it was aborted because of
    /// garbage collection, and whether its recovery has failed.
    private boolean wasInTime;

    private boolean wasAborted;

    private boolean recoveryFailed;

    /// How many commits were finished that were not acknowledged.
    private int finished;

    @BeforeEach
    void open() {
        fabric =
                new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryServers(SERVERS)
                                .withMemoryBytes(4L << 30)
                                .withSlots(30)
                                .withReplicatedCommits(true)
                                .withMaintenanceInterval(Duration.ofMillis(1))
                                .withFabric(() -> fabric));
        rings = DatabaseLayout.imageRings(SERVERS, db.server().vector(), ImageRings.DEFAULT_BYTES);
        left = table("left", 0, true);
        right = table("right", 1, false);
        db.transact(tx -> {
            for (Table table : new Table[] {left, right}) {
                for (int id = 0; id < ROWS; id++) {
                    insert(tx, table, id, 0);
                }
            }
            return true;
        });
        db.transact(tx -> { // one of them has an old version already
            set(tx, left, 0, 0);
            set(tx, right, 1, 0);
            return true;
        });
    }

    private Table table(String name, int server, boolean isInlined) {
        Table table =
                db.createTable(
                        TableDefinition.named(name)
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .column("other", ColumnType.varchar(30))
                                .primaryKey("id")
                                .versions(1)
                                .inlined(isInlined)
                                .expectedRows(100)
                                .servers(server)
                                .build());
        db.createIndex(IndexDefinition.hash(name + "_by_value", name, "value"));
        db.createIndex(IndexDefinition.ordered(name + "_in_order", name, "value"));
        return table;
    }

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
    }

    private static Key id(Table table, int id) {
        return table.newKey().set(id);
    }

    private static void insert(Transaction tx, Table table, int id, long value) {
        tx.insert(table, id(table, id))
                .setInt64(table.column("value"), value)
                .setString(table.column("other"), "row " + id);
    }

    private static void set(Transaction tx, Table table, int id, long value) {
        Objects.requireNonNull(tx.read(table, id(table, id)))
                .setInt64(table.column("value"), value);
    }

    /// Updates, locks, deletes and inserts on both servers; a deleted row is inserted again.
    private void change(Transaction tx, long value) {
        for (Table table : new Table[] {left, right}) {
            set(tx, table, 0, value);
            set(tx, table, 1, value);
            Row last = tx.read(table, id(table, 2));
            if (last == null) {
                insert(tx, table, 2, value);
            } else {
                tx.delete(last);
            }
            insert(tx, table, 100 + (int) value, value);
        }
    }

    private static @Nullable Long value(Transaction tx, Table table, int id) {
        Row row = tx.read(table, id(table, id));
        return row == null ? null : row.int64(table.column("value"));
    }

    /// All rows, and which of them the indexes find by this value.
    private List<String> contents(Transaction tx, long value) {
        List<String> contents = new ArrayList<>();
        for (Table table : new Table[] {left, right}) {
            for (int id = 0; id < ROWS; id++) {
                Row row = tx.read(table, id(table, id));
                contents.add(
                        row == null
                                ? "-"
                                : row.int64(table.column("value"))
                                        + " of "
                                        + row.string(table.column("other")));
            }
            contents.add(String.valueOf(value(tx, table, 100 + (int) value)));
            for (Index index : table.indexes()) {
                contents.add(found(tx, table, index, value).toString());
            }
        }
        return contents;
    }

    private static Set<Long> found(Transaction tx, Table table, Index index, long value) {
        Set<Long> found = new TreeSet<>();
        Key key = index.newKey().add(value);
        if (!index.isOrdered()) {
            Rows rows = new Rows();
            tx.lookup(index, table, key, table.schema().all(), rows);
            for (int i = 0; i < rows.size(); i++) {
                found.add(rows.row(i).keyWord(0));
            }
            return found;
        }
        RowCursor rows = tx.ascending(index, table, key, key, table.schema().all());
        for (Row row = rows.next(); row != null; row = rows.next()) {
            found.add(row.keyWord(0));
        }
        return found;
    }

    /// What another session does in the middle of a commit.
    private interface Deed {
        void run(Session dead);
    }

    /// Has a session fail at a step of its commit, and its recovery at one of its own.
    ///
    /// @param ofRecovery the recovery's step; -1 for none
    /// @param deed done when the session fails
    /// @return whether the session has failed, or has lost a record to garbage collection; else it
    ///     has not as many steps
    private boolean failAndRecover(int step, int ofRecovery, Deed deed) {
        long value = ++round;
        try (Session reader = db.session()) {
            Transaction old = reader.begin();
            List<String> before = contents(old, value);
            boolean[] isWhole = new boolean[1];
            boolean[] wasPublished = new boolean[1];
            Session dead = db.session();
            int slot = dead.slotNumber();
            change(dead.begin(), value);
            failAt(
                    step,
                    dead,
                    () -> {
                        if (dead.commitTimestamp() != 0) {
                            boolean isPublished = isPublished(dead);
                            wasPublished[0] = isPublished;
                            if (!isPublished) {
                                deed.run(dead);
                            }
                            isWhole[0] = isPublished || isWhole(dead, 0) || isWhole(dead, 1);
                        }
                        if (ofRecovery >= 0) {
                            fabric.failOf(
                                    "namdb-session-recovery",
                                    ofRecovery,
                                    () ->
                                            new FabricException(
                                                    FabricException.Kind.CONNECTION_LOST,
                                                    "planted"));
                        }
                        throw lost();
                    });
            boolean isAcknowledged = false;
            boolean isDead = false;
            try {
                isAcknowledged = dead.commit() instanceof CommitOutcome.Committed;
            } catch (IllegalArgumentException | FabricException e) {
                isDead = dead.isFailed();
                assertThat(isDead).isTrue();
            }
            wasInTime = dead.commitTimestamp() != 0;
            wasAborted = !isAcknowledged && !isDead;
            if (ofRecovery >= 0 && !isAcknowledged) {
                awaitFirstRecovery(slot, dead.owner);
            }
            FailedCommitTest.awaitRecovery(db);
            recoveryFailed = ofRecovery >= 0 && fabric.hasFailedOnce();
            boolean hasFailed = fabric.heal();
            FailedCommitTest.awaitRecovery(db);
            if (isDead) {
                awaitRecovered(slot, dead.owner);
            }
            dead.close();
            List<String> after = db.transact(tx -> contents(tx, value));
            boolean isSeen = after.contains(String.valueOf(value));
            String as = "step %d, of recovery %d".formatted(step, ofRecovery);
            assertThat(isSeen).as(as).isEqualTo(isAcknowledged || isWhole[0]);
            assertThat(after).as(as).isEqualTo(isSeen ? expected(before, value) : before);
            assertThat(contents(old, value)).as(as).isEqualTo(before);
            reader.rollback();
            assertThat(last(slot, 0)).as(as).isEqualTo(last(slot, 1));
            finished += !isAcknowledged && isSeen && !wasPublished[0] ? 1 : 0;
            assertNothingIsHeld();
            return hasFailed || !isAcknowledged;
        }
    }

    private void failAt(int step, Session dead, Runnable failure) {
        if (!isFromTimestamp) {
            fabric.doAt(step, failure);
            return;
        }
        fabric.doAt(
                0,
                () -> {
                    boolean isInTime = dead.commitTimestamp() != 0;
                    if (isInTime && step == 0) {
                        failure.run();
                    } else {
                        failAt(step - (isInTime ? 1 : 0), dead, failure);
                    }
                });
    }

    /// After an unexpected exception, a queue pair is disconnected.
    private static IllegalArgumentException lost() {
        return new IllegalArgumentException("planted");
    }

    private static List<String> expected(List<String> before, long value) {
        List<String> after = new ArrayList<>(before);
        int half = before.size() / 2;
        for (int from = 0; from < before.size(); from += half) {
            Set<Long> found = new TreeSet<>(Set.of(word(0), word(1), word(100 + value)));
            after.set(from, value + " of row 0");
            after.set(from + 1, value + " of row 1");
            boolean isInserted = before.get(from + 2).equals("-");
            after.set(from + 2, isInserted ? value + " of row 2" : "-");
            if (isInserted) {
                found.add(word(2));
            }
            after.set(from + ROWS, String.valueOf(value));
            after.set(from + ROWS + 1, found.toString());
            after.set(from + ROWS + 2, found.toString());
        }
        return after;
    }

    private static long word(long id) {
        return id ^ Long.MIN_VALUE;
    }

    /// Others can change every record, and insert into every bucket.
    private void assertNothingIsHeld() {
        long value = ++round;
        db.transact(tx -> {
            change(tx, value);
            return true;
        });
    }

    /// The recovery that runs in the background, and fails if it has so many steps.
    private void awaitFirstRecovery(int slot, long owner) {
        try (QueuePair queuePair = db.server().connect()) {
            SlotOwners owners = new SlotOwners(db.server().vector(), queuePair);
            long word = owner;
            while (!fabric.hasFailedOnce()
                    && (word == owner || SlotOwners.isDead(word, each -> false))) {
                Thread.onSpinWait();
                word = owners.word(slot);
            }
        }
    }

    /// Background maintenance that has the session at the moment hands it over later: until then
    /// there is nothing to recover.
    private void awaitRecovered(int slot, long owner) {
        try (QueuePair queuePair = db.server().connect()) {
            SlotOwners owners = new SlotOwners(db.server().vector(), queuePair);
            long word = owners.word(slot);
            while (word == owner || SlotOwners.isDead(word, each -> false)) {
                boolean _ = db.recover();
                word = owners.word(slot);
            }
        }
    }

    private boolean isPublished(Session session) {
        try (QueuePair queuePair = db.server().connect()) {
            return queuePair.readWord(db.server().vector().slot(session.slotNumber()))
                    >= CommitTimestamp.timestamp(session.commitTimestamp());
        }
    }

    private boolean isWhole(Session session, int copy) {
        return last(session.slotNumber(), copy) == session.commitTimestamp();
    }

    /// The commit timestamp of the last whole image.
    private long last(int slot, int copy) {
        try (QueuePair queuePair = db.server().connect()) {
            ImageRingReader reader = new ImageRingReader(queuePair, rings);
            return reader.readLast(slot, copy) ? reader.commitTimestamp() : 0;
        }
    }

    /// Damages the image of a session's commit, if it is there.
    private void damage(Session session, int copy) {
        try (QueuePair queuePair = db.server().connect()) {
            ImageRingReader reader = new ImageRingReader(queuePair, rings);
            if (reader.readLast(session.slotNumber(), copy)
                    && reader.commitTimestamp() == session.commitTimestamp()) {
                long address =
                        rings.address(session.slotNumber(), copy)
                                + reader.position()
                                + (reader.contentBytes() / 2 & -8);
                queuePair.writeWord(address, queuePair.readWord(address) ^ 1);
                queuePair.await();
            }
        }
    }

    /// Tries a sample of the steps before the commit timestamp, and step after step from it on,
    /// until commits have not as many. One that meets fewer buckets or old versions than the others
    /// has fewer steps, and is not the end yet. One that was aborted is tried again.
    private void atEachStep(IntPredicate hasFailed) {
        isFromTimestamp = false;
        for (int step = 0; !wasInTime; step += 5) {
            assertThat(step).isLessThan(MAX_STEPS);
            boolean _ = hasFailed.test(step);
        }
        isFromTimestamp = true;
        int withoutFailure = 0;
        for (int step = 0; withoutFailure < 8; step += wasAborted ? 0 : 1) {
            assertThat(step).isLessThan(MAX_STEPS);
            withoutFailure = hasFailed.test(step) ? 0 : withoutFailure + 1;
        }
    }

    @Test
    void aCommitIsFinishedFromWhenItsImageIsWhole() {
        atEachStep(step -> failAndRecover(step, -1, dead -> {}));
        assertThat(finished).isGreaterThan(10);
    }

    /// One of the two is cut, as its WRITE has not come to its end.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void itIsFinishedByOneCopyAlone(int copy) {
        atEachStep(step -> failAndRecover(step, -1, dead -> damage(dead, copy)));
        assertThat(finished).isGreaterThan(10);
    }

    @Test
    void itIsUndoneWhereItsImageIsWholeNowhere() {
        AtomicInteger inTime = new AtomicInteger();
        atEachStep(step -> {
            boolean hasFailed =
                    failAndRecover(
                            step,
                            -1,
                            dead -> {
                                damage(dead, 0);
                                damage(dead, 1);
                            });
            inTime.addAndGet(hasFailed && wasInTime ? 1 : 0);
            return hasFailed;
        });
        assertThat(inTime).hasValueGreaterThan(10);
        assertThat(finished).isZero();
    }

    /// Whatever the first recovery has done, another one goes on. Recoveries have more and more
    /// steps, as the indexes grow.
    @Test
    void aRecoveryThatFailsIsFollowedByAnother() {
        AtomicInteger failures = new AtomicInteger();
        atEachStep(step -> {
            boolean hasFailed = failAndRecover(step, -1, dead -> {});
            if (hasFailed && wasInTime && step % 8 == 0) {
                recoveryFailed = true;
                for (int ofRecovery = step % 5; recoveryFailed; ofRecovery += 5 + ofRecovery / 16) {
                    boolean _ = failAndRecover(step, ofRecovery, dead -> {});
                    failures.incrementAndGet();
                }
            }
            return hasFailed;
        });
        assertThat(failures).hasValueGreaterThan(40);
        assertThat(finished).isGreaterThan(30);
    }
}
