package org.namdb.mvcc.gc;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.DurableCommits;
import org.namdb.timestamp.snapshot.Snapshot;

/// One thread's collector of what its commits leave behind, its [Garbage]. Once the low watermark
/// sees the header of the version that made it garbage, no live snapshot needs what came before:
/// - the old-version buffer and overflow versions of a record: freed, if the record has not changed
///   since; else the item waits for the newer version, a few times, and is then left to the sweep.
///   So a record that is updated all the time keeps its buffer, and its lock is not taken
///   needlessly; the buffers of all others circulate in a small, warm pool;
/// - a deleted record: its index entries are removed, then its versions, then its bucket entry;
/// - an index entry for a former value: removed, unless the record has that value again; also if
///   the record itself [is gone](OrphanedEntries);
/// - overflow versions that were cut off already.
///
/// All but the last happen under the record's lock, taken by the same compare-and-swap as a
/// writer's: an index entry can not be added by a writer while it is removed here. If the
/// collector's CAS fails, it tries later; a writer whose CAS fails retries.
///
/// **A memory server that is gone** affects no other: its items are skipped for more and more
/// passes, and nothing stays locked on the others. The same holds for items whose wait for a latch
/// of an index times out.
///
/// **What is durable.** Where readers wait only for what they have seen, no record and no index
/// entry is removed for a commit that a crash may still undo: a reader would not see that it was
/// removed. Old versions are: the record shows the commit.
///
/// Belongs to one thread.
public final class GarbageCollector {
    /// How often a record's versions are tried before they are left to the sweep.
    private static final int MAX_TRIES = 3;

    /// What is skipped when it is no memory server: all that needs latches.
    private static final int LATCHES = RemoteAddress.MAX_SERVERS;

    private final QueuePair queuePair;
    private final IntFunction<@Nullable HashTable> tables;
    private final Garbage garbage = new Garbage();
    private final VersionReclaim reclaim;
    private final RecordRemoval removal;
    private final OrphanedEntries orphans;

    /// The items that failed in this pass: they go behind all that were not tried, so that none
    /// waits forever behind one that can't be collected.
    private final GarbageRing failed = new GarbageRing(RecordRemoval.MAX_REMOVALS);

    /// The index entry of the item at hand.
    private final long[] entry = new long[KeyLayout.MAX_WORDS];

    private @Nullable DurableCommits durable;
    private @Nullable Throwable fatalFailure;
    private long collected;

    /// Of memory servers, and behind them of latches.
    private final RetryBackoff backoff = new RetryBackoff(RemoteAddress.MAX_SERVERS + 1);

    /// @param bodies where bodies that are not inlined come from
    /// @param oldVersions where old-version buffers and overflow versions come from
    /// @param tables finds a table by its number; null once it is dropped
    /// @param owner whose latches it takes
    /// @param intents the session's intents
    public GarbageCollector(
            QueuePair queuePair,
            RemoteAllocator bodies,
            RemoteAllocator oldVersions,
            IntFunction<@Nullable HashTable> tables,
            IndexEntries indexes,
            LatchOwner owner,
            Intents intents) {
        this.queuePair = queuePair;
        this.reclaim = new VersionReclaim(queuePair, oldVersions, intents);
        EntryRemovals removals = new EntryRemovals(queuePair);
        this.removal =
                new RecordRemoval(
                        queuePair, bodies, oldVersions, indexes, removals, owner, intents);
        this.orphans =
                new OrphanedEntries(
                        queuePair, bodies, oldVersions, owner, intents, indexes, removals);
        this.tables = tables;
    }

    /// From now on it keeps records and index entries for commits that are not durable yet.
    ///
    /// @param commits null to await none
    public void awaitDurable(@Nullable DurableCommits commits) {
        durable = commits;
    }

    private boolean isDue(Snapshot lowWatermark, GarbageRing ring, int at) {
        DurableCommits awaited = durable;
        long header = ring.word(at + GarbageRing.HEADER);
        return lowWatermark.sees(header)
                && (awaited == null
                        || GarbageRing.kindOf(ring.word(at + GarbageRing.KIND)) == Garbage.VERSIONS
                        || awaited.has(header)
                        || PlantedFault.COLLECTED_BEFORE_DURABLE.isPlanted());
    }

