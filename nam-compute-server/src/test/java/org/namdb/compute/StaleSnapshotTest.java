package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.schema.Table;

/// Sessions that use snapshots again, and conflict with what these don't show.
class StaleSnapshotTest extends PeopleFixture {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withStaleness(Duration.ofSeconds(20));
    }

    /// ```
    /// S  takes a snapshot       T  changes the row, and commits
    /// S  changes the row        by the snapshot of before: a conflict; then by a fresh one
    /// ```
    @Test
    void aConflictIsTriedAgainWithAFreshSnapshot() {
        Table table = db.createTable(people("people").build());
        try (Session stale = db.session();
                Session other = db.session()) {
            insert(table, 1, 1, "ada");
            assertThat(age(stale, table)).isEqualTo(1);
            setAge(other, table, 2);
            assertThat(age(stale, table)).as("a stale read").isEqualTo(1);
            setAge(stale, table, 3);
            assertThat(stale.retries()).isEqualTo(1);
            assertThat(age(stale, table)).isEqualTo(3);
        }
    }

    /// Where the session's user begins anew, too.
    @Test
    void anOpenTransactionThatHasLostIsFollowedByOneThatSees() {
        Table table = db.createTable(people("people").build());
        try (Session stale = db.session();
                Session other = db.session()) {
            insert(table, 1, 1, "ada");
            assertThat(age(stale, table)).isEqualTo(1);
            setAge(other, table, 2);
            Transaction lost = stale.begin();
            assertThatThrownBy(() -> change(lost, table, 3)).isInstanceOf(TransactionAborted.class);
            assertThat(stale.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
            change(stale.begin(), table, 3);
            assertThat(stale.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
    }

    private static long age(Session session, Table table) {
        return session.<Long>transact(tx ->
                Objects.requireNonNull(tx.read(table, table.newKey().set(1)))
                        .int64(table.column("age")));
    }

    private static void setAge(Session session, Table table, long age) {
        session.transact(tx -> change(tx, table, age));
    }

    private static boolean change(Transaction tx, Table table, long age) {
        Objects.requireNonNull(tx.read(table, table.newKey().set(1)))
                .setInt64(table.column("age"), age);
        return true;
    }
}
