package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.TransactionAttempt.End;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.OperationVisitor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;

/// What an observer gets of each kind of attempt.
class TransactionObserverTest {
    /// An attempt in words, with records by their ids and versions by the commit's ordinal: `r1=2`
    /// is a read of record 1 in the second commit's version.
    private record Attempt(End end, String operations, long commit, long begin, long finish) {}

    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Long> commits = new ArrayList<>();
    private NamDb db;
    private Session session;
    private Session other;
    private Table table;
    private Column value;

    @BeforeEach
    void open() {
        open(EmbeddedOptions.DEFAULT);
    }

    private void open(EmbeddedOptions options) {
        db = NamDb.embedded(options.withMemoryBytes(64 << 20));
        session = db.session();
        other = db.session();
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("group_id", ColumnType.INT32)
                                .column("id", ColumnType.INT32)
                                .column("value", ColumnType.INT64)
                                .primaryKey("group_id", "id")
                                .neighbours(1)
                                .expectedRows(100)
                                .build());
        value = table.column("value");
        session.observe(this::ended);
        other.observe(this::ended);
    }

    @AfterEach
    void close() {
        db.close();
    }

    private Key id(int id) {
        return table.newKey().set(0, id);
    }

    private Row insert(Transaction tx, int id) {
        return tx.insert(table, id(id)).setInt64(value, id);
    }

    private void ended(TransactionAttempt attempt) {
        if (attempt.commitTimestamp() != 0) {
            commits.add(attempt.commitTimestamp());
        }
        StringBuilder operations = new StringBuilder();
        attempt.visit(
                new OperationVisitor() {
                    @Override
                    public void read(Table of, long[] key, long version) {
                        assertThat(version == 0 || attempt.snapshot().sees(version)).isTrue();
                        operations.append("r%d=%d ".formatted(idOf(key), ordinal(version)));
                    }

                    @Override
                    public void write(Table of, long[] key) {
                        operations.append("w%d ".formatted(idOf(key)));
                    }

                    @Override
                    public void delete(Table of, long[] key) {
                        operations.append("d%d ".formatted(idOf(key)));
                    }
                });
        attempts.add(
                new Attempt(
                        attempt.end(),
                        operations.toString().strip(),
                        ordinal(attempt.commitTimestamp()),
                        attempt.beginNanos(),
                        attempt.endNanos()));
    }

    private int ordinal(long version) {
        return version == 0 ? 0 : commits.indexOf(version) + 1;
    }

    private int idOf(long[] key) {
        long hash = TransactionAttempt.keyHash(table, key);
        for (int id = 0; id < 100; id++) {
            if (TransactionAttempt.keyHash(table, id(id)) == hash) {
                return id;
            }
        }
        throw new AssertionError("no key has hash " + hash);
    }

    private Attempt last() {
        return attempts.getLast();
    }

    private void assertLast(End end, String operations, long commit) {
        assertThat(last().end()).isEqualTo(end);
        assertThat(last().operations()).isEqualTo(operations);
        assertThat(last().commit()).isEqualTo(commit);
    }

    @Test
    void insertsReadNothingAndReadsNameTheVersion() {
        session.transact(tx -> insert(tx, 1));
        assertLast(End.COMMITTED, "w1", 1);
        other.transact(tx -> tx.read(table, id(1)).setInt64(value, 7));
        assertLast(End.COMMITTED, "r1=1 w1", 2);
        session.transact(tx -> tx.read(table, id(2)) == null && tx.read(table, id(1)) != null);
        assertLast(End.COMMITTED, "r2=0 r1=2", 0);
        assertThat(attempts).hasSize(3);
    }

    @Test
    void anOldVersionIsNamedAndALockIsNoPartOfIt() {
        session.transact(tx -> insert(tx, 1));
        session.transact(tx -> {
            other.transact(t -> t.read(table, id(1)).setInt64(value, 7));
            return tx.read(table, id(1));
        });
        assertLast(End.COMMITTED, "r1=1", 0);
    }

    @Test
    void aRecordIsReadOnceAndWrittenOnceHoweverOftenItIsUsed() {
        session.transact(tx -> insert(tx, 1));
        session.transact(tx -> {
            assertThat(tx.read(table, id(1), table.schema().nothing())).isNotNull();
            Row row = tx.read(table, id(1));
            row.setInt64(value, 3);
            row.setInt64(value, 4);
            return tx.read(table, id(1)).int64(value);
        });
        assertLast(End.COMMITTED, "r1=1 w1", 2);
    }

    @Test
    void neighboursAreRead() {
        session.transact(tx -> {
            insert(tx, 1);
            return insert(tx, 2);
        });
        session.transact(tx -> {
            insert(tx, 3);
            Rows found = new Rows();
            tx.neighbours(table, table.newKey().add(0), table.schema().all(), found);
            assertThat(found.size()).isEqualTo(3);
            return true;
        });
        assertThat(last().operations().split(" ")).containsExactlyInAnyOrder("r1=1", "r2=1", "w3");
    }

    @Test
    void aConflictIsAnAttemptOfItsOwnWithoutACommit() {
        session.transact(tx -> insert(tx, 1));
        boolean[] again = {false};
        session.transact(tx -> {
            Row row = tx.read(table, id(1));
            if (!again[0]) {
                again[0] = true;
                other.transact(t -> t.read(table, id(1)).setInt64(value, 5));
            }
            return row.setInt64(value, 6);
        });
        assertThat(attempts)
                .extracting(Attempt::operations)
                .containsExactly("w1", "r1=1 w1", "r1=1 w1", "r1=2 w1");
        assertThat(attempts)
                .extracting(Attempt::end)
                .containsExactly(End.COMMITTED, End.COMMITTED, End.FAILED, End.COMMITTED);
        assertThat(attempts).extracting(Attempt::commit).containsExactly(1L, 2L, 0L, 3L);
    }

    @Test
    void anAbortThatTheBodyCatchesIsStillOne() {
        session.transact(tx -> insert(tx, 1));
        boolean[] caught = {false};
        session.transact(tx -> {
            Row row = tx.read(table, id(2), table.schema().all());
            assertThat(row).isNull();
            if (!caught[0]) {
                other.transact(t -> t.read(table, id(1)).setInt64(value, 5));
                try {
                    tx.read(table, id(1)).setInt64(value, 6);
                } catch (RuntimeException e) {
                    caught[0] = true;
                }
            }
            return insert(tx, 2);
        });
        assertThat(caught[0]).isTrue();
        assertThat(attempts)
                .extracting(Attempt::end)
                .containsExactly(End.COMMITTED, End.COMMITTED, End.FAILED, End.COMMITTED);
    }

    @Test
    void aDuplicateKeyAndARollbackFail() {
        session.transact(tx -> insert(tx, 1));
        assertThatThrownBy(() -> session.transact(tx -> insert(tx, 1)))
                .isInstanceOf(TransactionException.class);
        assertLast(End.FAILED, "w1", 0);
        session.transact(tx -> {
            tx.read(table, id(1)).setInt64(value, 9);
            tx.rollback();
            return true;
        });
        assertLast(End.FAILED, "r1=1 w1", 0);
        assertThatThrownBy(() ->
                        session.transact(tx -> {
                            tx.read(table, id(1));
                            throw new IllegalStateException("a mistake of the procedure");
                        }))
                .isInstanceOf(IllegalStateException.class);
        assertLast(End.FAILED, "r1=1", 0);
    }

    @Test
    void deletesAreReportedAndRecordsThatComeAndGoAreNot() {
        session.transact(tx -> insert(tx, 1));
        session.transact(tx -> {
            tx.delete(tx.read(table, id(1)));
            tx.delete(insert(tx, 2));
            tx.delete(insertWhatIsNot(tx, 3));
            return true;
        });
        assertLast(End.COMMITTED, "r1=1 r3=0 d1", 2);
        session.transact(tx -> tx.read(table, id(1)) == null);
        assertLast(End.COMMITTED, "r1=0", 0);
    }

    private Row insertWhatIsNot(Transaction tx, int id) {
        assertThat(tx.read(table, id(id))).isNull();
        return insert(tx, id);
    }

    @Test
    void aSnapshotThatIsTooOldHasReadNothing() {
        close();
        open(
                EmbeddedOptions.DEFAULT
                        .withMaxTransactionTime(Duration.ofMillis(50))
                        .withRetryPolicy(RetryPolicy.NONE));
        session.transact(tx -> insert(tx, 1));
        assertThatThrownBy(() ->
                        session.transact(tx -> {
                            long until = System.nanoTime() + 200_000_000L;
                            while (System.nanoTime() < until) {
                                updateOnce();
                            }
                            return tx.read(table, id(1));
                        }))
                .isInstanceOf(TransactionException.class)
                .hasMessageContaining("too old");
        assertLast(End.FAILED, "", 0);
    }

    /// One attempt, as the version mover may hold the record for a moment.
    private void updateOnce() {
        try {
            other.transact(t -> t.read(table, id(1)).setInt64(value, System.nanoTime()));
        } catch (TransactionException e) {
            assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
        }
    }

    @Test
    void timesEncloseTheTransactionAndTheSessionsTimesDontOverlap() {
        for (int i = 1; i <= 20; i++) {
            int id = i;
            long before = System.nanoTime();
            session.transact(tx -> insert(tx, id));
            long after = System.nanoTime();
            assertThat(last().begin()).isGreaterThanOrEqualTo(before);
            assertThat(last().finish()).isBetween(last().begin(), after);
        }
        for (int i = 1; i < attempts.size(); i++) {
            assertThat(attempts.get(i).begin())
                    .isGreaterThanOrEqualTo(attempts.get(i - 1).finish());
        }
    }

    @Test
    void aClosedSessionNotifiesNoObserver() {
        session.close();
        try (Session again = db.session()) {
            assertThat(again).isSameAs(session);
            again.transact(tx -> insert(tx, 1));
        }
        assertThat(attempts).isEmpty();
    }

    @Test
    void anObserverThatFailsDoesNotHarmTheSession() {
        session.observe(attempt -> {
            throw new IllegalStateException("no room for it");
        });
        assertThatThrownBy(() -> session.transact(tx -> insert(tx, 1)))
                .hasMessage("no room for it");
        session.observe(null);
        assertThat(session.<Long>transact(tx -> tx.read(table, id(1)).int64(value))).isEqualTo(1);
        assertThat(CommitTimestamp.slot(session.commitTimestamp())).isZero();
    }

    @Test
    void theHashTellsTablesAndKeysApart() {
        Table second =
                db.createTable(
                        TableDefinition.named("second")
                                .column("group_id", ColumnType.INT32)
                                .column("id", ColumnType.INT32)
                                .primaryKey("group_id", "id")
                                .build());
        List<Long> hashes = new ArrayList<>();
        for (int group = 0; group < 50; group++) {
            for (int id = 0; id < 50; id++) {
                hashes.add(TransactionAttempt.keyHash(table, table.newKey().set(group, id)));
                hashes.add(TransactionAttempt.keyHash(second, second.newKey().set(group, id)));
            }
        }
        assertThat(hashes).doesNotHaveDuplicates();
        assertThat(hashes.stream().filter(hash -> Long.remainderUnsigned(hash, 10) == 0).count())
                .isBetween(350L, 650L);
    }
}
