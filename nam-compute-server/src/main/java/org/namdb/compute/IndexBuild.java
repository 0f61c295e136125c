package org.namdb.compute;

import org.namdb.mvcc.schema.KeyLayout;

/// Fills a new index from its table. Writers add their entries already; an entry that is added
/// twice is there once.
///
/// **The snapshot is taken behind the gate.** What it does not see was written by somebody who knew
/// the index. Taken later, it could be older than that, where staleness is allowed:
/// ```
///   B  uses a snapshot S                A  inserts a row, which is not in S
///   B  makes the index
///   B  fills it by S: without A's row, and A had no index to add it to
/// ```
final class IndexBuild {
    private final Session session;
    private final Transaction transaction;
    private final Table table;
    private final Index index;

    private IndexBuild(Session session, Transaction transaction, Table table, Index index) {
        this.session = session;
        this.transaction = transaction;
        this.table = table;
        this.index = index;
    }

    /// Takes the snapshot; [#run] follows.
    static IndexBuild begin(Session session, Table table, Index index) {
        session.expireSnapshot();
        return new IndexBuild(session, session.begin(), table, index);
    }

    Index index() {
        return index;
    }

    /// @throws TransactionException if it takes longer than a transaction may
    void run() {
        try {
            fill();
            CommitOutcome outcome = session.commit();
            if (!(outcome instanceof CommitOutcome.Committed)) {
                throw new TransactionException(outcome);
            }
        } catch (TransactionAborted e) {
            throw new TransactionException(
                    java.util.Objects.requireNonNull(session.abortOutcome()));
        } finally {
            if (session.isOpen()) {
                session.rollback();
            }
        }
    }

    private void fill() {
        long[] entry = new long[KeyLayout.MAX_WORDS];
        IndexAccess access = session.indexes.access(table, index);
        TableScan scan = transaction.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            access.encodeFormer(row, entry);
            access.insert(entry, transaction.snapshot());
        }
    }
}
