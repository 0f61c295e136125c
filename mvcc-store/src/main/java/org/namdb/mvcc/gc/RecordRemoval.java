package org.namdb.mvcc.gc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.LatchRounds;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;

/// Removes, under their records' locks, deleted records with their index entries, and index entries
/// for former values; several at once, in as many round trips as one:
/// ```
/// WRITE intents to lock them
/// CAS header h -> h|L, READ body, key               those that changed meanwhile are skipped
/// READ leaf, CAS its latch, WRITE what changes      of all their index entries
/// of a former entry:  WRITE header h
/// of a dead record:   CAS latch of its bucket
///                     WRITE versions pointer = null, header = free, latch = 0
///                     READ overflow pointer         of a buffer that nothing points to any more
/// WRITE that the attempt is over
/// ```
/// An entry can't be added by a writer while it is removed here. The locks last for a few round
/// trips and those of the indexes (decision 0026).
///
/// Belongs to one thread.
final class RecordRemoval extends LockedBatch {
    /// The items of a batch. Few, so that their records are locked for a short time.
    static final int MAX_REMOVALS = 16;

    private final RemoteAllocator bodies;
    private final RemoteAllocator oldVersions;
    private final IndexEntries indexes;
    private final EntryRemovals removals;
    private final LatchRounds latches;
    private final LatchRounds.Work freeing = this::freeInBucket;
    private final long[][] entries = new long[MAX_REMOVALS][KeyLayout.MAX_WORDS];
    private final long[] bodyViews = new long[MAX_REMOVALS];
    private final long[] keyViews = new long[MAX_REMOVALS];

    /// Of dead records that are locked: the old-version buffer, or null.
    private final long[] versions = new long[MAX_REMOVALS];

    /// Where its overflow pointer lands, and then that pointer.
    private final long[] overflows = new long[MAX_REMOVALS];

    private final long[] hashes = new long[MAX_REMOVALS];
    private final long[] homes = new long[MAX_REMOVALS];
    private final boolean[] isElsewhere = new boolean[MAX_REMOVALS];
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private final long[] keyOfEntry = new long[KeyLayout.MAX_WORDS];
    private int landedBytes;
    private int locks;

    /// Why records of some buckets stay, if they do.
    private @Nullable LatchTimeoutException timeout;

    /// @param bodies where bodies that are not inlined come from
    /// @param oldVersions where old-version buffers come from
    /// @param removals what index entries are removed by
    /// @param owner whose latches are taken
    /// @param intents the session's intents
    RecordRemoval(
            QueuePair queuePair,
            RemoteAllocator bodies,
            RemoteAllocator oldVersions,
            IndexEntries indexes,
            EntryRemovals removals,
            LatchOwner owner,
            Intents intents) {
        super(queuePair, intents, MAX_REMOVALS);
        this.bodies = bodies;
        this.oldVersions = oldVersions;
        this.indexes = indexes;
        this.removals = removals;
        this.latches = new LatchRounds(queuePair, owner);
    }

    /// Whether one more goes with the others: all together land no more than one batch may, so that
    /// what was read of the records outlasts the work on the indexes, and lock no more than the
    /// intents hold without more memory, of which there may be none; and no record is in the batch
    /// twice.
    boolean hasCapacityFor(HashTable table, long kind, long headerAddress) {
        if (count() == 0) {
            return true;
        }
        if (isFull()
                || GarbageRing.isAlone(kind)
                || GarbageRing.isAlone(kind(0))
                || landedBytes + landed(table) > queuePair.batchBytes()
                || locks + locks(table) > Intents.ENTRIES_WITHOUT_MEMORY) {
            return false;
        }
        for (int i = 0; i < count(); i++) {
            if (headerAddress(i) == headerAddress) {
                return false;
            }
        }
        return true;
    }

    /// The record, its bucket, and a bucket of each hashed index.
    private int locks(HashTable table) {
        return 2 + indexes.hashed(table.id());
    }

    private static int landed(HashTable table) {
        return table.layout().bodyBytes() + Long.BYTES * (table.layout().keyWords() + 1);
    }

    /// Adds an item.
    ///
    /// @param kind of the item
    /// @param entry the index entry, if it is for one; is copied
    void add(
            HashTable table,
            long kind,
            long[] entry,
            long header,
            long headerAddress,
            long bodyAddress) {
        System.arraycopy(entry, 0, entries[count()], 0, entry.length);
        isElsewhere[count()] = false;
        overflows[count()] = RemoteAddress.NULL;
        landedBytes += landed(table);
        locks += locks(table);
        addRecord(table, kind, header, headerAddress, bodyAddress);
    }

    /// Executes all that were added. What is neither [done][#isDone] nor [elsewhere][#isElsewhere]
    /// then, whatever it throws, is to be tried again.
    ///
    /// @throws LatchTimeoutException if what is to be latched stays latched; some may be done
    void run() {
        timeout = null;
        try {
            lock();
            prepareRemovals();
            removals.run();
            settleFormerEntries();
            freeRecords();
            intents.postEnd();
            queuePair.await();
        } catch (Throwable e) {
            letGo(e);
            throw e;
        }
        for (int i = 0; i < count(); i++) {
            if (isFreed(i)) {
                freeUnused(i);
            }
        }
        LatchTimeoutException late = timeout;
        if (late != null) {
            throw late;
        }
    }

    @Override
    void postReads(int i) {
        bodyViews[i] = queuePair.read(bodyAddress(i), table(i).layout().bodyBytes());
        keyViews[i] =
                queuePair.read(
                        headerAddress(i) + BucketLayout.KEY_OFFSET,
                        Long.BYTES * table(i).layout().keyWords());
    }