    /// The garbage to be collected, to which commits and the sweep add.
    public Garbage garbage() {
        return garbage;
    }

    /// How many items were finished.
    public long collected() {
        return collected;
    }

    /// The failure that may have left something locked, which only recovery can release. Null if
    /// there was none.
    public @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    /// Does a good part of what waits, however much that is: so what waits stays in proportion to
    /// what is added between two passes, and no pass has to do all that a large transaction left.
    public void keepUp(Snapshot lowWatermark) {
        collect(lowWatermark, (int) Math.max(Garbage.MIN_ITEMS, garbage.waiting() / 2));
    }

    /// Does, of each queue, at most `most` items that no snapshot from the low watermark on needs.
    ///
    /// @throws FabricException if the connection is lost. A memory server that is gone is none
    public void collect(Snapshot lowWatermark, int most) {
        boolean isOver = false;
        try {
            collectDue(lowWatermark, most);
            isOver = true;
        } finally {
            if (!isOver) {
                putBackPending();
            }
            while (failed.size() > 0) {
                move(failed, garbage.later);
            }
        }
    }

    private void collectDue(Snapshot lowWatermark, int most) {
        backoff.startPass();
        garbage.startPass();
        GarbageRing later = garbage.later;
        for (long left = Math.min(later.size(), most); left > 0; left--) {
            int at = later.first();
            if (isDue(lowWatermark, later, at)
                    && !isResting(later.word(at + GarbageRing.KIND), headerAddress(later))) {
                takeFirst(later);
            } else {
                later.rotate(true, entry);
            }
        }
        for (int left = most; left > 0 && isFirstDue(lowWatermark, garbage.own); left--) {
            takeFirst(garbage.own);
        }
        runReclaim();
        runRemoval();
        queuePair.await();
    }

    private void move(GarbageRing from, GarbageRing to) {
        int at = from.first();
        long kind = from.word(at + GarbageRing.KIND);
        long header = from.word(at + GarbageRing.HEADER);
        long headerAddress = from.word(at + GarbageRing.HEADER_ADDRESS);
        long bodyAddress = from.word(at + GarbageRing.BODY_ADDRESS);
        from.removeFirst(entry);
        to.add(kind, header, headerAddress, bodyAddress, entry);
    }

    /// After a failure: moves the batch's items to where [#forget] finds them.
    private void putBackPending() {
        for (int i = 0; i < reclaim.count(); i++) {
            garbage.later.add(
                    reclaim.kind(i),
                    reclaim.header(i),
                    reclaim.headerAddress(i),
                    reclaim.bodyAddress(i),
                    entry);
        }
        reclaim.clear();
        for (int i = 0; i < removal.count(); i++) {
            garbage.later.add(
                    removal.kind(i),
                    removal.header(i),
                    removal.headerAddress(i),
                    removal.bodyAddress(i),
                    removal.entry(i));
        }
        removal.clear();
    }

    private boolean isFirstDue(Snapshot lowWatermark, GarbageRing ring) {
        if (ring.size() == 0) {
            return false;
        }
        int at = ring.first();
        return isDue(lowWatermark, ring, at)
                || PlantedFault.RING_FREED_EARLY.isPlanted()
                        && GarbageRing.kindOf(ring.word(at + GarbageRing.KIND)) == Garbage.VERSIONS;
    }

    private static long headerAddress(GarbageRing ring) {
        return ring.word(ring.first() + GarbageRing.HEADER_ADDRESS);
    }

