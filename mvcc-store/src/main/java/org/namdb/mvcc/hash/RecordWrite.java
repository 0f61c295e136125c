package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// One record of a write set in a commit. For a record that is there already:
/// ```
/// postLock     CAS header h -> h|L, which also validates that h is still current; READ body;
///              READ old-version headers
/// settle       after the await: whether the lock was taken
/// prepare      choose the place for the old version, allocate: the last step that can fail
/// postInstall  copy the current version to the old-version buffer (if its place holds one that
///              may be needed, that goes to the overflow region first); header h|L|M; payload;
///              header h', which unlocks
/// postUnlock   instead, if the transaction can't commit: header h
/// ```
/// All verbs of a phase are posted together with those of the other records, so a phase is one
/// round trip. An insert's entry is found and claimed by [InsertClaims]; then only payload and
/// header are left to write.
///
/// Reusable; belongs to one thread. Source: NAM-DB, sections 3.1 and 5.1.
public final class RecordWrite {
    /// How often another session's lock is polled: some 0.1 s, if that takes no time.
    private static final int MAX_POLLS = 400;

    private HashTable table;
    private long header;
    private long headerAddress;
    private long bodyAddress;
    private long versions;
    private boolean claimed;
    private boolean locked;
    private boolean isLostToLock;
    private boolean mayHaveMoved;

    /// The CAS is posted, and its result was not read.
    private boolean unsettled;

    private long casView;
    private long bodyView;
    private long headView;
    private long headViewOf;
    private boolean freshBuffer;
    private int place;
    private long next;
    private long moved;
    private long movedFrom;
    private long movedUntil;
    private long movedOlder;
    private long movedView;
    private long deadOverflow;

    /// Where the views are kept; 0 if they aren't.
    private long kept;

    public RecordWrite(HashTable table) {
        this.table = table;
    }

    /// Prepares the write of a record that a lookup has found, as its current version.
    public void prepareUpdate(RecordRead found) {
        assert !found.isCopied() : "a copy does not say where the record is";
        table = found.table;
        // A lock that was met while reading may be gone by now; if not, the compare-and-swap fails.
        header = RecordHeader.unlocked(found.header);
        headerAddress = found.headerAddress;
        bodyAddress = found.bodyAddress;
        versions = found.versions;
        forget();
    }

    /// Prepares the write of a record whose entry is yet to be claimed.
    public void prepareInsert(HashTable newTable) {
        table = newTable;
        header = RecordHeader.FREE;
        headerAddress = RemoteAddress.NULL;
        forget();
    }

    /// A free entry was claimed for this insert.
    void claim(HashTable newTable, long entryAddress, long entryBody) {
        table = newTable;
        headerAddress = entryAddress;
        bodyAddress = entryBody;
        header = RecordHeader.FREE;
        claimed = true;
    }

    /// A deleted record with the same key was found for this insert: it is written like an update.
    void revive(long deletedHeader, long entryAddress, long entryBody) {
        headerAddress = entryAddress;
        bodyAddress = entryBody;
        header = deletedHeader;
        versions = RemoteAddress.NULL;
        forget();
    }

    private void forget() {
        claimed = false;
        locked = false;
        isLostToLock = false;
        mayHaveMoved = false;
        unsettled = false;
        bodyView = 0;
        kept = 0;
        freshBuffer = false;
        moved = RemoteAddress.NULL;
        deadOverflow = RemoteAddress.NULL;
    }

    /// Whether the record is new, its entry claimed by this transaction.
    public boolean isClaimed() {
        return claimed;
    }

    /// The header that was, or is to be, locked.
    public long header() {
        return header;
    }

    public long headerAddress() {
        return headerAddress;
    }

    public long bodyAddress() {
        return bodyAddress;
    }

    /// Whether the install gave the record its old-version buffer.
    public boolean hasFreshBuffer() {
        return freshBuffer;
    }

    /// Adds the record to the intents, which are posted before [#postLock].
    public void addIntent(Intents intents) {
        intents.addLock(headerAddress, header, table.id(), inlinedBody());
    }

    /// Posts that this record, too, is going to be locked.
    void postIntent(Intents intents) {
        intents.postLock(headerAddress, header, table.id(), inlinedBody());
    }

