package org.namdb.mvcc.gc;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.Latch;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;

/// Takes away, under its record's lock, a deleted record with its index entries, or an index entry
/// for a former value. An entry can't be added by a writer while it is removed here. The lock lasts
/// for a few round trips and those of the indexes (decision 0026).
///
/// Belongs to one thread.
final class RecordRemoval {
    /// Takes overflow versions that were cut off their record.
    @FunctionalInterface
    interface Overflow {
        /// Takes `newest` and all older ones.
        ///
        /// @param header the version that cut them off
        void free(HashTable table, long header, long newest);
    }

    private final QueuePair queuePair;
    private final RemoteAllocator bodies;
    private final RemoteAllocator oldVersions;
    private final IndexEntries indexes;
    private final LatchOwner owner;
    private final Intents intents;
    private final Overflow overflow;
    private final RecordLock lock;
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private final long[] keyOfEntry = new long[KeyLayout.MAX_WORDS];
    private boolean isDone;
    private boolean isElsewhere;

    /// @param bodies where bodies that are not inlined come from
    /// @param oldVersions where old-version buffers come from
    /// @param owner whose latches are taken
    /// @param intents where the session writes down what it locks
    RecordRemoval(
            QueuePair queuePair,
            RemoteAllocator bodies,
            RemoteAllocator oldVersions,
            IndexEntries indexes,
            LatchOwner owner,
            Intents intents,
            Overflow overflow) {
        this.queuePair = queuePair;
        this.bodies = bodies;
        this.oldVersions = oldVersions;
        this.indexes = indexes;
        this.owner = owner;
        this.intents = intents;
        this.overflow = overflow;
        this.lock = new RecordLock(queuePair, intents);
    }

    /// Tries it. Whatever it throws, [#letGo] has to follow.
    ///
    /// @param kind of the item
    /// @param entry the index entry, if it is for one
    void run(
            HashTable table,
            long kind,
            long[] entry,
            long header,
            long headerAddress,
            long bodyAddress) {
        isDone = false;
        isElsewhere = false;
        lock.post(table, header, headerAddress, bodyAddress);
        long body = queuePair.read(bodyAddress, table.layout().bodyBytes());
        queuePair.await();
        if (!lock.isWon()) {
            isElsewhere = isGone(lock.found());
        } else if (GarbageRing.kindOf(kind) == Garbage.DEAD_RECORD) {
            freeRecord(table, body, headerAddress, bodyAddress);
            isDone = true;
        } else {
            isDone = removeFormerEntry(table, kind, entry, header, headerAddress, body);
            isElsewhere = !isDone;
            lock.postRelease(header);
        }
        lock.postEnd();
    }

    /// Whether it is taken away.
    boolean isDone() {
        return isDone;
    }

    /// Whether the record is not where it was.
    boolean isElsewhere() {
        return isElsewhere;
    }

    /// What the record's header was when it was to be locked.
    long found() {
        return lock.found();
    }

    /// Something has failed: unlocks the record as it was, if it is locked.
    ///
    /// @return whether it is known that nothing is locked any more
    boolean letGo(Throwable failure) {
        return lock.letGo(failure);
    }

    static boolean isGone(long found) {
        return found == RecordHeader.FREE || RecordHeader.isClaimed(found);
    }

    private void freeRecord(HashTable table, long body, long headerAddress, long bodyAddress) {
        long versions = LocalMemory.longAt(body + RecordBody.VERSIONS_OFFSET);
        readKey(table, headerAddress);
        indexes.removeAll(table.id(), key, body + RecordBody.PAYLOAD_OFFSET);
        long home = table.home(table.hash(key));
        intents.postBucket(home, table.id());
        Latch.acquire(queuePair, home, owner);
        try {
            if (!RemoteAddress.isNull(versions)) {
                queuePair.writeWord(bodyAddress + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
            }
            lock.postRelease(RecordHeader.FREE);
        } finally {
            Latch.postRelease(queuePair, home);
        }
        if (!RemoteAddress.isNull(versions)) {
            long view = queuePair.read(versions + OldVersionBuffer.OVERFLOW_OFFSET, 8);
            queuePair.await();
            long newest = LocalMemory.longAt(view);
            oldVersions.free(versions, table.oldVersions().bytes());
            overflow.free(table, lock.found(), newest);
        } else {
            queuePair.await();
        }
        if (!table.layout().inlined()) {
            bodies.free(bodyAddress, table.layout().bodyBytes());
        }
    }

    /// @return whether the record, which is locked, is the one that the entry was for
    private boolean removeFormerEntry(
            HashTable table, long kind, long[] entry, long header, long headerAddress, long body) {
        int index = GarbageRing.indexOf(kind);
        if (!indexes.primaryKey(table.id(), index, entry, keyOfEntry)) {
            return true;
        }
        readKey(table, headerAddress);
        int words = table.layout().keyWords();
        if (!Arrays.equals(key, 0, words, keyOfEntry, 0, words)) {
            return false;
        }
        long payload = RecordHeader.isDeleted(header) ? 0 : body + RecordBody.PAYLOAD_OFFSET;
        indexes.removeFormer(table.id(), index, entry, key, payload);
        return true;
    }

    private void readKey(HashTable table, long headerAddress) {
        int words = table.layout().keyWords();
        long view = queuePair.read(headerAddress + BucketLayout.KEY_OFFSET, 8 * words);
        queuePair.await();
        for (int word = 0; word < words; word++) {
            key[word] = LocalMemory.longAt(view + 8L * word);
        }
    }
}