    private boolean isDeadRecord(int i) {
        return GarbageRing.kindOf(kind(i)) == Garbage.DEAD_RECORD;
    }

    /// Takes what is needed of what was read. The removals of some index entries may be done now.
    private void prepareRemovals() {
        for (int i = 0; i < count(); i++) {
            if (step(i) != Step.LOCKED) {
                isElsewhere[i] = isGone(found(i));
                continue;
            }
            HashTable table = table(i);
            for (int word = 0; word < table.layout().keyWords(); word++) {
                key[word] = LocalMemory.longAt(keyViews[i] + (long) Long.BYTES * word);
            }
            long payload = bodyViews[i] + RecordBody.PAYLOAD_OFFSET;
            if (isDeadRecord(i)) {
                versions[i] = LocalMemory.longAt(bodyViews[i] + RecordBody.VERSIONS_OFFSET);
                hashes[i] = table.hash(key);
                homes[i] = table.home(hashes[i]);
                indexes.removeAll(table.id(), key, payload, removals);
            } else {
                isElsewhere[i] = !prepareFormerEntry(i, payload);
            }
        }
    }

    /// @return whether the record, which is locked, is the one that the entry was for
    private boolean prepareFormerEntry(int i, long payload) {
        int table = table(i).id();
        int index = GarbageRing.indexOf(kind(i));
        if (!indexes.primaryKey(table, index, entries[i], keyOfEntry)) {
            return true;
        }
        int words = table(i).layout().keyWords();
        if (!Arrays.equals(key, 0, words, keyOfEntry, 0, words)) {
            return false;
        }
        long image = RecordHeader.isDeleted(header(i)) ? 0 : payload;
        indexes.removeFormer(table, index, entries[i], key, image, removals);
        return true;
    }

    private void settleFormerEntries() {
        for (int i = 0; i < count(); i++) {
            if (step(i) == Step.LOCKED && !isDeadRecord(i)) {
                isDone[i] = !isElsewhere[i];
                postRelease(i);
            }
        }
    }

    private void freeRecords() {
        latches.clear();
        for (int i = 0; i < count(); i++) {
            addLatch(i);
        }
        try {
            boolean _ = latches.run(freeing);
        } catch (LatchTimeoutException e) {
            timeout = e;
            for (int i = 0; i < count(); i++) {
                if (isToBeFreed(i)) {
                    postRelease(i);
                }
            }
        }
        for (int i = 0; i < count(); i++) {
            if (isFreed(i) && !RemoteAddress.isNull(versions[i])) {
                overflows[i] =
                        queuePair.read(versions[i] + OldVersionBuffer.OVERFLOW_OFFSET, Long.BYTES);
            }
        }
    }

    private void addLatch(int i) {
        if (isToBeFreed(i) && isFirstInBucket(i)) {
            intents.postBucket(homes[i], table(i).id());
            latches.add(i, homes[i], BucketLayout.ENTRIES_OFFSET);
        }
    }

    private boolean isToBeFreed(int i) {
        return step(i) == Step.LOCKED && isDeadRecord(i);
    }

    private boolean isFreed(int i) {
        return step(i) == Step.FREED;
    }

    private boolean isFirstInBucket(int i) {
        for (int before = 0; before < i; before++) {
            if (isToBeFreed(before) && homes[before] == homes[i]) {
                return false;
            }
        }
        return true;
    }

    /// Frees all records of the bucket of item `first`, whose latch is held. Those that it is not
    /// for any more, since it was split, have their turn in the next round.
    private boolean freeInBucket(int first, long view) {
        long home = homes[first];
        for (int i = first; i < count(); i++) {
            if (!isToBeFreed(i) || homes[i] != home) {
                continue;
            }
            if (!PlantedFault.REMOVAL_HOME_STALE.isPlanted()) {
                homes[i] = table(i).homeBehind(queuePair, hashes[i], home, view);
            }
            if (homes[i] != home) {
                addLatch(i);
            } else {
                if (!RemoteAddress.isNull(versions[i])) {
                    queuePair.writeWord(
                            bodyAddress(i) + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
                }
                postFree(i);
            }
        }
        return true;
    }

    /// Frees the memory of a record whose entry is free.
    private void freeUnused(int i) {
        isDone[i] = true;
        if (!RemoteAddress.isNull(versions[i])) {
            overflows[i] = LocalMemory.longAt(overflows[i]);
            oldVersions.free(versions[i], table(i).oldVersions().bytes());
        }
        if (!table(i).layout().inlined()) {
            bodies.free(bodyAddress(i), table(i).layout().bodyBytes());
        }
    }

    /// Something has failed: unlocks what is locked. The memory of records that were freed is lost,
    /// as it is unknown whether that took effect.
    private void letGo(Throwable failure) {
        removals.clear();
        Arrays.fill(isDone, false);
        Arrays.fill(isElsewhere, false);
        Arrays.fill(overflows, RemoteAddress.NULL);
        boolean _ = letGoOfAll(failure);
    }

    /// Whether the record of item `i` is not where it was.
    boolean isElsewhere(int i) {
        return isElsewhere[i];
    }

    /// The overflow versions of the record of item `i`, which nothing points to any more, or null.
    long cutOverflow(int i) {
        return isDone[i] ? overflows[i] : RemoteAddress.NULL;
    }

    /// The index entry that item `i` is for, if it is for one.
    long[] entry(int i) {
        return entries[i];
    }

    @Override
    void clear() {
        super.clear();
        landedBytes = 0;
        locks = 0;
    }

    static boolean isGone(long found) {
        return found == RecordHeader.FREE || RecordHeader.isClaimed(found);
    }
}
