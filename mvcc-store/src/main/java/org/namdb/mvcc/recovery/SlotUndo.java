package org.namdb.mvcc.recovery;

import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.hash.BucketEntries;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.IntentList;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.TimestampSlot;

/// Undoes what a dead slot d has installed and not published: versions `<d,t>` with t above
/// `V[d]`. A transaction is committed exactly if its slot was published; so this one is not, and
/// never will be.
///
/// The undo is a commit of the slot d itself, which the recovery has taken over, with a timestamp u
/// of its own, above all that were ever used:
/// ```
///   h|L|M, in old versions h until <d,t>    WRITE payload of h, WRITE header <d,u>
///   <d,t>, in old versions h until <d,t>    CAS <d,t> -> <d,t>|L|M, then the same
///   <d,t>, no such version: an insert       CAS <d,t> -> <d,t>|L|M, WRITE header <d,u> deleted
///   claimed by d                            WRITE header 0
///   at the end, when all is awaited         WRITE V[d] = u
/// ```
/// **Why in slot d.** `V[d]` goes from below t to u in one step. So every snapshot, then and later,
/// sees either both or none of t and u. One that sees them finds `<d,u>`, with the payload of h;
/// one that does not finds h among the old versions, whose `until` is `<d,t>`, which is equivalent
/// to `<d,u>`. No old version has to be rewritten, wherever the version mover has put it meanwhile.
/// With a timestamp of another slot there would be snapshots that see t and not u, and to them the
/// record would be missing.
///
/// **Why not h again.** A slow reader that has read the header h, and reads it again after a part
/// of the payload was overwritten and restored, would accept a mixture (A-B-A).
///
/// **Why it may stop anywhere.** Only the recovery that has taken d over changes these words; a
/// version mover that holds `<d,t>|L` for a moment releases it. What a recovery leaves half-way is
/// one of the states above, with u in the place of t, and old versions as before: the next one,
/// which takes d over from it, undoes that with a higher timestamp. The intents stay until the slot
/// is freed.
///
/// Index entries of undone versions stay: every hit is checked against its record. Belongs to one
/// thread.
final class SlotUndo {
    private static final long FIRST_PAUSE_NANOS = 5_000;
    private static final long MAX_PAUSE_NANOS = 1_000_000;
    private static final long NONE = 0;

    private final QueuePair queuePair;
    private final IntentLayout intents;
    private final Tables tables;
    private final Host host;
    private final TimestampSlot slot;
    private final long published;
    private final long timeoutNanos;
    private final BucketEntries bucket;

    /// The wait for a record has timed out: no other one is waited for.
    private boolean hasTimedOut;

    /// The commit timestamp of the undo; [#NONE] as long as nothing was to be undone.
    private long undo = NONE;

    private long undone;
    private long claims;

