package org.namdb.ycsb;

import org.namdb.cache.frame.Guard;
import org.namdb.cache.frame.GuardSession;
import org.namdb.cache.heap.LineHeap;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.fabric.VerbCounters;

/// A thread's access to records in lines or pages: a tree has their addresses by their keys. Each
/// call is linearizable, and sees a record as a whole.
final class LineRecords implements AutoCloseable {
    private static final long ABSENT = 0;

    private final GuardSession session;
    private final LineTree tree;
    private final LineHeap heap;
    private final int lineBytes;
    private final int fieldBytes;
    private final byte[] record;

    /// @param session its own, which is closed with it
    /// @param root of the tree
    /// @throws IllegalArgumentException if lines are too short for records or nodes
    LineRecords(GuardSession session, long root, int fields, int fieldBytes) {
        this.session = session;
        this.lineBytes = session.lineBytes();
        this.fieldBytes = fieldBytes;
        this.record = new byte[fields * fieldBytes];
        this.heap = new LineHeap(session, record.length + Long.BYTES - 1 & -Long.BYTES);
        this.tree = new LineTree(session, root);
    }

    /// The bytes of a record: what [#read] has read, and what [#insert] inserts.
    byte[] record() {
        return record;
    }

    /// Reads all fields of a record.
    ///
    /// @return false if there is none of this key
    boolean read(long key) {
        long found = tree.find(key, ABSENT);
        if (found == ABSENT) {
            return false;
        }
        try (Guard line = session.shared(LineHeap.line(found, lineBytes))) {
            line.get(LineHeap.offset(found, lineBytes), record, 0, record.length);
        }
        return true;
    }

    /// Writes a field of a record.
    ///
    /// @param reads whether all fields are read before
    /// @return false if there is none of this key
    boolean update(long key, int field, byte[] value, boolean reads) {
        long found = tree.find(key, ABSENT);
        if (found == ABSENT) {
            return false;
        }
        int offset = LineHeap.offset(found, lineBytes);
        try (Guard line = session.exclusive(LineHeap.line(found, lineBytes))) {
            if (reads) {
                line.get(offset, record, 0, record.length);
            }
            line.put(offset + field * fieldBytes, value, 0, fieldBytes);
        }
        return true;
    }

    /// Inserts what is in [#record].
    ///
    /// @throws IllegalStateException if there is one of this key
    void insert(long key) {
        long place = heap.next();
        try (Guard line = session.exclusive(LineHeap.line(place, lineBytes))) {
            line.put(LineHeap.offset(place, lineBytes), record, 0, record.length);
        }
        if (!tree.insert(key, place)) {
            throw new IllegalStateException("there is a record of the key " + key);
        }
    }

    VerbCounters counters() {
        return session.counters();
    }

    /// Messages to other compute servers so far.
    long messages() {
        return session.messages();
    }

    /// Pages that were read from a disk so far.
    long diskReads() {
        return session instanceof PageSession pages ? pages.diskReads() : 0;
    }

    @Override
    public void close() {
        session.close();
    }
}
