package org.namdb.mvcc.recovery;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.SplitRepair;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.IntentList;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// Releases the locks of dead slots on records that they have not changed: those at `h|L`. The word
/// does not name the holder, and the dead slot's [intents][org.namdb.mvcc.owner.Intents] show only
/// that it may be the holder: its CAS may have failed against a living session, whose lock looks
/// the same.
/// ```
/// mark      CAS h|L -> h|M, a *suspect*, of every record that a dead slot lists with h
/// wait      until every other slot has ended the attempt in which it lists a suspect with h
/// release   those that are still suspects: WRITE from = 0 in old versions of h, CAS h|M -> h
/// ```
/// **Why no living slot loses its lock.** Let e, a living slot, hold the lock when it is marked.
/// Holders don't read the word: e goes on and writes `h|L|M`, or gives up and writes h, and either
/// overwrites the mark before its attempt ends. While the word is h|M, no session gets the lock,
/// since every CAS expects h; and only this recovery marks, as there is one at a time. So a word
/// that is h|M from the mark until every attempt has ended which might hold it is no living slot's.
/// An attempt that begins after the mark can't hold it, however often it tries: no session has to
/// stop, and sessions that want the record don't delay the recovery.
/// ```
///   d  lists (r, h), its CAS fails, it dies                 r = h|L, e's
///   X  marks r                                              r = h|M
///   e  aborts: WRITE h; begins again, CAS h -> h|L          r = h|L, e's: not marked
/// ```
/// A living session that splits a bucket lists the bucket, and none of its rows: it may hold any
/// lock of that table, until its attempt ends. What a dead one has locked for a split was marked by
/// [SplitRepair], before it released the bucket's latch, and is found by the marks.
///
/// **Why the same header may be restored.** The payload was never overwritten: that begins with
/// `h|L|M`. What the dead slot has put into the old-version buffer is removed before: a reader that
/// does not see its timestamp would later mistake a copy of h with an `until` that is never
/// published for h.
///
/// A recovery that dies may be followed by another: a suspect that it finds is treated as if it had
/// marked it. Belongs to one thread.
final class LockRelease {
    private static final int MAX_AT_ONCE = 128;
    private static final long FIRST_PAUSE_NANOS = 5_000;
    private static final long MAX_PAUSE_NANOS = 1_000_000;

    private final QueuePair queuePair;
    private final IntentLayout intents;
    private final Tables tables;
    private final Host host;
    private final IntSupplier slotsInUse;
    private final IntPredicate isGone;
    private final IntentList list;
    private final HashTable[] suspectTables = new HashTable[MAX_AT_ONCE];
    private final long[] addresses = new long[MAX_AT_ONCE];
    private final long[] headers = new long[MAX_AT_ONCE];
    private final long[] bodyOffsets = new long[MAX_AT_ONCE];
    private final long[] views = new long[MAX_AT_ONCE];
    private int count;

    /// The slot whose locks are released.
    private int dead;

    /// By slot: the attempt that is waited for.
    private long[] attempts = new long[0];

    private long released;

