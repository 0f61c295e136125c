package org.namdb.mvcc.gc;

import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.HashTable;

/// What one thread's commits have left behind, and what a sweep has found, until a
/// [GarbageCollector] collects it. Each item names a record and the header of the version that made
/// it garbage.
///
/// **Two queues.** What this thread's commits leave comes in an order in which the low watermark
/// rises, more or less: if the first item has to wait, so have most others. Items that failed once,
/// and those that the sweep finds, have headers of other sessions in any order: one that has to
/// wait, perhaps forever as its writer is dead, must not block those behind it. Each of these is
/// checked once in a pass.
///
/// Belongs to one thread.
public final class Garbage {
    static final int VERSIONS = 0;
    static final int DEAD_RECORD = 1;
    static final int FORMER_ENTRY = 2;
    static final int CUT_OVERFLOW = 3;

    /// What a pass does at least, if there is so much.
    static final int MIN_ITEMS = 1 << 10;

    private static final long[] NO_ENTRY = new long[0];

    final GarbageRing own = new GarbageRing();
    final GarbageRing later = new GarbageRing();
    private long addedSince;

    /// A commit of this thread gave a record an old-version buffer with the version `header`.
    public void addVersions(HashTable table, long header, long headerAddress, long bodyAddress) {
        add(kind(VERSIONS, table), header, headerAddress, bodyAddress, NO_ENTRY);
    }

    /// A commit of this thread deleted a record by the version `header`.
    public void addDeadRecord(HashTable table, long header, long headerAddress, long bodyAddress) {
        add(kind(DEAD_RECORD, table), header, headerAddress, bodyAddress, NO_ENTRY);
    }

    /// The version `header` replaced a value that index number `index` has `formerEntry` for, an
    /// entry of `entryWords` words.
    public void addFormerEntry(
            HashTable table,
            int index,
            long[] formerEntry,
            int entryWords,
            long header,
            long headerAddress,
            long bodyAddress) {
        long kind = GarbageRing.kind(FORMER_ENTRY, table.id(), index, entryWords);
        add(kind, header, headerAddress, bodyAddress, formerEntry);
    }

    /// The overflow versions from `newest` on were cut off their record.
    public void addCutOverflow(HashTable table, long header, long newest) {
        add(kind(CUT_OVERFLOW, table), header, newest, RemoteAddress.NULL, NO_ENTRY);
    }

    private void add(
            long kind, long header, long headerAddress, long bodyAddress, long[] entryWords) {
        addedSince++;
        own.add(kind, header, headerAddress, bodyAddress, entryWords);
    }

    /// A record with old versions of any session was found.
    public void foundVersions(HashTable table, long header, long headerAddress, long bodyAddress) {
        later.add(kind(VERSIONS, table), header, headerAddress, bodyAddress, NO_ENTRY);
    }

    /// A record that any session has deleted was found.
    public void foundDeadRecord(
            HashTable table, long header, long headerAddress, long bodyAddress) {
        later.add(kind(DEAD_RECORD, table), header, headerAddress, bodyAddress, NO_ENTRY);
    }

    /// How many items wait.
    public long waiting() {
        return own.size() + later.size();
    }

    /// Whether so much was added since the last pass that the next one should not be deferred.
    public boolean isDue() {
        return addedSince >= MIN_ITEMS;
    }

    /// Whether so much waits that one more pass should follow soon, if the low watermark rises.
    public boolean isBehind() {
        return own.size() >= MIN_ITEMS;
    }

    /// How many items were dropped because too many waited.
    public long dropped() {
        return own.dropped() + later.dropped();
    }

    /// A pass begins.
    void startPass() {
        addedSince = 0;
    }

    /// What is left of overflow versions that were cut off waits for a later pass.
    void putOffOverflow(HashTable table, long header, long newest) {
        later.add(kind(CUT_OVERFLOW, table), header, newest, RemoteAddress.NULL, NO_ENTRY);
    }

    private static long kind(int kind, HashTable table) {
        return GarbageRing.kind(kind, table.id(), 0, 0);
    }
}
