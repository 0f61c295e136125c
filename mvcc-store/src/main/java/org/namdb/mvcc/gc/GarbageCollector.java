package org.namdb.mvcc.gc;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LatchOwner;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.Latch;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.Snapshot;

/// One thread's collector of what its commits leave behind. Each item names a record and the header of the version that made
/// it garbage; once the low watermark sees that header, no live snapshot needs what came before:
/// - the old-version buffer and overflow versions of a record: given back, if the record has not changed since; else the
///   item waits for the newer version. So a record that is updated all the time keeps its buffer, and the buffers of all others
///   go round in a small, warm pool;
/// - a deleted record: its index entries go, then its versions, then its entry in the bucket;
/// - an index entry for a former value: it goes, unless the record has come back to that value;
/// - overflow versions that were cut off already.
///
/// All but the last happen under the record's lock, taken by the same compare-and-swap as a writer's: an index entry
/// can not be added by a writer while it is removed here. Who loses the swap tries later; a writer who loses it retries.
///
/// Belongs to one thread.
public final class GarbageCollector {
    private static final int VERSIONS = 0;
    private static final int DEAD_RECORD = 1;
    private static final int FORMER_ENTRY = 2;
    private static final int CUT_OVERFLOW = 3;

    private final QueuePair queuePair;
    private final RemoteAllocator bodies;
    private final RemoteAllocator oldVersions;
    private final IntFunction<@Nullable HashTable> tables;
    private final IndexEntries indexes;
    private final LatchOwner owner;
    private final Intents intents;
    private final VersionReclaim reclaim;
    private final GarbageRing ring = new GarbageRing();
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private final long[] entry = new long[KeyLayout.MAX_WORDS];
    private long collected;

    /// @param bodies where bodies that are not inlined come from
    /// @param oldVersions where old-version buffers and overflow versions come from
    /// @param tables finds a table by its number; null once it is dropped
    /// @param owner whose latches it takes
    /// @param intents where the session writes down what it locks
    public GarbageCollector(
            QueuePair queuePair,
            RemoteAllocator bodies,
            RemoteAllocator oldVersions,
            IntFunction<@Nullable HashTable> tables,
            IndexEntries indexes,
            LatchOwner owner,
            Intents intents) {
        this.owner = owner;
        this.queuePair = queuePair;
        this.bodies = bodies;
        this.oldVersions = oldVersions;
        this.intents = intents;
        this.reclaim = new VersionReclaim(queuePair, oldVersions, intents);
        this.tables = tables;
        this.indexes = indexes;
    }

    /// A record got an old-version buffer with the version `header`.
    public void addVersions(HashTable table, long header, long headerAddress, long bodyAddress) {
        ring.add(kind(VERSIONS, table), header, headerAddress, bodyAddress, entry);
    }

    /// A record was deleted by the version `header`.
    public void addDeadRecord(HashTable table, long header, long headerAddress, long bodyAddress) {
        ring.add(kind(DEAD_RECORD, table), header, headerAddress, bodyAddress, entry);
    }

    /// The version `header` took a value away that index number `index` has `formerEntry` for, an entry of `entryWords` words.
    public void addFormerEntry(
            HashTable table,
            int index,
            long[] formerEntry,
            int entryWords,
            long header,
            long headerAddress,
            long bodyAddress) {
        long kind = GarbageRing.kind(FORMER_ENTRY, table.id(), index, entryWords);
        ring.add(kind, header, headerAddress, bodyAddress, formerEntry);
    }

    /// The overflow versions from `newest` on were cut off their record.
    public void addCutOverflow(HashTable table, long header, long newest) {
        ring.add(kind(CUT_OVERFLOW, table), header, newest, RemoteAddress.NULL, entry);
    }

    /// How many items wait.
    public long waiting() {
        return ring.size();
    }

    /// How many items were done with.
    public long collected() {
        return collected;
    }

    /// How many items were forgotten because too many waited.
    public long dropped() {
        return ring.dropped();
    }

    /// Does at most `most` items that no snapshot from the low watermark on needs.
    public void collect(Snapshot lowWatermark, int most) {
        for (int i = 0; i < most && ring.size() > 0; i++) {
            int at = ring.first();
            long header = ring.word(at + GarbageRing.HEADER);
            if (!lowWatermark.sees(header)) {
                break;
            }
            long kind = ring.word(at + GarbageRing.KIND);
            long headerAddress = ring.word(at + GarbageRing.HEADER_ADDRESS);
            long bodyAddress = ring.word(at + GarbageRing.BODY_ADDRESS);
            ring.removeFirst(entry);
            collected++;
            HashTable table = tables.apply(GarbageRing.tableOf(kind));
            if (table != null) {
                collect(table, kind, header, headerAddress, bodyAddress);
            }
        }
        runReclaim();
    }

    /// Forgets everything that waits for a table: it is dropped, and its memory is given back as a whole. What nothing in the table points to any more is given back
    /// here.
    ///
    /// Called by a thread that has the collector to itself, before the table's memory goes.
    public void forget(HashTable table) {
        for (long left = ring.size(); left > 0; left--) {
            int at = ring.first();
            long kind = ring.word(at + GarbageRing.KIND);
            if (GarbageRing.tableOf(kind) == table.id()
                    && GarbageRing.kindOf(kind) == CUT_OVERFLOW) {
                reclaim.freeOverflow(table, ring.word(at + GarbageRing.HEADER_ADDRESS));
            }
            ring.rotate(GarbageRing.tableOf(kind) != table.id(), entry);
        }
    }