    private void takeFirst(GarbageRing ring) {
        int at = ring.first();
        long header = ring.word(at + GarbageRing.HEADER);
        long kind = ring.word(at + GarbageRing.KIND);
        long headerAddress = ring.word(at + GarbageRing.HEADER_ADDRESS);
        long bodyAddress = ring.word(at + GarbageRing.BODY_ADDRESS);
        ring.removeFirst(entry);
        HashTable table = tables.apply(GarbageRing.tableOf(kind));
        if (table == null) {
            collected++;
        } else if (isResting(kind, headerAddress)) {
            garbage.later.add(kind, header, headerAddress, bodyAddress, entry);
        } else {
            collect(table, kind, header, headerAddress, bodyAddress);
        }
    }

    /// Drops all items of a table: it is dropped, and its memory is freed as a whole. What nothing
    /// in the table points to any more is freed here.
    ///
    /// Called by a thread that has the collector to itself, before the table's memory goes.
    public void forget(HashTable table) {
        forget(garbage.own, table);
        forget(garbage.later, table);
    }

    private void forget(GarbageRing ring, HashTable table) {
        for (long left = ring.size(); left > 0; left--) {
            int at = ring.first();
            long kind = ring.word(at + GarbageRing.KIND);
            boolean isOfTable = GarbageRing.tableOf(kind) == table.id();
            long newest = ring.word(at + GarbageRing.HEADER_ADDRESS);
            ring.rotate(!isOfTable, entry);
            if (isOfTable && GarbageRing.kindOf(kind) == Garbage.CUT_OVERFLOW) {
                while (!RemoteAddress.isNull(newest)) {
                    newest = reclaim.freeNewest(table, newest);
                }
            }
        }
    }

    private void collect(
            HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        int what = GarbageRing.kindOf(kind);
        if (what != Garbage.CUT_OVERFLOW && RemoteAddress.isNull(bodyAddress)) {
            findBody(table, kind, header, headerAddress);
            return;
        }
        switch (what) {
            case Garbage.VERSIONS -> {
                reclaim.add(table, kind, header, headerAddress, bodyAddress);
                if (reclaim.isFull()) {
                    runReclaim();
                }
            }
            case Garbage.CUT_OVERFLOW -> {
                collected++;
                freeOverflow(table, header, headerAddress);
            }
            default -> {
                try {
                    if (!removal.hasCapacityFor(table, kind, headerAddress)) {
                        runRemoval();
                    }
                } finally {
                    addToRemoval(table, kind, header, headerAddress, bodyAddress);
                }
            }
        }
    }

    /// Adds an item to the batch, unless it was found just now that it has to wait.
    private void addToRemoval(
            HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        if (isResting(kind, headerAddress)) {
            garbage.later.add(kind, header, headerAddress, bodyAddress, entry);
        } else {
            removal.add(table, kind, entry, header, headerAddress, bodyAddress);
        }
    }

    /// Frees overflow versions that nothing points to any more.
    private void freeOverflow(HashTable table, long header, long newest) {
        long version = newest;
        try {
            while (!RemoteAddress.isNull(version)) {
                version = reclaim.freeNewest(table, version);
            }
        } catch (FabricException e) {
            garbage.putOffOverflow(table, header, version);
            restIfGone(e, version);
        }
    }

    private void runReclaim() {
        if (reclaim.count() == 0) {
            return;
        }
        try {
            reclaim.run();
        } catch (FabricException e) {
            noteLocked(e, reclaim.isEveryLockReleased());
            for (int i = 0; i < reclaim.count(); i++) {
                restIfGone(e, reclaim.headerAddress(i));
            }
        } catch (Throwable e) {
            noteLocked(e, reclaim.isEveryLockReleased());
            throw e;
        } finally {
            finishReclaim();
        }
    }

    private void finishReclaim() {
        for (int i = 0; i < reclaim.count(); i++) {
            if (reclaim.isDone(i)) {
                done(RemoteAddress.server(reclaim.headerAddress(i)));
            } else {
                tryLater(
                        reclaim.table(i),
                        reclaim.kind(i),
                        reclaim.header(i),
                        reclaim.found(i),
                        reclaim.headerAddress(i),
                        reclaim.bodyAddress(i),
                        entry);
            }
        }
        try {
            while (reclaim.freeNewestOfAll()) {
                // The next older ones.
            }
        } catch (FabricException e) {
            for (int i = 0; i < reclaim.count(); i++) {
                if (!RemoteAddress.isNull(reclaim.cutOverflow(i))) {
                    restIfGone(e, reclaim.cutOverflow(i));
                }
            }
        } finally {
            for (int i = 0; i < reclaim.count(); i++) {
                if (!RemoteAddress.isNull(reclaim.cutOverflow(i))) {
                    garbage.putOffOverflow(
                            reclaim.table(i), reclaim.header(i), reclaim.cutOverflow(i));
                }
            }
            reclaim.clear();
        }
    }