    /// @param slot a dead slot that was taken over
    /// @param timeoutNanos the timeout of a wait for another session's lock. It is one of each
    ///     record: after a large commit all of them together take longer
    SlotUndo(
            QueuePair queuePair,
            IntentLayout intents,
            Tables tables,
            Host host,
            TimestampSlot slot,
            long timeoutNanos) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.tables = tables;
        this.host = host;
        this.slot = slot;
        this.published = slot.published();
        this.timeoutNanos = timeoutNanos;
        this.bucket = new BucketEntries(queuePair);
    }

    /// How many versions were undone.
    long undone() {
        return undone;
    }

    /// How many claims were released.
    long claims() {
        return claims;
    }

    /// Undoes everything. No snapshot sees it before it is [published][#publish].
    ///
    /// @return whether all is done; if not, another session holds a record for too long
    boolean run() {
        if (PlantedFault.UNDO_OMITTED.isPlanted()) {
            return true;
        }
        boolean isDone = true;
        IntentList listed = new IntentList(queuePair, intents);
        for (int server = 0; server < intents.servers(); server++) {
            listed.read(server, slot.number());
            for (int entry = 0; entry < listed.count(); entry++) {
                isDone &= undo(listed, entry);
            }
        }
        queuePair.await();
        return isDone;
    }

    /// Publishes what was undone, when it is all.
    void publish() {
        if (undo != NONE) {
            slot.publish(undo);
            queuePair.await();
        }
    }

    private boolean undo(IntentList listed, int entry) {
        if (listed.isSplit(entry) || listed.isOfIndex(entry)) {
            return true; // it claims and installs nothing that others don't list
        }
        HashTable table = tables.records(listed.table(entry));
        if (table == null) {
            return true;
        }
        if (listed.isRecord(entry)) {
            return undoListed(
                    table, listed.address(entry), listed.header(entry), listed.bodyOffset(entry));
        }
        return undoBucket(table, listed.address(entry));
    }

    private boolean undoListed(HashTable table, long address, long before, long bodyOffset) {
        long header = queuePair.readWord(address);
        boolean isInstalled = isUnpublished(header) && !RecordHeader.isClaimed(header);
        boolean isUnderInstall =
                RecordHeader.isUnderOverwrite(header) && RecordHeader.unlocked(header) == before;
        if (!isInstalled && !isUnderInstall) {
            return true;
        }
        long body = Bodies.address(queuePair, table, address, bodyOffset);
        if (isInstalled) {
            return undoInstalled(table, address, body, header);
        }
        restore(table, address, body, before);
        return true;
    }

    /// Entries of a bucket that were claimed for inserts, and those that were installed.
    private boolean undoBucket(HashTable table, long home) {
        boolean isDone = true;
        bucket.start(table, home);
        while (bucket.next()) {
            long header = bucket.header();
            if (CommitTimestamp.slot(header) != slot.number()) {
                continue;
            }
            if (RecordHeader.isClaimed(header)) {
                queuePair.writeWord(bucket.headerAddress(), RecordHeader.FREE);
                claims++;
            } else if (isUnpublished(header)) {
                isDone &=
                        undoInstalled(table, bucket.headerAddress(), bucket.bodyAddress(), header);
            }
        }
        queuePair.await();
        return isDone;
    }

    private boolean isUnpublished(long header) {
        return header != RecordHeader.FREE
                && CommitTimestamp.slot(header) == slot.number()
                && CommitTimestamp.timestamp(header) > published
                && !isUndone(header);
    }

    private boolean isUndone(long header) {
        return undo != NONE && CommitTimestamp.timestamp(header) == CommitTimestamp.timestamp(undo);
    }

    private boolean undoInstalled(HashTable table, long address, long body, long found) {
        long header = found;
        long pause = FIRST_PAUSE_NANOS;
        long waitingSince = NONE;
        while (!RecordHeader.isUnderOverwrite(header)) {
            long free = RecordHeader.unlocked(header);
            header = queuePair.casWord(address, free, RecordHeader.moved(RecordHeader.lock(free)));
            if (header == free) {
                break;
            }
            // A version mover holds it, and will release it.
            long now = host.nanoTime();
            waitingSince = waitingSince == NONE ? now : waitingSince;
            hasTimedOut |= now - waitingSince > timeoutNanos;
            if (hasTimedOut) {
                return false;
            }
            host.sleep(pause);
            pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
        }
        restore(table, address, body, NONE);
        return true;
    }

    /// Restores the version that the dead slot's has replaced, or is about to, as a version of the
    /// undo.
    ///
    /// @param before if a record is under install, its header before: it may be another session's
    ///     install
    private void restore(HashTable table, long address, long body, long before) {
        try (ViewScope _ = queuePair.openViews()) {
            OldVersionBuffer buffer = table.oldVersions();
            long versions = queuePair.readWord(body + RecordBody.VERSIONS_OFFSET);
            long from = NONE;
            int place = -1;
            if (!RemoteAddress.isNull(versions)) {
                long head = queuePair.read(versions, buffer.headBytes());
                queuePair.await();
                place = replacedPlace(buffer, head, before);
                if (place >= 0) {
                    from =
                            LocalMemory.longAcquire(
                                    head + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET);
                }
            }
            if (place < 0 && before != NONE) {
                return; // another slot's install
            }
            boolean isDeleted = place < 0 || RecordHeader.isDeleted(from);
            if (place >= 0) {
                long payload =
                        queuePair.read(
                                versions + buffer.payloadOffset(place), buffer.payloadBytes());
                queuePair.await();
                queuePair.write(body + RecordBody.PAYLOAD_OFFSET, payload, buffer.payloadBytes());
            }
            long header =
                    isDeleted
                            ? RecordHeader.deleted(undoTimestamp())
                            : RecordHeader.installed(undoTimestamp());
            queuePair.writeWord(address, header);
            queuePair.await();
        }
        undone++;
    }

    /// Which old version the dead slot's transaction has replaced; -1 if none.
    private int replacedPlace(OldVersionBuffer buffer, long head, long before) {
        for (int place = 0; place < buffer.versions(); place++) {
            long pair = head + buffer.pairOffset(place);
            long from = LocalMemory.longAcquire(pair + OldVersionBuffer.FROM_OFFSET);
            long until = LocalMemory.longAcquire(pair + OldVersionBuffer.UNTIL_OFFSET);
            if (from != 0
                    && CommitTimestamp.slot(until) == slot.number()
                    && CommitTimestamp.timestamp(until) > published
                    && (before == NONE || RecordHeader.unlocked(from) == before)) {
                return place;
            }
        }
        return -1;
    }

    private long undoTimestamp() {
        if (undo == NONE) {
            undo = slot.next();
        }
        return undo;
    }
}
