package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// One lookup of a record by its key: finds the version that a snapshot sees and copies a
/// projection of it. Many are posted on one queue pair and advanced together after each await, so
/// that they share their round trips:
/// ```
/// home bucket --> overflow area, newest first --> ... absent
///      |                              the bucket was split: another home bucket
///      |  the key is there
///      +-- current version visible --> done: one round trip
///      +-- not visible --> headers of the old-version buffer --> the payload --> done
///                               +-- not there (any more) --> overflow region, newest first
/// ```
/// Versions only ever move along these arrows, each copied before it goes, so a reader that follows
/// them can't miss one. Nothing is trusted before the header, read again after the payload, is
/// found unchanged: the slot may have been locked, overwritten, even freed and given to another key
/// in between. Then the lookup starts over. No writer is waited for.
///
/// Reusable; belongs to one thread. Source: NAM-DB, section 5.1.
public final class RecordRead {
    private enum Stage {
        WANTED,
        COPY,
        BUCKET,
        BODY,
        OLD_HEADERS,
        OLD_PAYLOAD,
        OVERFLOW_POINTER,
        OVERFLOW_VERSION,
        DONE
    }

    private static final int SMALL_RUN_BYTES = 64;
    private static final int USUAL_KEY_WORDS = 8;

    /// Most keys are short; it grows where one is not.
    long[] key = new long[USUAL_KEY_WORDS];

    HashTable table;
    private Projection projection;
    private long target;

    private Stage stage = Stage.DONE;
    private long hash;
    private long home;
    private long bucket;

    /// Whether the home bucket was found by way of another one.
    private boolean isRouted;

    private long leading;
    private long view;
    private long trailing;

    /// Where the home bucket's growth word lands, read behind everything else of the bucket.
    private long growthView;

    private long until;
    private long oldHeader;
    private int place;

    /// What [#prefetch] has loaded. Unused, but the compiler would drop a load whose value goes
    /// nowhere.
    long prefetched;

    /// Whether the whole payload of a current version is kept, and where it is then.
    private boolean isKeeping;

    private byte @Nullable [] kept;

    /// Whether the record was taken from a copy, so that it may have been moved since.
    private boolean isCopied;

    boolean present;
    boolean current;
    long header;
    long headerAddress;
    long bodyAddress;
    long versions;

    /// An object for lookups in any table; `table` and `projection` are what it starts with.
    public RecordRead(HashTable table, Projection projection) {
        this.table = table;
        this.projection = projection;
    }

    /// Prepares a lookup: what part of the payload goes to which native address. The projection's
    /// runs keep their offsets.
    public void prepare(
            HashTable newTable, long[] words, Projection newProjection, long newTarget) {
        table = newTable;
        projection = newProjection;
        target = newTarget;
        if (newTable.keyWords > key.length) {
            key = new long[KeyLayout.MAX_WORDS];
        }
        System.arraycopy(words, 0, key, 0, newTable.keyWords);
        present = false;
        current = false;
        header = RecordHeader.FREE;
        headerAddress = RemoteAddress.NULL;
        versions = RemoteAddress.NULL;
        isKeeping = false;
        kept = null;
        isCopied = false;
        stage = Stage.DONE;
    }

    /// The lookup is going to be posted, after [#prefetchHome].
    public void want() {
        hash = table.hash(key);
        stage = Stage.WANTED;
    }

    /// Whether the lookup is wanted, and not posted yet.
    public boolean isWanted() {
        return stage == Stage.WANTED;
    }

    /// Loads what says where the home bucket of a lookup that is [wanted][#want] is: of several,
    /// prefetch all before the first is posted, as with [#prefetch].
    public void prefetchHome() {
        prefetched = table.prefetchHome(hash);
    }

    /// Posts the first READ of the lookup.
    public void post(QueuePair queuePair) {
        hash = table.hash(key);
        startOver(queuePair);
    }

