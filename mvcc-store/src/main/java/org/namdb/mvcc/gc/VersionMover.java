package org.namdb.mvcc.gc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// Copies the oldest versions of records from their old-version buffers to the overflow region, so
/// that writers find free places while long transactions need the old versions; and cuts versions
/// off the overflow region that no snapshot needs any more.
/// ```
/// WRITE the intent to lock it; CAS header h -> h|L, READ versions pointer   if it fails, the
///                                          record is being written, and it is skipped
/// READ the buffer's head
/// READ the payloads of the older half
/// WRITE overflow versions, WRITE overflow pointer
/// WRITE from = from|M each                 the place may be reused; or from = 0, if none needs
///                                          the version
/// WRITE header h
/// ```
/// So the record is locked for three round trips, however many versions are moved (a batch of
/// payloads more takes one more). While the end of the overflow chain is looked for, it is locked
/// for one more, and two for each version there that a snapshot needs. Why this is longer than a
/// commit's lock, and rare: decision 0026. What is cut off is freed when the record is unlocked
/// again. A version is in both for a moment and never in neither. Source: NAM-DB, section 5.1
/// (version mover thread).
public final class VersionMover {
    private static final int FIRST_CHOSEN = 8;

    private final QueuePair queuePair;
    private final RemoteAllocator oldVersions;
    private final RecordLock lock;
    private long moved;
    private long cut;
    private @Nullable Throwable fatalFailure;

    /// The versions that are to be copied, oldest first.
    private int chosen;

    private int[] places = new int[FIRST_CHOSEN];
    private long[] froms = new long[FIRST_CHOSEN];
    private long[] untils = new long[FIRST_CHOSEN];
    private long[] targets = new long[FIRST_CHOSEN];
    private long[] views = new long[FIRST_CHOSEN];

    /// Local memory for their heads.
    private long heads;

    /// @param oldVersions where overflow versions come from
    /// @param intents the session's intents
    public VersionMover(QueuePair queuePair, RemoteAllocator oldVersions, Intents intents) {
        this.queuePair = queuePair;
        this.lock = new RecordLock(queuePair, intents);
        this.oldVersions = oldVersions;
        this.heads = queuePair.localMemory(FIRST_CHOSEN * (long) OverflowVersion.PAYLOAD_OFFSET);
    }

    /// How many versions were moved.
    public long moved() {
        return moved;
    }

    /// How many versions were cut off and freed.
    public long cut() {
        return cut;
    }

    /// The failure after which a record may have stayed locked, which only recovery can unlock.
    /// Null if there was none.
    public @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    /// Moves the older half of a record's old versions, and cuts off what no snapshot needs, if the
    /// record's current version is still `header`.
    ///
    /// @param cuts whether there may be versions in the overflow region that no snapshot needs. The
    ///     search takes two round trips for each version that one needs, and the record is locked
    ///     meanwhile
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for an overflow version;
    ///     nothing has changed
    public void move(
            HashTable table,
            long header,
            long headerAddress,
            long bodyAddress,
            Snapshot lowWatermark,
            boolean cuts) {
        long dead = RemoteAddress.NULL;
        try {
            lock.post(table, header, headerAddress, bodyAddress);
            long view = queuePair.read(bodyAddress + RecordBody.VERSIONS_OFFSET, 8);
            queuePair.await();
            if (lock.isWon()) {
                long versions = LocalMemory.longAt(view);
                if (!RemoteAddress.isNull(versions)) {
                    moveOlderHalf(table, versions, lowWatermark);
                    dead = cuts ? cutOverflow(versions, lowWatermark) : RemoteAddress.NULL;
                }
                lock.postRelease(header);
            }
            lock.postEnd();
            queuePair.await();
        } catch (Throwable e) {
            if (!lock.letGo(e) && fatalFailure == null) {
                fatalFailure = e;
            }
            throw e;
        }
        free(table, dead);
    }

    private void moveOlderHalf(HashTable table, long versions, Snapshot lowWatermark) {
        OldVersionBuffer buffer = table.oldVersions();
        long view = queuePair.read(versions, buffer.headBytes());
        queuePair.await();
        long next = LocalMemory.longAt(view + OldVersionBuffer.NEXT_OFFSET);
        long overflow = LocalMemory.longAt(view + OldVersionBuffer.OVERFLOW_OFFSET);
        chosen = 0;
        for (int i = 0; i < (buffer.versions() + 1) / 2; i++) {
            int place = (int) Long.remainderUnsigned(next + i, buffer.versions());
            long pair = view + buffer.pairOffset(place);
            long from = LocalMemory.longAt(pair + OldVersionBuffer.FROM_OFFSET);
            long until = LocalMemory.longAt(pair + OldVersionBuffer.UNTIL_OFFSET);
            if (from == 0 || RecordHeader.isMoved(from)) {
                continue;
            }
            if (lowWatermark.sees(until)) {
                // Dropped: a writer that has observed an older low watermark would move it later,
                // in front of younger versions.
                queuePair.writeWord(
                        versions + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET, 0);
            } else {
                choose(place, from, until);
            }
        }
        int atOnce = Math.max(1, queuePair.batchBytes() / buffer.payloadBytes());
        for (int first = 0; first < chosen; first += atOnce) {
            queuePair.await();
            overflow =
                    postCopies(table, versions, first, Math.min(chosen, first + atOnce), overflow);
        }
    }