    private long inlinedBody() {
        return table.inlined ? bodyAddress : RemoteAddress.NULL;
    }

    /// Posts validation, lock, and the READs that the install needs. The intent was posted before.
    public void postLock(QueuePair queuePair) {
        casView = queuePair.compareAndSwap(headerAddress, header, RecordHeader.lock(header));
        unsettled = true;
        bodyView = queuePair.read(bodyAddress, table.layout().bodyBytes());
        headViewOf = versions;
        if (!RemoteAddress.isNull(versions)) {
            headView = queuePair.read(versions, table.oldVersions().headBytes());
        }
    }

    /// Posts validation and lock alone, where much is locked before anything is read. The intent
    /// was posted before.
    public void postLockAlone(QueuePair queuePair) {
        casView = queuePair.compareAndSwap(headerAddress, header, RecordHeader.lock(header));
        unsettled = true;
    }

    /// Posts the READ of the body again, of a record that is locked: its views are gone, or it was
    /// locked [alone][#postLockAlone].
    public void postBodyView(QueuePair queuePair) {
        kept = 0;
        bodyView = queuePair.read(bodyAddress, table.layout().bodyBytes());
    }

    /// After the await of [#postBodyView]: posts the other READ that the install needs.
    public void postHeadView(QueuePair queuePair) {
        if (!freshBuffer) {
            versions = LocalMemory.longAt(bodyView + RecordBody.VERSIONS_OFFSET);
            headViewOf = versions;
            if (!RemoteAddress.isNull(versions)) {
                headView = queuePair.read(versions, table.oldVersions().headBytes());
            }
        }
    }

    /// The views are going to be others': they are to be [posted][#postBodyView] again.
    public void forgetViews() {
        kept = 0;
        bodyView = 0;
    }

    /// Whether the payload of the current version can be read.
    public boolean hasViews() {
        return bodyView != 0;
    }

    /// Takes over a write that another object has locked, claimed or prepared.
    ///
    /// @param newMoved the result of [#moved]
    /// @param cut the result of [#deadOverflow]
    public void resume(
            HashTable newTable,
            long newHeader,
            long newAddress,
            long newBody,
            long newVersions,
            boolean isClaimed,
            boolean isLocked,
            boolean isBufferFresh,
            long newMoved,
            long cut) {
        table = newTable;
        header = newHeader;
        headerAddress = newAddress;
        bodyAddress = newBody;
        versions = newVersions;
        forget();
        claimed = isClaimed;
        locked = isLocked;
        freshBuffer = isBufferFresh;
        moved = newMoved;
        deadOverflow = cut;
    }

    /// The old-version buffer, once it was read.
    public long versions() {
        return versions;
    }

    /// The memory in the overflow region that the oldest version is going to be moved to; or null.
    public long moved() {
        return moved;
    }

    /// Right after the await of [#postLock]: reads the CAS's result.
    public void settle() {
        unsettled = false;
        long found = LocalMemory.longAt(casView);
        locked = found == header;
        isLostToLock = found == RecordHeader.lock(header);
        mayHaveMoved = !locked && !isLostToLock && table.mayHaveMoved(found);
        if (PlantedFault.SKIP_VALIDATION.isPlanted()) {
            header = RecordHeader.unlocked(LocalMemory.longAt(casView));
            locked = header == LocalMemory.longAt(casView);
        }
    }

    /// Whether the CAS failed against a holder that has not changed the record so far: a collector
    /// or a split, which release it again unchanged, or another writer. Then one retry is worth it.
    public boolean isWorthAnotherTry() {
        return isLostToLock;
    }

    /// Whether the CAS failed, and the record may be in another bucket, unchanged.
    public boolean mayHaveMoved() {
        return mayHaveMoved;
    }

