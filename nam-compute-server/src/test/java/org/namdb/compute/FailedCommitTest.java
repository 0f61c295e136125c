package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowFixture;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A failure at any step of a commit, in a process that lives on. Before the install everything is
/// rolled back; a transaction that is half installed is never seen; and a failure after the
/// publication does not change the outcome.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedCommitTest {
    private static final int MAX_STEPS = 1000;

    /// The failure.
    enum Failure {
        ERROR,
        EXCEPTION,
        PEER_GONE;

        Throwable make() {
            return switch (this) {
                case ERROR -> new OutOfMemoryError("planted");
                case EXCEPTION -> new IllegalArgumentException("planted");
                case PEER_GONE -> new FabricException(FabricException.Kind.PEER_GONE, "planted");
            };
        }
    }

    /// How many commits were cancelled.
    int cancelled;

    private FailingFabric fabric;
    private NamDb db;

    /// On memory server 0 and 1.
    private Table left;

    private Table right;

    @BeforeEach
    void open() {
        fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryServers(2)
                                .withMemoryBytes(256 << 20)
                                .withSlots(2000)
                                .withRetryPolicy(RetryPolicy.NONE)
                                .withMaintenanceInterval(Duration.ofHours(1))
                                .withFabric(() -> fabric));
        left = table("left", 0);
        right = table("right", 1);
        db.transact(tx -> {
            for (Table table : new Table[] {left, right}) {
                for (int id = 0; id < 4; id++) {
                    insert(tx, table, id, 0);
                }
            }
            return true;
        });
    }

    private Table table(String name, int server) {
        Table table =
                db.createTable(
                        TableDefinition.named(name)
                                .column("id", ColumnType.INT32)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .versions(1)
                                .expectedRows(100)
                                .servers(server)
                                .build());
        db.createIndex(IndexDefinition.hash(name + "_by_value", name, "value"));
        return table;
    }

    private void indexInOrder() {
        for (String table : new String[] {"left", "right"}) {
            db.createIndex(IndexDefinition.ordered(table + "_in_order", table, "value"));
        }
    }

    /// Not where one verb is lost and all others get through, as on no fabric: the latch that it
    /// leaves behind would be waited for.
    private void indexInOrder(Failure failure) {
        if (failure != Failure.PEER_GONE) {
            indexInOrder();
        }
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
        tx.insert(table, id(table, id)).setInt64(table.column("value"), value);
    }

    private static @Nullable Long value(Transaction tx, Table table, int id) {
        Row row = tx.read(table, id(table, id));
        return row == null ? null : row.int64(table.column("value"));
    }

    /// Updates, deletes and inserts on both servers.
    private void change(Transaction tx, int round) {
        for (Table table : new Table[] {left, right}) {
            for (int id = 0; id < 3; id++) {
                tx.read(table, id(table, id)).setInt64(table.column("value"), round);
            }
            Row last = tx.read(table, id(table, 3));
            if (last == null) {
                insert(tx, table, 3, round);
            } else {
                tx.delete(last);
            }
            insert(tx, table, 100 + round, round);
        }
        changed(tx);
    }

    /// A transaction has made its changes, and commits next.
    void changed(Transaction tx) {
        // It commits them as they are.
    }

    /// The entry of the hashed index waits for a bucket that stays latched, and fails; that of the
    /// ordered index was added with it.
    @Test
    void entriesThatWereAddedBesideOneThatFailsAreRemoved() {
        db.close();
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withRetryPolicy(RetryPolicy.NONE)
                        .withLatchWait(Duration.ofMillis(20))
                        .withMaintenanceInterval(Duration.ofHours(1));
        try (NamDb own = NamDb.embedded(options);
                Session session = own.session()) {
            Table table =
                    own.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT64)
                                    .column("a", ColumnType.INT64)
                                    .column("b", ColumnType.INT64)
                                    .primaryKey("id")
                                    .build());
            Index hashed = own.createIndex(IndexDefinition.hash("hashed", "t", "a"));
            Index ordered = own.createIndex(IndexDefinition.ordered("ordered", "t", "b"));
            HashTable buckets = Objects.requireNonNull(hashed.hash());
            setLatches(own, buckets, options.slots());
            assertThatThrownBy(() ->
                            session.transact(tx ->
                                    tx.insert(table, id(table, 1))
                                            .setInt64(table.column("a"), 1)
                                            .setInt64(table.column("b"), 2)))
                    .isInstanceOf(LatchTimeoutException.class);
            setLatches(own, buckets, 0);
            List<Long> left = new ArrayList<>();
            session.indexes
                    .writer(table, ordered)
                    .entriesNow(ordered.newKey().add(2), entry -> left.add(entry[0]));
            assertThat(left).isEmpty();
        }
    }

    private static void setLatches(NamDb of, HashTable table, long word) {
        try (QueuePair queuePair = of.server().connect()) {
            for (long bucket = 0; bucket < table.buckets(); bucket++) {
                queuePair.writeWord(table.bucketAddress(bucket) + BucketLayout.LATCH_OFFSET, word);
            }
            queuePair.await();
        }
    }

    /// T7 installs x on server 0, the verb to server 1 throws; the session's next commit would
    /// publish 8, and show x@7 without y@7.
    @ParameterizedTest
    @EnumSource
    void whatIsHalfInstalledIsNeverSeen(Failure failure) {
        int halves = 0;
        indexInOrder(failure);
        for (int step = 0; step < MAX_STEPS; step++) {
            int round = step + 1;
            Session session = db.session();
            Transaction tx = session.begin();
            change(tx, round);
            fabric.failAt(step, failure::make);
            Throwable thrown = null;
            try {
                session.commit();
            } catch (RuntimeException | Error e) {
                thrown = e;
            }
            boolean hasFailed = fabric.heal();
            boolean isHalf = thrown != null && session.commitTimestamp() != 0;
            if (isHalf) {
                halves++;
                assertThat(session.isFailed()).isTrue();
                assertThatThrownBy(() ->
                                session.transact(other -> {
                                    insert(other, left, 5_000, 1);
                                    return true;
                                }))
                        .hasMessageContaining("can't be used any more");
                assertThat(session.commitTimestamp()).as("of what can't start").isZero();
            }
            boolean isSeen =
                    db.transact(other -> {
                        Long x = value(other, left, 100 + round);
                        assertThat(value(other, right, 100 + round)).isEqualTo(x);
                        for (int id = 0; id < 3; id++) {
                            Long changed = value(other, left, id);
                            assertThat(value(other, right, id)).isEqualTo(changed);
                            assertThat(changed != null && changed == round).isEqualTo(x != null);
                        }
                        return x != null;
                    });
            if (thrown != null && failure != Failure.PEER_GONE) {
                assertThat(session.isFailed()).as("step " + step).isTrue();
            }
            awaitRecovery(db); // its user may never close it
            session.close();
            if (!hasFailed) {
                assertThat(isSeen).isTrue();
                assertThat(halves).isPositive();
                return;
            }
            if (isHalf) {
                close();
                open();
                indexInOrder(failure);
            } else {
                assertThat(isSeen).isEqualTo(thrown == null);
                assertNothingIsHeld(1000 + round);
            }
        }
        throw new AssertionError("a commit has so many steps?");
    }

    /// What a failed session has held is released in the background.
    static void awaitRecovery(NamDb db) {
        while (!db.recover()) {
            Thread.onSpinWait();
        }
    }

    /// Others can change every record, and insert into every bucket.
    private void assertNothingIsHeld(int round) {
        db.transact(tx -> {
            change(tx, round);
            return true;
        });
        db.transact(tx -> {
            for (Table table : new Table[] {left, right}) {
                tx.delete(tx.read(table, id(table, 100 + round)));
            }
            return true;
        });
    }

    /// At whatever step the cancel comes: from the commit timestamp on it has no effect. A small
    /// commit does not poll for one unless it waits.
    @Test
    void aCommitThatIsCancelledIsRolledBackOrDone() {
        cancelAtEachStep();
    }

    void cancelAtEachStep() {
        indexInOrder();
        for (int step = 0; step < MAX_STEPS; step++) {
            int round = step + 1;
            boolean isCancelled = false;
            boolean isReached;
            try (Session session = db.session()) {
                change(session.begin(), round);
                fabric.doAt(step, session::cancel);
                try {
                    assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
                } catch (StatementCancelledException e) {
                    isCancelled = true;
                    cancelled++;
                    assertThat(session.commitTimestamp()).isZero();
                }
                isReached = fabric.heal();
                assertThat(session.isFailed()).isFalse();
            }
            boolean isRolledBack = isCancelled;
            db.transact(other -> {
                for (Table table : new Table[] {left, right}) {
                    assertThat(value(other, table, 100 + round) == null).isEqualTo(isRolledBack);
                }
                return true;
            });
            assertNothingIsHeld(1000 + round);
            if (!isReached) {
                return;
            }
        }
        throw new AssertionError("a commit has so many steps?");
    }

    @Test
    void aServerThatIsGoneKeepsNothingLockedOnTheOthers() {
        indexInOrder();
        Session session = db.session();
        Transaction tx = session.begin();
        change(tx, 1);
        fabric.cutOff(1);
        assertThatThrownBy(session::commit).isInstanceOf(FabricException.class);
        session.close();
        db.transact(other -> {
            for (int id = 0; id < 3; id++) {
                assertThat(value(other, left, id)).isZero();
                other.read(left, id(left, id)).setInt64(left.column("value"), 7);
            }
            insert(other, left, 101, 7);
            return true;
        });
    }

    /// There is no recovery while the server is down: the commit has to release what it holds.
    @Test
    void aServerThatGoesInTheMiddleKeepsNothingLockedOnTheOthers() {
        indexInOrder();
        int step = 0;
        boolean isHalf = false;
        for (; !isHalf; step++) {
            Session session = db.session();
            change(session.begin(), step + 1);
            fabric.cutOffAt(step, 1);
            assertThatThrownBy(session::commit).isInstanceOf(FabricException.class);
            isHalf = session.commitTimestamp() != 0;
            if (!isHalf) {
                long value = -1L - step;
                db.transact(other -> {
                    for (int id = 0; id < 4; id++) {
                        Row row = other.read(left, id(left, id));
                        row.setInt64(left.column("value"), value);
                    }
                    insert(other, left, 10_000 + (int) -value, value);
                    return true;
                });
            }
            fabric.heal();
            awaitRecovery(db);
            session.close();
        }
        assertThat(step).isGreaterThan(40);
    }

    @Test
    void whatFailsInTheCollectionDoesNotChangeTheOutcome() {
        Session session = db.session();
        session.transact(tx -> tx.read(right, id(right, 0)).setInt64(right.column("value"), 1));
        assertThat(session.garbageWaiting()).isPositive();
        fabric.cutOff(1);
        for (int i = 0; i < 40; i++) {
            Transaction tx = session.begin();
            insert(tx, left, 1000 + i, 1);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        assertThatThrownBy(
                        () -> {
                            session.transact(tx -> tx.read(right, id(right, 1)));
                        })
                .isInstanceOf(FabricException.class);
        session.close();
    }

    /// A collector holds a record for a moment, and lets go of it unchanged.
    @Test
    void aRecordThatWasLockedForAMomentIsNoConflict() {
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            Row row = tx.read(left, id(left, 1)).setInt64(left.column("value"), 5);
            tx.read(right, id(right, 1)).setInt64(right.column("value"), 5);
            fabric.holdOnce(RowFixture.headerAddress(row));
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            db.transact(other -> {
                assertThat(value(other, left, 1)).isEqualTo(5);
                assertThat(value(other, right, 1)).isEqualTo(5);
                return true;
            });
        }
        assertNothingIsHeld(1000);
    }

    @Test
    void anExceptionInABodyLeavesTheSessionUsable() {
        try (Session session = db.session()) {
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            session.transact(tx -> {
                                change(tx, 1);
                                throw new IllegalStateException("the body's own");
                            }));
            session.transact(tx -> {
                change(tx, 2);
                return true;
            });
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.SECONDS)
    void whatFailsAtTheCloseKeepsNothingElseOpen() {
        Session first = db.session();
        Session second = db.session();
        first.close();
        second.close();
        fabric.failNextClose(() -> new IllegalStateException("planned"));
        assertThatThrownBy(db::close).hasMessage("planned");
        assertThat(fabric.openQueuePairs()).isZero();
        assertThat(fabric.isClosed()).isTrue();
        open();
    }
}