    /// @param slotsInUse how many slots are in use; called when records are marked
    /// @param isGone whether a slot holds no unreleased lock any more, or is dead and fenced: those
    ///     are not waited for
    LockRelease(
            QueuePair queuePair,
            IntentLayout intents,
            Tables tables,
            Host host,
            IntSupplier slotsInUse,
            IntPredicate isGone) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.tables = tables;
        this.host = host;
        this.slotsInUse = slotsInUse;
        this.isGone = isGone;
        this.list = new IntentList(queuePair, intents);
    }

    /// How many locks were released.
    long released() {
        return released;
    }

    /// Releases what a dead slot has locked.
    ///
    /// @param untilNanos when to stop waiting for a slot that does not end its attempt
    /// @return whether all is done; if not, a slot that is not known to be dead is in the way
    boolean release(int slot, long untilNanos) {
        dead = slot;
        boolean isDone = true;
        IntentList listed = new IntentList(queuePair, intents);
        for (int server = 0; server < intents.servers(); server++) {
            listed.read(server, slot);
            for (int entry = 0; entry < listed.count(); entry++) {
                HashTable table =
                        listed.isOfIndex(entry) ? null : tables.records(listed.table(entry));
                if (table != null && listed.isRecord(entry)) {
                    isDone &= makeSpace(server, untilNanos);
                    add(
                            table,
                            listed.address(entry),
                            listed.header(entry),
                            listed.bodyOffset(entry));
                } else if (table != null && listed.isSplit(entry)) {
                    isDone &= addMarked(table, listed, entry, server, untilNanos);
                }
            }
            isDone &= releaseSuspects(server, untilNanos);
        }
        return isDone;
    }

    private boolean makeSpace(int server, long untilNanos) {
        return count < MAX_AT_ONCE || releaseSuspects(server, untilNanos);
    }

    /// Adds the rows of a split that are marked.
    private boolean addMarked(
            HashTable table, IntentList listed, int split, int server, long untilNanos) {
        boolean[] isDone = {true};
        new SplitRepair(queuePair)
                .findSuspects(
                        table,
                        listed,
                        split,
                        (address, header, body) -> {
                            isDone[0] &= makeSpace(server, untilNanos);
                            add(
                                    table,
                                    address,
                                    header,
                                    table.layout().inlined() ? body - address : 0);
                        });
        return isDone[0];
    }

    private void add(HashTable table, long address, long header, long bodyOffset) {
        if (!isAdded(address, header)) {
            suspectTables[count] = table;
            addresses[count] = address;
            headers[count] = header;
            bodyOffsets[count] = bodyOffset;
            count++;
        }
    }

    /// A list may hold a record many times: background maintenance locks it again and again in one
    /// attempt. Releasing a lock twice would remove what its next holder puts into the old-version
    /// buffer.
    private boolean isAdded(long address, long header) {
        for (int i = 0; i < count; i++) {
            if (addresses[i] == address && headers[i] == header) {
                return true;
            }
        }
        return false;
    }

    private boolean releaseSuspects(int server, long untilNanos) {
        mark();
        boolean isDone =
                count == 0
                        || PlantedFault.LOCKS_NOT_AWAITED.isPlanted()
                        || awaitAttempts(server, untilNanos);
        if (isDone) {
            keepSuspects();
            for (int i = 0; i < count; i++) {
                freeUnused(i);
            }
        }
        count = 0;
        return isDone;
    }

    private void mark() {
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = 0; i < count; i++) {
                long locked = RecordHeader.lock(headers[i]);
                long suspect = RecordHeader.suspect(locked);
                views[i] = queuePair.compareAndSwap(addresses[i], locked, suspect);
            }
            queuePair.await();
        }
        keepSuspects();
    }

    /// Keeps those that are suspects now.
    private void keepSuspects() {
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = 0; i < count; i++) {
                views[i] = queuePair.read(addresses[i], Long.BYTES);
            }
            queuePair.await();
            int kept = 0;
            for (int i = 0; i < count; i++) {
                long found = LocalMemory.longAcquire(views[i]);
                if (RecordHeader.isSuspect(found) && RecordHeader.unlocked(found) == headers[i]) {
                    suspectTables[kept] = suspectTables[i];
                    addresses[kept] = addresses[i];
                    headers[kept] = headers[i];
                    bodyOffsets[kept] = bodyOffsets[i];
                    kept++;
                }
            }
            count = kept;
        }
    }

    /// Waits until no slot is in an attempt any more in which it may have held one of the suspects
    /// when they were marked.
    private boolean awaitAttempts(int server, long untilNanos) {
        // Not before the mark: a session that takes a slot between the two may hold what was
        // marked.
        int slots = slotsInUse.getAsInt();
        if (attempts.length < slots) {
            attempts = new long[slots];
        }
        Arrays.fill(attempts, 0);
        for (int slot = 0; slot < slots; slot++) {
            long pause = FIRST_PAUSE_NANOS;
            // The dead slot's own list may be long, and is not read again for each few locks.
            while (slot != dead && mayHoldSuspect(server, slot) && !isGone.test(slot)) {
                if (host.nanoTime() - untilNanos > 0) {
                    return false;
                }
                host.sleep(pause);
                pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
                keepSuspects();
            }
        }
        return true;
    }

    private boolean mayHoldSuspect(int server, int slot) {
        list.read(server, slot);
        if (attempts[slot] == 0) {
            attempts[slot] = list.attempt();
        } else if (attempts[slot] != list.attempt()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (list.mayHold(suspectTables[i].id(), addresses[i], headers[i])) {
                return true;
            }
        }
        return false;
    }

    private void freeUnused(int suspect) {
        OldVersionBuffer buffer = suspectTables[suspect].oldVersions();
        long body =
                Bodies.address(
                        queuePair,
                        suspectTables[suspect],
                        addresses[suspect],
                        bodyOffsets[suspect]);
        long versions = queuePair.readWord(body + RecordBody.VERSIONS_OFFSET);
        if (!RemoteAddress.isNull(versions)) {
            forgetPlaces(buffer, versions, headers[suspect]);
        }
        long header = headers[suspect];
        long _ =
                queuePair.casWord(
                        addresses[suspect],
                        RecordHeader.suspect(RecordHeader.lock(header)),
                        header);
        released++;
    }

    private void forgetPlaces(OldVersionBuffer buffer, long versions, long header) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(versions, buffer.headBytes());
            queuePair.await();
            for (int place = 0; place < buffer.versions(); place++) {
                int from = buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET;
                if (RecordHeader.unlocked(LocalMemory.longAcquire(view + from)) == header) {
                    queuePair.writeWord(versions + from, 0);
                }
            }
        }
    }
}