    /// Looks the record up by its key, and locks it where it is now if it is still in the version
    /// that it was in: two round trips.
    ///
    /// @param found a lookup that has found it, or did before it was moved
    /// @param memory for views, which are [kept][#keepViews]
    /// @return whether it is locked; if not, it has changed
    public boolean lockAgain(
            QueuePair queuePair,
            RecordRead found,
            Snapshot snapshot,
            Intents intents,
            LocalAllocator memory) {
        mayHaveMoved = false;
        isLostToLock = false;
        RecordRead again = found.again(queuePair, snapshot);
        if (!again.isCurrent() || RecordHeader.unlocked(again.header) != header) {
            return false;
        }
        headerAddress = again.headerAddress;
        bodyAddress = again.bodyAddress;
        versions = again.versions;
        try (ViewScope _ = queuePair.openViews()) {
            postIntent(intents);
            postLock(queuePair);
            queuePair.await();
            settle();
            if (locked) {
                kept = 0;
                keepViews(memory.allocate(viewBytes()));
            }
        }
        return locked;
    }

    /// Whether the lock is posted and not [settled][#settle]: where something has failed in
    /// between.
    public boolean isUnsettled() {
        return unsettled;
    }

    /// The bytes of the views that a write has.
    public static int viewBytes(HashTable table) {
        return table.layout().bodyBytes()
                + table.oldVersions().headBytes()
                + table.oldVersions().payloadBytes();
    }

    /// The bytes of the views that this write has.
    public int viewBytes() {
        return viewBytes(table);
    }

    /// Whether [#keepViews] has memory for this write already.
    public boolean isKept() {
        return kept != 0;
    }

    /// Copies the views to `memory`, [#viewBytes] of local memory, so that they last. May be called
    /// again when there are new ones; the memory of the first time serves.
    public void keepViews(long memory) {
        int bodyBytes = table.layout().bodyBytes();
        if (kept == 0) {
            kept = memory;
            LocalMemory.copy(bodyView, memory, bodyBytes);
            bodyView = memory;
            if (!RemoteAddress.isNull(headViewOf)) {
                LocalMemory.copy(headView, memory + bodyBytes, table.oldVersions().headBytes());
                headView = memory + bodyBytes;
            }
        }
        long movedCopy = kept + bodyBytes + table.oldVersions().headBytes();
        if (!RemoteAddress.isNull(moved) && movedView != movedCopy) {
            LocalMemory.copy(movedView, movedCopy, table.oldVersions().payloadBytes());
            movedView = movedCopy;
        }
    }

    /// Whether the record is locked, and unchanged since it was read.
    public boolean isLocked() {
        return locked;
    }

    /// The payload of the current version, a view; valid until it is overwritten by the install.
    public long currentPayload() {
        assert bodyView != 0 : "the record is not read before it is locked";
        return bodyView + RecordBody.PAYLOAD_OFFSET;
    }

    /// Chooses the place for the old version and gets the memory that the install needs. May wait
    /// for a round trip.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is none; nothing has changed
    public void prepare(QueuePair queuePair, RemoteAllocator oldVersions, Snapshot lowWatermark) {
        OldVersionBuffer buffer = table.oldVersions();
        int server = HashTable.serverOf(headerAddress);
        versions = LocalMemory.longAt(bodyView + RecordBody.VERSIONS_OFFSET);
        freshBuffer = RemoteAddress.isNull(versions);
        if (freshBuffer) {
            versions = oldVersions.allocate(server, buffer.bytes());
            place = 0;
            next = 1;
            return;
        }
        if (versions != headViewOf) {
            headView = queuePair.read(versions, buffer.headBytes());
            queuePair.await();
        }
        next = LocalMemory.longAt(headView + OldVersionBuffer.NEXT_OFFSET);
        place = (int) Long.remainderUnsigned(next, buffer.versions());
        next++;
        long pair = headView + buffer.pairOffset(place);
        movedFrom = LocalMemory.longAt(pair + OldVersionBuffer.FROM_OFFSET);
        movedUntil = LocalMemory.longAt(pair + OldVersionBuffer.UNTIL_OFFSET);
        long overflow = LocalMemory.longAt(headView + OldVersionBuffer.OVERFLOW_OFFSET);
        boolean dead = movedFrom != 0 && lowWatermark.sees(movedUntil);
        boolean needed =
                movedFrom != 0
                        && !dead
                        && !RecordHeader.isMoved(movedFrom)
                        && !PlantedFault.VERSION_DROPPED.isPlanted();
        if (needed) {
            movedOlder = overflow;
            moved = oldVersions.allocate(server, OverflowVersion.bytes(buffer.payloadBytes()));
            movedView =
                    queuePair.read(versions + buffer.payloadOffset(place), buffer.payloadBytes());
            queuePair.await();
        } else if (dead && !RemoteAddress.isNull(overflow) && !isMovedNeeded(lowWatermark)) {
            deadOverflow = overflow;
        }
    }