    /// Posts nothing: the caller has a copy of the record, and [takes][#take] it when the snapshot
    /// is there, or posts the lookup after all.
    public void postCopy() {
        stage = Stage.COPY;
    }

    /// Whether the caller is to take a copy of the record, or to post the lookup.
    public boolean awaitsCopy() {
        return stage == Stage.COPY;
    }

    /// The record is what a copy of its current version says. It may have been moved since that was
    /// made: it has to be [located][#locate] before it is changed or relied on.
    ///
    /// @param foundHeader the copy's header
    /// @param foundAddress where it was
    /// @param foundBody where its body was
    /// @param payload all of its payload
    public void take(long foundHeader, long foundAddress, long foundBody, byte[] payload) {
        for (int run = 0; run < projection.runs(); run++) {
            int offset = projection.offset(run);
            LocalMemory.copyFrom(payload, offset, target + offset, projection.length(run));
        }
        header = foundHeader;
        headerAddress = foundAddress;
        bodyAddress = foundBody;
        isCopied = true;
        boolean _ = done(true, true);
    }

    /// Whether the record was taken from a copy, and not located since.
    public boolean isCopied() {
        return isCopied;
    }

    /// Looks a record up that was taken from a copy, to know where it is, and whether the version
    /// that was taken is still current. Waits.
    ///
    /// @return whether the snapshot finds that version; not if it is too old
    public boolean locate(QueuePair queuePair, Snapshot snapshot) {
        RecordRead found = again(queuePair, snapshot);
        if (!found.present
                || RecordHeader.unlocked(found.header) != RecordHeader.unlocked(header)) {
            return false;
        }
        current = found.current;
        header = found.header;
        headerAddress = found.headerAddress;
        bodyAddress = found.bodyAddress;
        versions = found.versions;
        isCopied = false;
        return true;
    }

    /// Has the lookup keep all of the payload, if it finds the current version.
    public void keepPayload() {
        isKeeping = true;
    }

    /// All of the payload of the current version, if the lookup has kept it; else null.
    public byte @Nullable [] keptPayload() {
        return kept;
    }

    private void startOver(QueuePair queuePair) {
        home = table.home(hash);
        isRouted = false;
        postBucket(queuePair, home);
    }

    /// Looks the record up once more, wherever it is by now, and copies nothing of it. Waits.
    ///
    /// @return what it finds
    public RecordRead again(QueuePair queuePair, Snapshot snapshot) {
        RecordRead again = new RecordRead(table, Projection.NOTHING);
        try (ViewScope _ = queuePair.openViews()) {
            again.prepare(table, key, Projection.NOTHING, 0);
            again.post(queuePair);
            do {
                queuePair.await();
            } while (!again.advance(queuePair, snapshot));
        }
        return again;
    }

    /// Posts READs of the entry that the record was found in: of its header, and behind it of its
    /// key, so that a header of another record that has taken the entry never goes with this
    /// record's key. The lookup is done.
    ///
    /// @return the bytes that will land
    public int postEntry(QueuePair queuePair) {
        assert stage == Stage.DONE : "the lookup is under way";
        int keyBytes = Long.BYTES * table.keyWords;
        view = queuePair.read(headerAddress, Long.BYTES);
        trailing = queuePair.read(headerAddress + BucketLayout.KEY_OFFSET, keyBytes);
        return Long.BYTES + keyBytes;
    }

    /// The header that [#postEntry] has brought; that of a free entry if the record is not in the
    /// entry any more.
    public long entryHeader() {
        long found = LocalMemory.longAcquire(view);
        VarHandle.loadLoadFence();
        return RecordHeader.isClaimed(found) || !keyAt(trailing) ? RecordHeader.FREE : found;
    }

