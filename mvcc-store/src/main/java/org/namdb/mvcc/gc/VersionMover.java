package org.namdb.mvcc.gc;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.Snapshot;

/// Copies the oldest versions of records from their old-version buffers to the overflow region, so that writers find free places while
/// long transactions need the old versions; and cuts versions off the overflow region that nobody needs any more.
/// ```
/// WRITE the intent to lock it
/// CAS header h -> h|L                      the record is not written meanwhile; a loss means that it is, and it is left alone
/// WRITE overflow version, WRITE overflow pointer
/// WRITE from = from|M                      the place may be reused; or from = 0, if nobody needs the version
/// WRITE header h
/// ```
/// A version is in both for a moment and never in neither. Source: NAM-DB, section 5.1 (version mover thread).
public final class VersionMover {
    private final QueuePair queuePair;
    private final RemoteAllocator oldVersions;
    private final RecordLock lock;
    private final long head;
    private long moved;
    private long cut;
    private @Nullable Throwable breakage;

    /// @param oldVersions where overflow versions come from
    /// @param intents where the session writes down what it locks
    public VersionMover(QueuePair queuePair, RemoteAllocator oldVersions, Intents intents) {
        this.queuePair = queuePair;
        this.lock = new RecordLock(queuePair, intents);
        this.oldVersions = oldVersions;
        this.head = queuePair.localMemory(OverflowVersion.PAYLOAD_OFFSET);
    }

    /// How many versions were moved.
    public long moved() {
        return moved;
    }

    /// How many versions were cut off and given back.
    public long cut() {
        return cut;
    }

    /// What has gone wrong so that a record may have stayed locked, which only a clean-up can unlock.
    /// Null if nothing has.
    public @Nullable Throwable breakage() {
        return breakage;
    }

    /// Moves the older half of a record's old versions, and cuts off what nobody needs, if the record's current version is still `header`.
    ///
    /// @param cuts whether there may be versions in the overflow region that nobody needs. To look for them takes a round trip for each version that
    ///     somebody needs, and the record is locked meanwhile
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for an overflow version; nothing has changed
    public void move(
            HashTable table,
            long header,
            long headerAddress,
            long bodyAddress,
            Snapshot lowWatermark,
            boolean cuts) {
        try {
            lock.post(table, header, headerAddress, bodyAddress);
            long view = queuePair.read(bodyAddress + RecordBody.VERSIONS_OFFSET, 8);
            queuePair.await();
            if (lock.isWon()) {
                move(table, LocalMemory.longAt(view), lowWatermark, cuts);
                lock.postRelease(header);
            }
            lock.postEnd();
            queuePair.await();
        } catch (Throwable e) {
            if (!lock.letGo(e) && breakage == null) {
                breakage = e;
            }
            throw e;
        }
    }

    private void move(HashTable table, long versions, Snapshot lowWatermark, boolean cuts) {
        if (!RemoteAddress.isNull(versions)) {
            moveOlderHalf(table, versions, lowWatermark);
            if (cuts) {
                cutOverflow(table, versions, lowWatermark);
            }
        }
    }

    private void moveOlderHalf(HashTable table, long versions, Snapshot lowWatermark) {
        OldVersionBuffer buffer = table.oldVersions();
        int most = (buffer.versions() + 1) / 2;
        for (int i = 0; i < most; i++) {
            long view = queuePair.read(versions, buffer.headBytes());
            queuePair.await();
            long next = LocalMemory.longAt(view + OldVersionBuffer.NEXT_OFFSET);
            int place = (int) Long.remainderUnsigned(next + i, buffer.versions());
            long from =
                    LocalMemory.longAt(
                            view + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET);
            long until =
                    LocalMemory.longAt(
                            view + buffer.pairOffset(place) + OldVersionBuffer.UNTIL_OFFSET);
            if (from == 0 || RecordHeader.isMoved(from)) {
                continue;
            }
            if (lowWatermark.sees(until)) {
                // Dropped: a writer that has observed an older low watermark would move it later,
                // in front of younger versions.
                queuePair.writeWord(
                        versions + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET, 0);
            } else {
                long overflow = LocalMemory.longAt(view + OldVersionBuffer.OVERFLOW_OFFSET);
                copy(table, versions, place, from, until, overflow);
            }
        }
    }

    private void copy(
            HashTable table, long versions, int place, long from, long until, long overflow) {
        OldVersionBuffer buffer = table.oldVersions();
        int bytes = OverflowVersion.bytes(buffer.payloadBytes());
        long target = oldVersions.allocate(RemoteAddress.server(versions), bytes);
        long payload =
                queuePair.read(versions + buffer.payloadOffset(place), buffer.payloadBytes());
        queuePair.await();
        LocalMemory.putLong(head + OverflowVersion.FROM_OFFSET, from);
        LocalMemory.putLong(head + OverflowVersion.UNTIL_OFFSET, until);
        LocalMemory.putLong(head + OverflowVersion.OLDER_OFFSET, overflow);
        if (PlantedFault.MOVER_FREES_FIRST.isPlanted()) {
            queuePair.writeWord(
                    versions + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET, 0);
            queuePair.await();
        }
        queuePair.write(target, head, OverflowVersion.PAYLOAD_OFFSET);
        queuePair.write(target + OverflowVersion.PAYLOAD_OFFSET, payload, buffer.payloadBytes());
        queuePair.writeWord(versions + OldVersionBuffer.OVERFLOW_OFFSET, target);
        queuePair.writeWord(
                versions + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET,
                RecordHeader.moved(from));
        queuePair.await();
        moved++;
    }

    /// Cuts the chain behind the last version that someone may need. Versions are chained in the order of their age, so those
    /// behind one that nobody needs are not needed either.
    private void cutOverflow(HashTable table, long versions, Snapshot lowWatermark) {
        long pointer = versions + OldVersionBuffer.OVERFLOW_OFFSET;
        long version = word(pointer);
        while (!RemoteAddress.isNull(version)
                && !lowWatermark.sees(word(version + OverflowVersion.UNTIL_OFFSET))) {
            pointer = version + OverflowVersion.OLDER_OFFSET;
            version = word(pointer);
        }
        if (RemoteAddress.isNull(version)) {
            return;
        }
        queuePair.writeWord(pointer, RemoteAddress.NULL);
        queuePair.await();
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        while (!RemoteAddress.isNull(version)) {
            long older = word(version + OverflowVersion.OLDER_OFFSET);
            oldVersions.free(version, bytes);
            version = older;
            cut++;
        }
    }

    private long word(long address) {
        long mark = queuePair.landed();
        long view = queuePair.read(address, 8);
        queuePair.await();
        long word = LocalMemory.longAcquire(view);
        queuePair.giveUpViews(mark);
        return word;
    }
}