    private void choose(int place, long from, long until) {
        if (chosen == places.length) {
            heads = queuePair.localMemory(2L * chosen * OverflowVersion.PAYLOAD_OFFSET);
            places = Arrays.copyOf(places, 2 * chosen);
            froms = Arrays.copyOf(froms, 2 * chosen);
            untils = Arrays.copyOf(untils, 2 * chosen);
            targets = Arrays.copyOf(targets, 2 * chosen);
            views = new long[2 * chosen];
        }
        places[chosen] = place;
        froms[chosen] = from;
        untils[chosen] = until;
        chosen++;
    }

    /// Copies the chosen versions from `first` to `end`, oldest first, each in front of the one
    /// before. What is posted last is not awaited: the record's unlocking can follow in the
    /// same batch.
    ///
    /// @return the newest version in the overflow region
    private long postCopies(HashTable table, long versions, int first, int end, long overflow) {
        OldVersionBuffer buffer = table.oldVersions();
        allocate(
                RemoteAddress.server(versions),
                OverflowVersion.bytes(buffer.payloadBytes()),
                first,
                end);
        for (int i = first; i < end; i++) {
            views[i - first] =
                    queuePair.read(
                            versions + buffer.payloadOffset(places[i]), buffer.payloadBytes());
        }
        queuePair.await();
        if (PlantedFault.MOVER_FREES_FIRST.isPlanted()) {
            postFroms(buffer, versions, first, end, true);
            queuePair.await();
        }
        long older = overflow;
        for (int i = first; i < end; i++) {
            long head = heads + (long) i * OverflowVersion.PAYLOAD_OFFSET;
            LocalMemory.putLong(head + OverflowVersion.FROM_OFFSET, froms[i]);
            LocalMemory.putLong(head + OverflowVersion.UNTIL_OFFSET, untils[i]);
            LocalMemory.putLong(head + OverflowVersion.OLDER_OFFSET, older);
            older = targets[i];
            queuePair.write(older, head, OverflowVersion.PAYLOAD_OFFSET);
            queuePair.write(
                    older + OverflowVersion.PAYLOAD_OFFSET,
                    views[i - first],
                    buffer.payloadBytes());
        }
        queuePair.writeWord(versions + OldVersionBuffer.OVERFLOW_OFFSET, older);
        postFroms(buffer, versions, first, end, false);
        moved += end - first;
        return older;
    }

    private void postFroms(
            OldVersionBuffer buffer, long versions, int first, int end, boolean isFreed) {
        for (int i = first; i < end; i++) {
            queuePair.writeWord(
                    versions + buffer.pairOffset(places[i]) + OldVersionBuffer.FROM_OFFSET,
                    isFreed ? 0 : RecordHeader.moved(froms[i]));
        }
    }

    private void allocate(int server, int bytes, int first, int end) {
        int allocated = first;
        try {
            while (allocated < end) {
                targets[allocated] = oldVersions.allocate(server, bytes);
                allocated++;
            }
        } catch (MemoryFullException e) {
            while (allocated > first) {
                allocated--;
                oldVersions.free(targets[allocated], bytes);
            }
            throw e;
        }
    }

    /// Cuts the chain behind the last version that a snapshot may need. Versions are chained in the
    /// order of their age, so those behind one that is not needed are not needed either.
    ///
    /// @return the newest version that is cut off, or null
    private long cutOverflow(long versions, Snapshot lowWatermark) {
        long pointer = versions + OldVersionBuffer.OVERFLOW_OFFSET;
        long version = queuePair.readWord(pointer);
        while (!RemoteAddress.isNull(version)
                && !lowWatermark.sees(queuePair.readWord(version + OverflowVersion.UNTIL_OFFSET))) {
            pointer = version + OverflowVersion.OLDER_OFFSET;
            version = queuePair.readWord(pointer);
        }
        if (!RemoteAddress.isNull(version)) {
            queuePair.writeWord(pointer, RemoteAddress.NULL);
        }
        return version;
    }

    /// Frees versions that were cut off, while the record is not locked any more.
    private void free(HashTable table, long newest) {
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        long version = newest;
        while (!RemoteAddress.isNull(version)) {
            long older = queuePair.readWord(version + OverflowVersion.OLDER_OFFSET);
            oldVersions.free(version, bytes);
            version = older;
            cut++;
        }
    }
}
