package org.namdb.compute;

import org.namdb.mvcc.schema.KeyLayout;

/// Fills a new index from its table. Writers add their entries already; an entry that is added twice is there once.
final class IndexBuild {
    private final Session session;
    private final Table table;
    private final Index index;

    IndexBuild(Session session, Table table, Index index) {
        this.session = session;
        this.table = table;
        this.index = index;
    }

    void run() {
        long[] entry = new long[KeyLayout.MAX_WORDS];
        session.transact(transaction -> {
            IndexAccess access = session.indexes.access(table, index);
            TableScan scan = transaction.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                access.encodeFormer(row, entry);
                access.insert(entry, transaction.snapshot());
            }
            return true;
        });
    }
}
