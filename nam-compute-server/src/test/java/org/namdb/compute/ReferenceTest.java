package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// What a commit requires beyond its own writes: parents that no other transaction has changed, and
/// parents without children. The same on every fabric, with both kinds of index.
@ParameterizedClass
@EnumSource
class ReferenceTest {
    private static final int PARENTS = 4;
    private static final int CHILDREN = 40;
    private static final int THREADS = 4;

    @Parameter FabricKind fabric;

    private NamDb db;
    private Session one;
    private Session two;
    private Table parents;
    private Table children;
    private Column parent;
    private Column name;
    private Index byParent;
    private Index hashOfParent;

    @BeforeEach
    void open() {
        // Background maintenance would move versions while a reader runs for a fifth of a second,
        // and a record that it has locked for that is a conflict.
        db =
                NamDb.embedded(
                        fabric.options()
                                .withMemoryBytes(256 << 20)
                                .withRetryPolicy(RetryPolicy.NONE)
                                .withMaintenanceInterval(Duration.ofSeconds(2)));
        parents =
                db.createTable(
                        TableDefinition.named("parents")
                                .column("id", ColumnType.INT64)
                                .column("name", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(100)
                                .build());
        children =
                db.createTable(
                        TableDefinition.named("children")
                                .column("id", ColumnType.INT64)
                                .column("parent", ColumnType.INT64)
                                .column("name", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(100)
                                .build());
        parent = children.column("parent");
        name = children.column("name");
        byParent = db.createIndex(IndexDefinition.ordered("by_parent", "children", "parent"));
        hashOfParent = db.createIndex(IndexDefinition.hash("hash_of_parent", "children", "parent"));
        one = db.session();
        two = db.session();
        one.transact(tx -> BlankRow.insert(tx, parents, parents.newKey().set(1)));
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        db.close();
    }

    private Key child(long id) {
        return children.newKey().set(id);
    }

    private @Nullable Row parent(Transaction tx, long id) {
        return tx.read(parents, parents.newKey().set(id));
    }

    private void insertChild(Transaction tx, long id, long of) {
        tx.requirePresent(parent(tx, of));
        BlankRow.insert(tx, children, child(id)).setInt64(parent, of);
    }

    private void deleteParent(Transaction tx, long id, boolean ordered) {
        tx.delete(parent(tx, id));
        requireChildless(tx, id, ordered);
    }

    private void requireChildless(Transaction tx, long id, boolean ordered) {
        Index index = ordered ? byParent : hashOfParent;
        tx.requireNone(index, children, index.newKey().set(id));
    }

    private void isCommitted(Session session) {
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
    }

    private void isConflict(Session session, String table) {
        CommitOutcome outcome = session.commit();
        assertThat(outcome).isInstanceOf(CommitOutcome.WriteConflict.class);
        assertThat(((CommitOutcome.WriteConflict) outcome).table()).isEqualTo(table);
    }

    @Test
    void aChildAndItsParentsEndExcludeEachOther() {
        for (boolean ordered : new boolean[] {true, false}) {
            insertChild(one.begin(), 1, 1);
            deleteParent(two.begin(), 1, ordered);
            isCommitted(one);
            isConflict(two, "children");
            one.transact(tx -> {
                tx.delete(tx.read(children, child(1)));
                return true;
            });
        }
        insertChild(one.begin(), 1, 1);
        deleteParent(two.begin(), 1, true);
        isCommitted(two);
        isConflict(one, "parents");
        assertThat(db.<Row>transact(tx -> tx.read(children, child(1)))).isNull();
    }

    @Test
    void anUpdateThatMakesAChildCountsAsWell() {
        one.transact(tx -> BlankRow.insert(tx, children, child(1)).setInt64(parent, 7));
        for (boolean ordered : new boolean[] {true, false}) {
            Transaction tx = one.begin();
            tx.read(children, child(1), children.project("parent")).setInt64(parent, 1);
            tx.requirePresent(parent(tx, 1));
            deleteParent(two.begin(), 1, ordered);
            isCommitted(one);
            isConflict(two, "children");
            one.transact(t -> t.read(children, child(1)).setInt64(parent, 7));
        }
        deleteParent(two.begin(), 1, false);
        isCommitted(two);
    }

    @Test
    void ownChildrenThatGoAreNotInTheWay() {
        for (boolean ordered : new boolean[] {true, false}) {
            one.transact(tx -> {
                for (int i = 0; i < 100; i++) {
                    BlankRow.insert(tx, children, child(i)).setInt64(parent, 1);
                }
                return true;
            });
            Transaction tx = two.begin();
            for (int i = 0; i < 100; i++) {
                Row row = tx.read(children, child(i), children.project("name", "parent"));
                if (i % 2 == 0) {
                    tx.delete(row);
                } else if (i < 99) {
                    row.setInt64(parent, 8);
                } else {
                    row.setInt64(name, 8);
                }
            }
            requireChildless(tx, 1, ordered);
            isConflict(two, "children");
            tx = two.begin();
            for (int i = 0; i < 100; i++) {
                tx.delete(tx.read(children, child(i)));
            }
            requireChildless(tx, 1, ordered);
            isCommitted(two);
        }
    }

    @Test
    void oneRowMayBeExcepted() {
        Transaction tx = one.begin();
        Row row = BlankRow.insert(tx, children, child(1)).setInt64(parent, 5);
        tx.requireNone(byParent, children, byParent.newKey().set(5), row);
        isCommitted(one);
        tx = one.begin();
        row = BlankRow.insert(tx, children, child(2)).setInt64(parent, 5);
        tx.requireNone(hashOfParent, children, hashOfParent.newKey().set(5), row);
        isConflict(one, "children");
        assertThat(db.<Row>transact(t -> t.read(children, child(2)))).isNull();
    }

    @Test
    void aRequiredRowThatIsChangedIsAConflict() {
        Transaction tx = one.begin();
        tx.requireUnchanged(parent(tx, 1));
        insertChild(tx, 1, 1);
        rename(1);
        isConflict(one, "parents");
        tx = one.begin();
        two.transact(t -> parent(t, 1).setInt64(parents.column("name"), 6));
        Transaction late = tx;
        Row old = parent(tx, 1);
        assertThatThrownBy(() -> late.requireUnchanged(old)).isInstanceOf(TransactionAborted.class);
        one.rollback();
        tx = one.begin();
        int savepoint = tx.savepoint();
        insertChild(tx, 1, 1);
        tx.requireUnchanged(parent(tx, 1));
        tx.rollbackTo(savepoint);
        BlankRow.insert(tx, children, child(3));
        rename(1);
        isCommitted(one);
    }

    private void rename(int times) {
        for (int i = 0; i < times; i++) {
            two.transact(tx -> {
                Row row = parent(tx, 1);
                return row.setInt64(parents.column("name"), row.int64(parents.column("name")) + 1);
            });
        }
    }

    /// In the old-version buffer, and beyond it in the overflow region.
    @Test
    void aChildBesideUpdatesOfItsParentIsCommitted() {
        for (int updates : new int[] {0, 1, 2, 3, 9}) {
            Transaction tx = one.begin();
            insertChild(tx, updates, 1);
            rename(updates);
            isCommitted(one);
            assertThat(db.<Row>transact(t -> t.read(children, child(updates)))).isNotNull();
        }
    }

    /// Also where the row that is required was an old version when it was read.
    @Test
    void aParentThatHadChangedBeforeItWasReadIsPresent() {
        for (int updates : new int[] {1, 2, 3, 9}) {
            Transaction tx = one.begin();
            rename(updates);
            insertChild(tx, updates, 1);
            rename(updates);
            isCommitted(one);
        }
    }

    /// There are snapshots that show the child, and not yet the parent's return.
    @Test
    void aParentThatWentAndCameAgainIsAConflict() {
        for (int updates : new int[] {0, 1, 2, 9}) {
            Transaction tx = one.begin();
            insertChild(tx, 1, 1);
            rename(updates);
            two.transact(t -> {
                t.delete(parent(t, 1));
                return true;
            });
            two.transact(t -> BlankRow.insert(t, parents, parents.newKey().set(1)));
            rename(updates);
            isConflict(one, "parents");
        }
        insertChild(one.begin(), 1, 1);
        isCommitted(one);
    }

    @Test
    void aParentThatIsGoneIsAConflictAndOneOfOnesOwnIsNot() {
        Transaction tx = one.begin();
        insertChild(tx, 1, 1);
        two.transact(t -> {
            t.delete(parent(t, 1));
            return true;
        });
        isConflict(one, "parents");
        tx = one.begin();
        Row own = BlankRow.insert(tx, parents, parents.newKey().set(1));
        tx.requirePresent(own);
        BlankRow.insert(tx, children, child(1)).setInt64(parent, 1);
        isCommitted(one);
        tx = one.begin();
        Row changed = parent(tx, 1).setInt64(parents.column("name"), 5);
        tx.requirePresent(changed);
        BlankRow.insert(tx, children, child(2)).setInt64(parent, 1);
        isCommitted(one);
    }

    /// What is required is what it was before, after a rollback to a savepoint.
    @Test
    void aStrongerRequirementIsUndoneAlone() {
        Transaction tx = one.begin();
        insertChild(tx, 1, 1);
        int savepoint = tx.savepoint();
        tx.requireUnchanged(parent(tx, 1));
        tx.rollbackTo(savepoint);
        rename(1);
        isCommitted(one);
        tx = one.begin();
        insertChild(tx, 2, 1);
        tx.requireUnchanged(parent(tx, 1));
        rename(1);
        isConflict(one, "parents");
    }

    /// As many as overlap in a landing buffer: none has the column any more, but their entries are
    /// kept for a reader.
    @Test
    void wideRecordsAreReadAFewAtATime() {
        Table wide =
                db.createTable(
                        TableDefinition.named("wide")
                                .column("id", ColumnType.INT64)
                                .column("parent", ColumnType.INT64)
                                .column("one", ColumnType.varchar(8000))
                                .column("two", ColumnType.varchar(8000))
                                .primaryKey("id")
                                .expectedRows(64)
                                .build());
        Index index = db.createIndex(IndexDefinition.hash("wide_parent", "wide", "parent"));
        Column of = wide.column("parent");
        for (int id = 0; id < 40; id++) {
            Key key = wide.newKey().set(id);
            one.transact(tx -> BlankRow.insert(tx, wide, key).setInt64(of, 1));
        }
        try (Session reader = db.session()) {
            Transaction old = reader.begin();
            assertThat(old.read(wide, wide.newKey().set(1))).isNotNull();
            for (int id = 0; id < 40; id++) {
                Key key = wide.newKey().set(id);
                one.transact(tx -> tx.read(wide, key).setInt64(of, 2));
            }
            Transaction tx = two.begin();
            Row _ = parent(tx, 1).setInt64(parents.column("name"), 7);
            tx.requireNone(index, wide, index.newKey().set(1));
            isCommitted(two);
            long changed = two.transact(t -> parent(t, 1).int64(parents.column("name")));
            assertThat(changed).isEqualTo(7);
            reader.rollback();
        }
    }

    @Test
    void requirementsCostFewRoundTripsAndNothingWithoutThem() {
        one.transact(tx -> {
            for (int i = 2; i < 40; i++) {
                BlankRow.insert(tx, parents, parents.newKey().set(i));
            }
            return true;
        });
        long plain = roundTripsOfCommit(100, 0);
        assertThat(roundTripsOfCommit(101, 0)).isEqualTo(plain);
        assertThat(roundTripsOfCommit(102, 39)).isLessThanOrEqualTo(plain + 2);
    }

    private long roundTripsOfCommit(long id, int required) {
        Transaction tx = one.begin();
        for (int i = 1; i <= required; i++) {
            tx.requireUnchanged(parent(tx, i));
        }
        BlankRow.insert(tx, children, child(id)).setInt64(parent, id);
        long before = one.counters().roundTrips();
        isCommitted(one);
        return one.counters().roundTrips() - before;
    }

    /// Threads insert, move and delete children, and delete and insert parents. No child is ever
    /// without its parent.
    @Test
    void noChildIsEverWithoutItsParent() throws InterruptedException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger committed = new AtomicInteger();
        for (int t = 0; t < THREADS; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Session session = db.session()) {
                                    for (int i = 0; i < 1500; i++) {
                                        step(session, random);
                                        committed.addAndGet(
                                                session.commit() instanceof CommitOutcome.Committed
                                                        ? 1
                                                        : 0);
                                        if (i % 16 == 0) {
                                            checkReferences(session);
                                        }
                                    }
                                } catch (Throwable e) {
                                    synchronized (failures) {
                                        failures.add(e);
                                    }
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        checkReferences(one);
        assertThat(committed.get()).isGreaterThan(THREADS * 1500 / 4);
    }

    private void step(Session session, SplittableRandom random) {
        Transaction tx = session.begin();
        try {
            long of = 1L + random.nextInt(PARENTS);
            Row row = parent(tx, of);
            if (random.nextInt(3) == 0) {
                if (row == null) {
                    BlankRow.insert(tx, parents, parents.newKey().set(of));
                } else {
                    if (random.nextBoolean()) {
                        deleteChildren(tx, of);
                    }
                    deleteParent(tx, of, random.nextBoolean());
                }
                return;
            }
            Key key = child(random.nextInt(CHILDREN));
            Row known = tx.read(children, key);
            if (known != null && (row == null || random.nextInt(4) == 0)) {
                tx.delete(known);
            } else if (row != null && random.nextInt(4) == 0) {
                row.setInt64(parents.column("name"), random.nextInt());
            } else if (row != null) {
                if (random.nextInt(4) == 0) {
                    tx.requireUnchanged(row);
                } else {
                    tx.requirePresent(row);
                }
                (known == null ? BlankRow.insert(tx, children, key) : known).setInt64(parent, of);
            }
        } catch (TransactionAborted e) {
            assertThat(session.abortOutcome()).isNotNull();
        }
    }

    private void deleteChildren(Transaction tx, long of) {
        Rows found = new Rows();
        tx.lookup(
                hashOfParent,
                children,
                hashOfParent.newKey().set(of),
                children.schema().all(),
                found);
        for (int i = 0; i < found.size(); i++) {
            tx.delete(found.row(i));
        }
    }

    private void checkReferences(Session session) {
        Transaction tx = session.begin();
        TableScan scan = tx.scan(children, children.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            assertThat(parent(tx, row.int64(parent))).as("parent of " + row).isNotNull();
        }
        session.rollback();
    }
}