    /// Of a record that was prepared, and whose views were [read again][#postHeadView]: finds where
    /// the old version goes, as [#prepare] has. What it posts is to be awaited before the install.
    public void prepareAgain(QueuePair queuePair) {
        if (freshBuffer) {
            place = 0;
            next = 1;
            return;
        }
        OldVersionBuffer buffer = table.oldVersions();
        next = LocalMemory.longAt(headView + OldVersionBuffer.NEXT_OFFSET);
        place = (int) Long.remainderUnsigned(next, buffer.versions());
        next++;
        if (!RemoteAddress.isNull(moved)) {
            long pair = headView + buffer.pairOffset(place);
            movedFrom = LocalMemory.longAt(pair + OldVersionBuffer.FROM_OFFSET);
            movedUntil = LocalMemory.longAt(pair + OldVersionBuffer.UNTIL_OFFSET);
            movedOlder = LocalMemory.longAt(headView + OldVersionBuffer.OVERFLOW_OFFSET);
            movedView =
                    queuePair.read(versions + buffer.payloadOffset(place), buffer.payloadBytes());
        }
    }

    /// Whether the version mover has put a version in the overflow region that a snapshot needs.
    /// What the buffer does not hold any more is older than all that it holds; so where the oldest
    /// place holds a version that none needs, only versions that are still in the buffer can be
    /// needed there.
    private boolean isMovedNeeded(Snapshot lowWatermark) {
        OldVersionBuffer buffer = table.oldVersions();
        for (int i = 0; i < buffer.versions(); i++) {
            long pair = headView + buffer.pairOffset(i);
            if (RecordHeader.isMoved(LocalMemory.longAt(pair + OldVersionBuffer.FROM_OFFSET))
                    && !lowWatermark.sees(
                            LocalMemory.longAt(pair + OldVersionBuffer.UNTIL_OFFSET))) {
                return true;
            }
        }
        return false;
    }

    /// After the install: the versions in the overflow region that no snapshot needs and nothing
    /// points to any more, newest first; or null.
    public long deadOverflow() {
        return deadOverflow;
    }

    /// Frees what [#prepare] allocated, when the transaction can't commit.
    public void freeUnused(RemoteAllocator bodies, RemoteAllocator oldVersions) {
        if (freshBuffer) {
            oldVersions.free(versions, table.oldVersions().bytes());
        }
        if (!RemoteAddress.isNull(moved)) {
            oldVersions.free(moved, OverflowVersion.bytes(table.layout().payloadBytes()));
        }
        if (claimed && !table.inlined) {
            bodies.free(bodyAddress, table.layout().bodyBytes());
        }
    }

    /// Posts the copy of the current version to the old-version buffer, up to the header with M.
    /// The new payload may be written after it.
    ///
    /// @param newHeader the header of the version that replaces the current one
    /// @param scratch [#scratchBytes] of local memory that stay unchanged until the await
    public void postKeepOldVersion(QueuePair queuePair, long newHeader, long scratch) {
        if (freshBuffer) {
            postFreshBuffer(queuePair, newHeader, scratch);
        } else {
            if (!RemoteAddress.isNull(moved)) {
                postMove(queuePair, scratch);
            }
            postPlace(queuePair, newHeader);
        }
        queuePair.writeWord(headerAddress, RecordHeader.moved(RecordHeader.lock(header)));
    }

    /// How much local memory [#postKeepOldVersion] needs.
    public static int scratchBytes(HashTable table) {
        OldVersionBuffer buffer = table.oldVersions();
        return Math.max(buffer.headBytes() + buffer.payloadBytes(), OverflowVersion.PAYLOAD_OFFSET);
    }

    /// Posts the WRITE of `bytes` bytes of the payload, from `offset` on.
    public void postPayload(QueuePair queuePair, int offset, long source, int bytes) {
        queuePair.write(bodyAddress + RecordBody.PAYLOAD_OFFSET + offset, source, bytes);
    }