    /// Dead records, and index entries for former values.
    private void runRemoval() {
        if (removal.count() == 0) {
            return;
        }
        boolean isThrough = false;
        try {
            removal.run();
            isThrough = true;
        } catch (FabricException e) {
            noteLocked(e, removal.isEveryLockReleased());
            restIfServerOfRemovalIsGone(e);
        } catch (LatchTimeoutException | MemoryFullException e) {
            noteLocked(e, removal.isEveryLockReleased());
            backoff.rest(LATCHES);
        } catch (Throwable e) {
            noteLocked(e, removal.isEveryLockReleased());
            throw e;
        } finally {
            finishRemoval(isThrough);
        }
    }

    private void restIfServerOfRemovalIsGone(FabricException failure) {
        boolean isRecords = false;
        for (int i = 0; i < removal.count(); i++) {
            restIfGone(failure, removal.headerAddress(i));
            isRecords |= isResting(RemoteAddress.server(removal.headerAddress(i)));
        }
        if (!isRecords) {
            backoff.rest(LATCHES); // it is an index's server
        }
    }

    /// @param isThrough whether no wait for a latch timed out
    private void finishRemoval(boolean isThrough) {
        for (int i = 0; i < removal.count(); i++) {
            if (removal.isDone(i)) {
                done(RemoteAddress.server(removal.headerAddress(i)));
                if (isThrough) {
                    backoff.reset(LATCHES);
                }
            } else if (!isOrphan(i)) {
                long kind = removal.kind(i);
                tryLater(
                        removal.table(i),
                        isThrough ? kind : GarbageRing.alone(kind),
                        removal.header(i),
                        removal.found(i),
                        removal.headerAddress(i),
                        removal.bodyAddress(i),
                        removal.entry(i));
            }
        }
        int next = 0;
        try {
            for (; next < removal.count(); next++) {
                takeRestOfRemoval(next);
            }
        } finally {
            while (++next < removal.count()) {
                putOffRestOfRemoval(next);
            }
            removal.clear();
        }
    }

    private boolean isOrphan(int i) {
        return removal.isElsewhere(i)
                && GarbageRing.kindOf(removal.kind(i)) == Garbage.FORMER_ENTRY;
    }

    /// What a removal has found in the overflow region, or not found where it was.
    private void takeRestOfRemoval(int i) {
        if (!RemoteAddress.isNull(removal.cutOverflow(i))) {
            freeOverflow(removal.table(i), removal.header(i), removal.cutOverflow(i));
        } else if (isOrphan(i)) {
            if (isResting(removal.kind(i), removal.headerAddress(i))) {
                putOffRestOfRemoval(i);
                return;
            }
            collectOrphan(
                    removal.table(i),
                    removal.kind(i),
                    removal.header(i),
                    removal.headerAddress(i),
                    removal.bodyAddress(i),
                    removal.entry(i));
        }
    }

    private void putOffRestOfRemoval(int i) {
        if (!RemoteAddress.isNull(removal.cutOverflow(i))) {
            garbage.putOffOverflow(removal.table(i), removal.header(i), removal.cutOverflow(i));
        } else if (isOrphan(i)) {
            failed.add(
                    removal.kind(i),
                    removal.header(i),
                    removal.headerAddress(i),
                    removal.bodyAddress(i),
                    removal.entry(i));
        }
    }