    /// Loads the first word of what the last await has brought. Where READs are in place, that word
    /// is in no cache yet. Of several lookups, prefetch all before the first goes on: the processor
    /// waits for their cache misses together then, else for one after the other.
    ///
    /// Source: Chen, Ailamaki, Gibbons and Mowry, "Improving Hash Join Performance through
    /// Prefetching", section 4 (group prefetching).
    public void prefetch() {
        if (stage != Stage.DONE && stage != Stage.COPY) {
            prefetched = LocalMemory.longAt(view);
        }
    }

    /// Goes on with what the last await has brought; posts more if need be.
    ///
    /// @return whether the lookup is done
    public boolean advance(QueuePair queuePair, Snapshot snapshot) {
        return switch (stage) {
            case WANTED -> throw new IllegalStateException("the lookup was not posted");
            case COPY -> throw new IllegalStateException("a copy is to be taken");
            case BUCKET -> searchBucket(queuePair, snapshot);
            case BODY -> takeCurrent(queuePair, snapshot, header, view, trailing);
            case OLD_HEADERS -> chooseOldVersion(queuePair, snapshot);
            case OLD_PAYLOAD -> takeOldVersion(queuePair);
            case OVERFLOW_POINTER -> followOverflow(queuePair, LocalMemory.longAcquire(view));
            case OVERFLOW_VERSION -> takeOverflowVersion(queuePair, snapshot);
            case DONE -> true;
        };
    }

    /// Whether nothing is left to do.
    public boolean isDone() {
        return stage == Stage.DONE;
    }

    /// Whether the snapshot sees a record with this key.
    public boolean isPresent() {
        return present;
    }

    /// Whether what was found is the record's current version, so that it may be updated.
    public boolean isCurrent() {
        return current;
    }

    /// The header of the version that was found.
    public long header() {
        return header;
    }

    /// The remote address of the current version's header, null if there is no entry for the key.
    public long headerAddress() {
        return headerAddress;
    }

    /// The remote address of the current version's body.
    public long bodyAddress() {
        return bodyAddress;
    }

    /// Becomes a lookup that is done, and has found what is given: what an earlier one has, whose
    /// results were kept elsewhere.
    public void restore(
            HashTable ofTable,
            long[] words,
            boolean isPresent,
            boolean isCurrent,
            long foundHeader,
            long foundAddress,
            long foundBody) {
        prepare(ofTable, words, Projection.NOTHING, 0);
        present = isPresent;
        current = isCurrent;
        header = foundHeader;
        headerAddress = foundAddress;
        bodyAddress = foundBody;
    }

    /// The key's words, with unused ones behind them.
    public long[] key() {
        return key;
    }

    /// Takes the key and the record from an entry of a bucket that was read already.
    ///
    /// @return whether the record is done; else it goes on with the next await
    boolean takeEntry(
            QueuePair queuePair,
            Snapshot snapshot,
            long entryHeader,
            long address,
            int offset,
            int entry,
            BucketViews views) {
        hash = table.hash(key);
        bucket = address;
        leading = views.leading;
        view = views.body;
        trailing = views.trailing;
        return takeEntry(queuePair, snapshot, entryHeader, offset, entry);
    }

    private void postBucket(QueuePair queuePair, long address) {
        bucket = address;
        long first = queuePair.readLeading(address, table.directoryBytes);
        view = queuePair.read(address, table.readBytes);
        leading = first == 0 ? view : first;
        trailing = queuePair.read(address, table.directoryBytes);
        growthView =
                address == home
                        ? trailing + BucketLayout.GROWTH_OFFSET
                        : queuePair.read(home + BucketLayout.GROWTH_OFFSET, Long.BYTES);
        stage = Stage.BUCKET;
    }