    private void collect(
            HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        switch (GarbageRing.kindOf(kind)) {
            case VERSIONS -> {
                reclaim.add(table, header, headerAddress, bodyAddress);
                if (reclaim.isFull()) {
                    runReclaim();
                }
            }
            case CUT_OVERFLOW -> reclaim.freeOverflow(table, headerAddress);
            default -> collectIndexed(table, kind, header, headerAddress, bodyAddress);
        }
    }

    private void runReclaim() {
        reclaim.run();
        for (int i = 0; i < reclaim.count(); i++) {
            if (reclaim.found(i) != reclaim.header(i)) {
                retryLater(
                        reclaim.table(i),
                        kind(VERSIONS, reclaim.table(i)),
                        reclaim.found(i),
                        reclaim.headerAddress(i),
                        reclaim.bodyAddress(i));
            }
        }
        reclaim.clear();
    }

    /// A dead record, or an index entry for a former value.
    private void collectIndexed(
            HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        runReclaim();
        boolean inlined = table.layout().inlined();
        intents.start();
        intents.postLock(
                headerAddress, header, table.id(), inlined ? bodyAddress : RemoteAddress.NULL);
        long swap = queuePair.compareAndSwap(headerAddress, header, RecordHeader.lock(header));
        long body = queuePair.read(bodyAddress, table.layout().bodyBytes());
        queuePair.await();
        long found = LocalMemory.longAt(swap);
        if (found != header) {
            retryLater(table, kind, found, headerAddress, bodyAddress);
        } else if (GarbageRing.kindOf(kind) == DEAD_RECORD) {
            freeRecord(table, body, headerAddress, bodyAddress);
        } else {
            removeFormerEntry(table, GarbageRing.indexOf(kind), header, headerAddress, body);
            queuePair.writeWord(headerAddress, header);
        }
        intents.postEnd();
    }

    /// The record has changed since, or someone holds it: what came before its newer version can go when the watermark has
    /// passed that one.
    private void retryLater(
            HashTable table, long kind, long found, long headerAddress, long bodyAddress) {
        boolean gone = found == RecordHeader.FREE || RecordHeader.isClaimed(found);
        if (gone || GarbageRing.kindOf(kind) == DEAD_RECORD && !RecordHeader.isDeleted(found)) {
            return;
        }
        ring.add(
                kind,
                RecordHeader.unlocked(found),
                headerAddress,
                table.layout().inlined() ? bodyAddress : bodyOf(table, headerAddress),
                entry);
    }

    /// The body that an entry has now: another one than before, where the entry was freed and given to another record. Should it be freed once more
    /// before this is read, then the header is not what was found, and the item comes back here.
    private long bodyOf(HashTable table, long headerAddress) {
        long view = queuePair.read(headerAddress + table.layout().bodyPointerOffset(), 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    private void freeVersions(HashTable table, long body, long bodyAddress) {
        long versions = LocalMemory.longAt(body + RecordBody.VERSIONS_OFFSET);
        if (RemoteAddress.isNull(versions)) {
            return;
        }
        long view = queuePair.read(versions + OldVersionBuffer.OVERFLOW_OFFSET, 8);
        queuePair.writeWord(bodyAddress + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
        queuePair.await();
        reclaim.freeOverflow(table, LocalMemory.longAt(view));
        oldVersions.free(versions, table.oldVersions().bytes());
    }

    private void freeRecord(HashTable table, long body, long headerAddress, long bodyAddress) {
        readKey(table, headerAddress);
        indexes.removeAll(table.id(), key, body + RecordBody.PAYLOAD_OFFSET);
        long again = queuePair.read(bodyAddress, RecordBody.PAYLOAD_OFFSET);
        queuePair.await();
        freeVersions(table, again, bodyAddress);
        long home = table.home(table.hash(key));
        intents.postBucket(home, table.id());
        Latch.acquire(queuePair, home, owner);
        queuePair.writeWord(headerAddress, RecordHeader.FREE);
        Latch.postRelease(queuePair, home);
        queuePair.await();
        if (!table.layout().inlined()) {
            bodies.free(bodyAddress, table.layout().bodyBytes());
        }
    }

    private void removeFormerEntry(
            HashTable table, int index, long header, long headerAddress, long body) {
        readKey(table, headerAddress);
        long payload = RecordHeader.isDeleted(header) ? 0 : body + RecordBody.PAYLOAD_OFFSET;
        indexes.removeFormer(table.id(), index, entry, key, payload);
    }

    private void readKey(HashTable table, long headerAddress) {
        int words = table.layout().keyWords();
        long view = queuePair.read(headerAddress + BucketLayout.KEY_OFFSET, 8 * words);
        queuePair.await();
        for (int word = 0; word < words; word++) {
            key[word] = LocalMemory.longAt(view + 8L * word);
        }
    }

    private static long kind(int kind, HashTable table) {
        return GarbageRing.kind(kind, table.id(), 0, 0);
    }
}