    /// An index entry whose record is not where it was.
    private void collectOrphan(
            HashTable table,
            long kind,
            long header,
            long headerAddress,
            long bodyAddress,
            long[] formerEntry) {
        boolean isDone = false;
        try {
            int index = GarbageRing.indexOf(kind);
            isDone = orphans.remove(table, index, formerEntry, header, headerAddress, bodyAddress);
        } catch (FabricException e) {
            noteLocked(e, orphans.letGo(e));
            restIfGone(e, headerAddress);
            backoff.rest(LATCHES);
        } catch (LatchTimeoutException | MemoryFullException e) {
            noteLocked(e, orphans.letGo(e));
            backoff.rest(LATCHES);
        } catch (Throwable e) {
            noteLocked(e, orphans.letGo(e));
            throw e;
        } finally {
            if (isDone) {
                done(RemoteAddress.server(headerAddress));
            } else {
                failed.add(
                        GarbageRing.triedAgain(kind),
                        orphans.header(),
                        orphans.headerAddress(),
                        orphans.bodyAddress(),
                        formerEntry);
            }
        }
    }

    private void done(int server) {
        collected++;
        backoff.reset(server);
    }

    private void noteLocked(Throwable failure, boolean isEveryLockReleased) {
        if (!isEveryLockReleased && fatalFailure == null) {
            fatalFailure = failure;
        }
    }

    private boolean isResting(long kind, long address) {
        int what = GarbageRing.kindOf(kind);
        return isResting(RemoteAddress.server(address))
                || (what == Garbage.DEAD_RECORD || what == Garbage.FORMER_ENTRY)
                        && isResting(LATCHES);
    }

    private boolean isResting(int what) {
        return backoff.isResting(what);
    }

    /// Skips a memory server for a while if it does not answer.
    ///
    /// @throws FabricException if it is another failure
    private void restIfGone(FabricException failure, long address) {
        if (failure.kind() != FabricException.Kind.PEER_GONE) {
            throw failure;
        }
        int server = RemoteAddress.server(address);
        if (isResting(server)) {
            return;
        }
        try {
            long _ = queuePair.readWord(address);
        } catch (FabricException e) {
            backoff.rest(server);
        }
    }

    /// A record could not be locked: it has changed since, or another session holds it, or its
    /// server is gone. What came before its newer version can go when the watermark has passed that
    /// one.
    private void tryLater(
            HashTable table,
            long kind,
            long header,
            long found,
            long headerAddress,
            long bodyAddress,
            long[] formerEntry) {
        int what = GarbageRing.kindOf(kind);
        boolean isGone = RecordRemoval.isGone(found);
        if (isGone && what != Garbage.FORMER_ENTRY
                || what == Garbage.DEAD_RECORD && !RecordHeader.isDeleted(found)
                || what == Garbage.VERSIONS && GarbageRing.triesOf(kind) == MAX_TRIES) {
            collected++;
            return;
        }
        long unlocked = isGone ? header : RecordHeader.unlocked(found);
        // An entry that was freed and given to another record has another body.
        boolean isSame = unlocked == header || table.layout().inlined();
        failed.add(
                found == header ? kind : GarbageRing.triedAgain(kind),
                unlocked,
                headerAddress,
                isSame ? bodyAddress : RemoteAddress.NULL,
                formerEntry);
    }

    /// Finds the body of an entry that has changed. Should it change once more before the record is
    /// locked, then its header is not what is expected, and the item comes back.
    private void findBody(HashTable table, long kind, long header, long headerAddress) {
        long body;
        try {
            body = queuePair.readWord(headerAddress + table.layout().bodyPointerOffset());
        } catch (FabricException e) {
            garbage.later.add(kind, header, headerAddress, RemoteAddress.NULL, entry);
            restIfGone(e, headerAddress);
            return;
        }
        if (!RemoteAddress.isNull(body)) {
            collect(table, kind, header, headerAddress, body);
        } else if (GarbageRing.kindOf(kind) == Garbage.FORMER_ENTRY) {
            collectOrphan(table, kind, header, headerAddress, RemoteAddress.NULL, entry);
        } else {
            collected++; // it is being claimed for another record
        }
    }
}