    private boolean searchBucket(QueuePair queuePair, Snapshot snapshot) {
        if (isRouted) {
            isRouted = false;
            table.learn(queuePair, hash, home, LocalMemory.longAcquire(growthView));
        }
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int entry = 0; entry < table.records; entry++) {
            long found = LocalMemory.longAcquire(leading + offset);
            if (found != RecordHeader.FREE && keyAt(view + offset + BucketLayout.KEY_OFFSET)) {
                return takeEntry(queuePair, snapshot, found, offset, entry);
            }
            offset += table.entryBytes;
        }
        // A record that was moved to another bucket is removed from this one only after the split
        // is visible here: so a reader that does not see the split afterwards has missed none.
        VarHandle.loadLoadFence();
        long growth = LocalMemory.longAcquire(growthView);
        boolean isChecked = bucket == home || !PlantedFault.GROWTH_NOT_READ_AGAIN.isPlanted();
        if (!BucketLayout.isFor(growth, hash) && isChecked) {
            followSplit(queuePair, growth);
            return false;
        }
        long overflow = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
        if (RemoteAddress.isNull(overflow)) {
            return done(false, false);
        }
        postBucket(queuePair, overflow);
        return false;
    }

    private void followSplit(QueuePair queuePair, long growth) {
        long child =
                bucket == home
                        ? LocalMemory.longAcquire(trailing + BucketLayout.CHILD_OFFSET)
                        : RemoteAddress.NULL;
        home = table.route(queuePair, hash, home, growth, child);
        isRouted = true;
        postBucket(queuePair, home);
    }

    private boolean keyAt(long words) {
        for (int word = 0; word < table.keyWords; word++) {
            if (LocalMemory.longAt(words + 8L * word) != key[word]) {
                return false;
            }
        }
        return true;
    }

    private boolean takeEntry(
            QueuePair queuePair, Snapshot snapshot, long found, int offset, int entry) {
        headerAddress = bucket + offset;
        if (RecordHeader.isClaimed(found)) {
            return takeClaimed(queuePair, found, trailing + offset);
        }
        if (table.inlined) {
            int bodyOffset = table.layout().bodyOffset(entry);
            bodyAddress = bucket + bodyOffset;
            return takeCurrent(queuePair, snapshot, found, view + bodyOffset, trailing + offset);
        }
        bodyAddress = LocalMemory.longAt(view + offset + table.layout().bodyPointerOffset());
        header = found;
        view = queuePair.read(bodyAddress, table.layout().bodyBytes());
        trailing = queuePair.read(headerAddress, 8);
        stage = Stage.BODY;
        return false;
    }

    /// Claimed for an insert, and not installed: nothing there for this snapshot.
    private boolean takeClaimed(QueuePair queuePair, long found, long headerAgain) {
        VarHandle.loadLoadFence();
        if (LocalMemory.longAcquire(headerAgain) != found) {
            startOver(queuePair);
            return false;
        }
        return done(false, false);
    }

    private boolean takeCurrent(
            QueuePair queuePair, Snapshot snapshot, long found, long body, long headerAgain) {
        boolean readable =
                snapshot.sees(found)
                        && (!RecordHeader.isUnderOverwrite(found)
                                || PlantedFault.MOVED_BIT_IGNORED.isPlanted());
        boolean exists = !RecordHeader.isDeleted(found);
        long oldVersions = LocalMemory.longAt(body + RecordBody.VERSIONS_OFFSET);
        if (readable && exists) {
            copy(body + RecordBody.PAYLOAD_OFFSET);
            keep(body + RecordBody.PAYLOAD_OFFSET);
        }
        VarHandle.loadLoadFence();
        if (LocalMemory.longAcquire(headerAgain) != found
                && !PlantedFault.NO_HEADER_RECHECK.isPlanted()) {
            startOver(queuePair);
            return false;
        }
        header = found;
        versions = oldVersions;
        if (readable) {
            return done(exists, true);
        }
        if (RemoteAddress.isNull(oldVersions)) {
            return done(false, false);
        }
        postOldHeaders(queuePair);
        return false;
    }

    private void postOldHeaders(QueuePair queuePair) {
        view = queuePair.read(versions, table.oldVersions().headBytes());
        stage = Stage.OLD_HEADERS;
    }

    private boolean chooseOldVersion(QueuePair queuePair, Snapshot snapshot) {
        OldVersionBuffer buffer = table.oldVersions();
        for (int candidate = 0; candidate < buffer.versions(); candidate++) {
            long pair = view + buffer.pairOffset(candidate);
            long from = LocalMemory.longAcquire(pair + OldVersionBuffer.FROM_OFFSET);
            long replaced = LocalMemory.longAcquire(pair + OldVersionBuffer.UNTIL_OFFSET);
            if (from != 0 && snapshot.sees(from) && !snapshot.sees(replaced)) {
                oldHeader = from;
                until = replaced;
                place = candidate;
                view =
                        queuePair.read(
                                versions + buffer.payloadOffset(place), buffer.payloadBytes());
                trailing = queuePair.read(versions + buffer.pairOffset(place), 16);
                stage = Stage.OLD_PAYLOAD;
                return false;
            }
        }
        postOverflowPointer(queuePair);
        return false;
    }

    private boolean takeOldVersion(QueuePair queuePair) {
        boolean exists = !RecordHeader.isDeleted(oldHeader);
        if (exists) {
            copy(view);
        }
        VarHandle.loadLoadFence();
        if (PlantedFault.NO_PLACE_RECHECK.isPlanted()) {
            header = oldHeader;
            return done(exists, false);
        }
        if (LocalMemory.longAcquire(trailing + OldVersionBuffer.FROM_OFFSET) != oldHeader
                || LocalMemory.longAcquire(trailing + OldVersionBuffer.UNTIL_OFFSET) != until) {
            // Writers wrapped around the ring. The version is in the overflow region by now, or
            // still in another place: this one may have been mistaken for it, with the beginning of
            // one version and the end of another, read in the middle of a write.
            postOldHeaders(queuePair);
            return false;
        }
        header = oldHeader;
        return done(exists, false);
    }

    private void postOverflowPointer(QueuePair queuePair) {
        view = queuePair.read(versions + OldVersionBuffer.OVERFLOW_OFFSET, 8);
        stage = Stage.OVERFLOW_POINTER;
    }

    private boolean followOverflow(QueuePair queuePair, long version) {
        if (RemoteAddress.isNull(version)) {
            return done(false, false);
        }
        view = queuePair.read(version, OverflowVersion.bytes(table.layout().payloadBytes()));
        stage = Stage.OVERFLOW_VERSION;
        return false;
    }

    private boolean takeOverflowVersion(QueuePair queuePair, Snapshot snapshot) {
        long from = LocalMemory.longAt(view + OverflowVersion.FROM_OFFSET);
        if (snapshot.sees(from)
                && !snapshot.sees(LocalMemory.longAt(view + OverflowVersion.UNTIL_OFFSET))) {
            boolean exists = !RecordHeader.isDeleted(from);
            if (exists) {
                copy(view + OverflowVersion.PAYLOAD_OFFSET);
            }
            header = from;
            return done(exists, false);
        }
        return followOverflow(queuePair, LocalMemory.longAt(view + OverflowVersion.OLDER_OFFSET));
    }

    private boolean done(boolean isPresent, boolean isCurrent) {
        present = isPresent;
        current = isCurrent;
        stage = Stage.DONE;
        return true;
    }

    private void keep(long payload) {
        if (isKeeping) {
            byte[] bytes = new byte[table.layout().payloadBytes()];
            LocalMemory.copyTo(payload, bytes, 0, bytes.length);
            kept = bytes;
        }
    }

    private void copy(long payload) {
        for (int run = 0; run < projection.runs(); run++) {
            long from = payload + projection.offset(run);
            long to = target + projection.offset(run);
            int bytes = projection.length(run);
            if (bytes > SMALL_RUN_BYTES) {
                LocalMemory.copy(from, to, bytes);
            } else {
                for (int at = 0; at < bytes; at += 8) {
                    LocalMemory.putLong(to + at, LocalMemory.longAt(from + at));
                }
            }
        }
    }
}
