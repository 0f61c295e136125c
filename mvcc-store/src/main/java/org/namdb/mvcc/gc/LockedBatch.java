package org.namdb.mvcc.gc;

import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordHeader;

/// Items of garbage whose records are locked together: by the same compare-and-swap as a writer's,
/// after their intents. Those that have changed meanwhile are skipped. Whatever fails on the way,
/// the locks that were taken are released on every server that answers.
///
/// Reusable; belongs to one thread.
abstract class LockedBatch {
    /// How far an item has come.
    enum Step {
        /// Nothing was posted.
        ADDED,
        /// The CAS is posted, and its result was not read.
        POSTED,
        /// The CAS failed.
        LOST,
        /// The record is locked.
        LOCKED,
        /// The record's header is posted as it was: it is not locked any more.
        LET_GO,
        /// It is posted that the record's entry is free.
        FREED
    }

    final QueuePair queuePair;
    final Intents intents;
    private final FirstFailure failures = new FirstFailure();
    private final HashTable[] tables;
    private final long[] kinds;
    private final long[] headers;
    private final long[] headerAddresses;
    private final long[] bodyAddresses;
    private final long[] casViews;
    private final long[] found;
    private final Step[] steps;

    /// Whether nothing is left to be done about an item.
    final boolean[] isDone;

    private int count;
    private boolean isEveryLockReleased = true;

    /// @param most the items of a batch. Few, so that their records are locked for a short time
    LockedBatch(QueuePair queuePair, Intents intents, int most) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.tables = new HashTable[most];
        this.kinds = new long[most];
        this.headers = new long[most];
        this.headerAddresses = new long[most];
        this.bodyAddresses = new long[most];
        this.casViews = new long[most];
        this.found = new long[most];
        this.steps = new Step[most];
        this.isDone = new boolean[most];
    }

    /// How many items there are.
    final int count() {
        return count;
    }

    final boolean isFull() {
        return count == steps.length;
    }

    /// Adds a record that is expected to have the header `header`.
    ///
    /// @param kind of the item
    final void addRecord(
            HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        tables[count] = table;
        kinds[count] = kind;
        headers[count] = header;
        headerAddresses[count] = headerAddress;
        bodyAddresses[count] = bodyAddress;
        found[count] = header;
        steps[count] = Step.ADDED;
        isDone[count] = false;
        count++;
    }

    /// Removes all items.
    void clear() {
        count = 0;
    }

    /// Posts the READs of what is wanted of item `i`'s record while it is locked.
    abstract void postReads(int i);

    /// Locks all records that are as they are expected to be: one round trip.
    final void lock() {
        isEveryLockReleased = true;
        intents.start();
        for (int i = 0; i < count; i++) {
            boolean inlined = tables[i].layout().inlined();
            long body = inlined ? bodyAddresses[i] : RemoteAddress.NULL;
            intents.addLock(headerAddresses[i], headers[i], tables[i].id(), body);
        }
        intents.post();
        for (int i = 0; i < count; i++) {
            casViews[i] =
                    queuePair.compareAndSwap(
                            headerAddresses[i], headers[i], RecordHeader.lock(headers[i]));
            steps[i] = Step.POSTED;
            postReads(i);
        }
        queuePair.await();
        settle();
    }

    private void settle() {
        for (int i = 0; i < count; i++) {
            if (steps[i] == Step.POSTED) {
                found[i] = LocalMemory.longAt(casViews[i]);
                steps[i] = found[i] == headers[i] ? Step.LOCKED : Step.LOST;
            }
        }
    }

    /// Posts the header of item `i`'s record as it was before it was locked.
    final void postRelease(int i) {
        postHeader(i, headers[i], Step.LET_GO);
    }

    /// Posts that the entry of item `i`'s record is free.
    final void postFree(int i) {
        postHeader(i, RecordHeader.FREE, Step.FREED);
    }

    private void postHeader(int i, long header, Step then) {
        queuePair.writeWord(headerAddresses[i], header);
        steps[i] = then;
    }

    /// Something has failed: unlocks what is locked as it was, each alone, since others may fail.
    ///
    /// @return whether what was posted before has surely taken effect
    final boolean letGoOfAll(Throwable failure) {
        failures.clear();
        failures.add(failure);
        boolean isAwaited = awaitPosted();
        settle();
        isEveryLockReleased = isAwaited;
        for (int i = 0; i < count; i++) {
            isEveryLockReleased &= steps[i] != Step.LOCKED || letGo(i);
        }
        if (isEveryLockReleased) {
            failures.attempt(intents::postEnd);
            isEveryLockReleased = awaitPosted();
        }
        return isAwaited;
    }

    private boolean awaitPosted() {
        try {
            queuePair.await();
            return true;
        } catch (Throwable e) {
            failures.add(e);
            return false;
        }
    }

    private boolean letGo(int i) {
        for (int tries = 2; tries > 0 && steps[i] == Step.LOCKED; tries--) {
            try {
                postRelease(i);
                queuePair.await();
            } catch (Throwable e) {
                failures.add(e); // a verb that throws has done nothing
            }
        }
        return steps[i] == Step.LET_GO;
    }

    /// After a failure: whether nothing is surely locked any more.
    final boolean isEveryLockReleased() {
        return isEveryLockReleased;
    }

    /// How far item `i` has come.
    final Step step(int i) {
        return steps[i];
    }

    /// Whether nothing is left to be done about item `i`.
    final boolean isDone(int i) {
        return isDone[i];
    }

    /// What the header of item `i`'s record was when it was to be locked.
    final long found(int i) {
        return found[i];
    }

    final long header(int i) {
        return headers[i];
    }

    final long kind(int i) {
        return kinds[i];
    }

    final HashTable table(int i) {
        return tables[i];
    }

    final long headerAddress(int i) {
        return headerAddresses[i];
    }

    final long bodyAddress(int i) {
        return bodyAddresses[i];
    }
}
