package org.namdb.compute;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.ReplayVisitor;
import org.namdb.compute.journal.TableWrites;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;

/// Brings records back, by a session of its own: many in each transaction. Belongs to one thread.
final class ReplayWriter implements ReplayVisitor, AutoCloseable {
    private static final int MAX_RECORDS = 512;
    private static final int MAX_BYTES = 2 << 20;

    private final Session session;
    private final Map<TableWrites, Table> tables;
    private @Nullable TableWrites last;
    private @Nullable Table table;
    private @Nullable Key tableKey;
    private @Nullable Transaction transaction;
    private int records;
    private long bytes;
    private long rows;

    /// @param conflictNanos how long a commit is tried again whose records are locked
    ReplayWriter(Session session, Map<TableWrites, Table> tables, long conflictNanos) {
        this.session = session;
        this.tables = tables;
        session.setDurability(Durability.NONE); // all of it becomes durable together
        session.commit.retryConflicts(conflictNanos);
        session.commit.setSplitsAhead(false);
    }

    @Override
    public void row(TableWrites of, long[] key, long payload) {
        Table into = take(of);
        Key at = key().setWords(key);
        insert(into, at).setPayload(0, into.schema().payloadBytes(), payload);
    }

    @Override
    public void write(TableWrites of, long[] key, CommitImageReader image) {
        Table into = take(of);
        Key at = key().setWords(key);
        if (image.kind() == RecordChange.Kind.INSERT) {
            change(insert(into, at), image);
            return;
        }
        Row row = running().read(into, at);
        if (row == null) {
            throw damaged(into, "a commit of the journal changes a record that is not there");
        }
        if (image.kind() == RecordChange.Kind.DELETE) {
            running().delete(row);
            rows--;
        } else {
            change(row, image);
        }
    }

    /// How many rows there are more than before.
    long rows() {
        return rows;
    }

    private Row insert(Table into, Key at) {
        rows++;
        try {
            return running().insert(into, at);
        } catch (TransactionAborted e) {
            throw damaged(into, "a commit of the journal makes a record that is there");
        }
    }

    private static void change(Row row, CommitImageReader image) {
        while (image.nextRun()) {
            row.setPayload(image.runOffset(), image.runBytes(), image.runAddress());
        }
    }

    private Table take(TableWrites of) {
        Table found = table;
        if (of != last || found == null) {
            last = of;
            found = Objects.requireNonNull(tables.get(of));
            table = found;
            tableKey = found.newKey();
        }
        int rowBytes = found.schema().payloadBytes();
        if (records >= MAX_RECORDS || bytes + rowBytes > MAX_BYTES) {
            commit();
        }
        if (transaction == null) {
            transaction = session.begin();
        }
        records++;
        bytes += rowBytes;
        return found;
    }

    private Key key() {
        return Objects.requireNonNull(tableKey);
    }

    private Transaction running() {
        return Objects.requireNonNull(transaction);
    }

    /// Commits what is left.
    void commit() {
        if (transaction == null) {
            return;
        }
        transaction = null;
        records = 0;
        bytes = 0;
        CommitOutcome outcome = session.commit();
        if (outcome instanceof CommitOutcome.DuplicateKey duplicate) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "the journal makes record %s of table %s twice"
                            .formatted(duplicate.key(), duplicate.table()),
                    null);
        }
        if (!(outcome instanceof CommitOutcome.Committed)) {
            throw new TransactionException(outcome);
        }
    }

    private static JournalException damaged(Table of, String what) {
        return new JournalException(
                JournalException.Kind.DAMAGED, what + ", in table " + of.name(), null);
    }

    @Override
    public void close() {
        session.commit.retryConflicts(0);
        session.commit.setSplitsAhead(true);
        session.setDurability(null);
        session.close();
    }
}