    /// Posts the whole body of a claimed entry; `body` is a body image: a null versions pointer and
    /// the payload.
    public void postBody(QueuePair queuePair, long body) {
        queuePair.write(bodyAddress, body, table.layout().bodyBytes());
        if (!table.inlined) {
            queuePair.writeWord(headerAddress + table.layout().bodyPointerOffset(), bodyAddress);
        }
    }

    /// Posts the new version's header: the version is installed and unlocked.
    public void postHeader(QueuePair queuePair, long newHeader) {
        queuePair.writeWord(headerAddress, newHeader);
    }

    /// Posts the header as it was: nothing has happened.
    public void postUnlock(QueuePair queuePair) {
        queuePair.writeWord(headerAddress, header);
    }

    private void postFreshBuffer(QueuePair queuePair, long newHeader, long scratch) {
        OldVersionBuffer buffer = table.oldVersions();
        assert buffer.payloadOffset(0) == buffer.headBytes() : "the payload follows the head";
        for (int at = 0; at < buffer.headBytes(); at += 8) {
            LocalMemory.putLong(scratch + at, 0);
        }
        LocalMemory.putLong(scratch + OldVersionBuffer.NEXT_OFFSET, next);
        LocalMemory.putLong(scratch + buffer.pairOffset(0) + OldVersionBuffer.FROM_OFFSET, header);
        LocalMemory.putLong(
                scratch + buffer.pairOffset(0) + OldVersionBuffer.UNTIL_OFFSET, newHeader);
        // The first place follows the head, so both are one WRITE.
        LocalMemory.copy(
                currentPayload(), scratch + buffer.payloadOffset(0), buffer.payloadBytes());
        queuePair.write(versions, scratch, buffer.payloadOffset(0) + buffer.payloadBytes());
        queuePair.writeWord(bodyAddress + RecordBody.VERSIONS_OFFSET, versions);
    }

    private void postMove(QueuePair queuePair, long scratch) {
        LocalMemory.putLong(scratch + OverflowVersion.FROM_OFFSET, movedFrom);
        LocalMemory.putLong(scratch + OverflowVersion.UNTIL_OFFSET, movedUntil);
        LocalMemory.putLong(scratch + OverflowVersion.OLDER_OFFSET, movedOlder);
        queuePair.write(moved, scratch, OverflowVersion.PAYLOAD_OFFSET);
        queuePair.write(
                moved + OverflowVersion.PAYLOAD_OFFSET,
                movedView,
                table.oldVersions().payloadBytes());
        queuePair.writeWord(versions + OldVersionBuffer.OVERFLOW_OFFSET, moved);
    }

    private void postPlace(QueuePair queuePair, long newHeader) {
        if (!RemoteAddress.isNull(deadOverflow)) {
            queuePair.writeWord(versions + OldVersionBuffer.OVERFLOW_OFFSET, RemoteAddress.NULL);
        }
        OldVersionBuffer buffer = table.oldVersions();
        long pair = versions + buffer.pairOffset(place);
        queuePair.writeWord(pair + OldVersionBuffer.FROM_OFFSET, 0);
        queuePair.write(
                versions + buffer.payloadOffset(place), currentPayload(), buffer.payloadBytes());
        queuePair.writeWord(pair + OldVersionBuffer.UNTIL_OFFSET, newHeader);
        queuePair.writeWord(pair + OldVersionBuffer.FROM_OFFSET, header);
        queuePair.writeWord(versions + OldVersionBuffer.NEXT_OFFSET, next);
    }

    /// Waits until a record is not locked any more, but not for long: the lock may be another
    /// commit's, which waits for one of this commit's.
    ///
    /// @return whether it is not
    static boolean awaitUnlocked(QueuePair queuePair, long headerAddress, LatchOwner owner) {
        owner.startWait();
        try {
            for (int poll = 0; poll < MAX_POLLS; poll++) {
                if (!RecordHeader.isLocked(queuePair.readWord(headerAddress))) {
                    return true;
                }
                owner.pause(LatchKind.BUCKET, headerAddress, LatchOwner.UNKNOWN);
            }
        } catch (LatchTimeoutException e) {
            return false; // it conflicts
        }
        return false;
    }
}
