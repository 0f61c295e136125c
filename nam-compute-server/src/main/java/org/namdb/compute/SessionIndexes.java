package org.namdb.compute;

import org.namdb.mvcc.gc.IndexEntries;

/// What a session's garbage collector must know of indexes.
final class SessionIndexes implements IndexEntries {
    private final Session session;
    private final NamDb db;

    SessionIndexes(Session session, NamDb db) {
        this.session = session;
        this.db = db;
    }

    @Override
    public void removeAll(int table, long[] key, long payload) {
        Table of = db.tableByNumber(table);
        if (of != null) {
            for (Index index : of.indexArray()) {
                session.access(of, index).removeEntryOf(key, payload);
            }
        }
    }

    @Override
    public void removeFormer(int table, int index, long[] entry, long[] key, long payload) {
        Table of = db.tableByNumber(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (of != null && wanted != null) {
            session.access(of, wanted).removeFormer(entry, key, payload);
        }
    }
}
