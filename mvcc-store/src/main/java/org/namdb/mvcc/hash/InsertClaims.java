package org.namdb.mvcc.hash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.LongNumbers;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// Finds and claims entries for the records that a transaction inserts, so that of two inserts of
/// one key exactly one wins.
/// ```
/// CAS home bucket's latch, READ home bucket             of all buckets at once; one round trip
/// search the bucket and its overflow areas for the key  further READs if there are others, of all
///                                                       buckets at once
///   not there: WRITE key, WRITE header = claimed        the entry is locked, and shows nothing
///   deleted:   CAS header, to write it like an update
///   there:     duplicate key, or conflict
/// WRITE latch = 0
/// ```
/// If the bucket was split, inserts that it is not for any more go on with the bucket that was
/// split off, in the next round; that is listed in the intents, too. Where the CAS of a latch
/// fails, it is retried [in the next round][LatchRounds]. A latch is held for this short search,
/// never until the transaction ends; the claimed entry itself is the lock.
///
/// **Overflow areas.** A commit that needs much new memory claims entries in areas that no bucket
/// points to yet, and [links them][#linkAreas] when the memory for all records is there; if it is
/// not, it [frees them][#releaseAreas]. Until they are linked no session sees those claims, so
/// their keys are looked for once more then:
/// ```
/// CAS home bucket's latch, READ home bucket and what it points to
///   a key is there, or the bucket was split: conflict
///   else:               WRITE overflow pointer
/// WRITE latch = 0
/// ```
///
/// Reusable; belongs to one thread.
public final class InsertClaims {
    /// What has become of an insert.
    public enum Outcome {
        /// Not yet decided.
        OPEN,
        /// An entry is claimed, or a deleted record locked.
        CLAIMED,
        /// The snapshot sees a record with this key.
        DUPLICATE_KEY,
        /// A record with this key came in after the snapshot, or is being written.
        CONFLICT
    }

    /// How often inserts begin once more, as deleted records with their keys are locked: most
    /// likely by a collector, which removes them.
    private static final int MAX_AGAIN = 64;

    /// What keys are written from, between two awaits.
    private static final int PENDING_BYTES = 4096;

    /// So many chains are read concurrently.
    private static final int MAX_AHEAD = 8;

    private static final int NONE = -1;

    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final LatchOwner owner;
    private final Intents intents;
    private final long words;
    private int pendingBytes;
    private final NewAreas areas;
    private final EmptyBucket emptyBucket;

    /// The chain at hand, of those that are read ahead or of the one for all others.
    private BucketChain chain;

    private final BucketChain lone;
    private final List<BucketChain> ahead = new ArrayList<>();
    private final int[] aheadFirsts = new int[MAX_AHEAD];

    private int aheadCount;
    private final LocalAllocator memory;

    /// For the first insert of each home bucket.
    private final LatchRounds latches;

    /// What is done under the latch of a bucket, for its first insert.
    private final LatchRounds.Work claiming = new Claiming();

    private final LatchRounds.Work linking = this::linkBucket;

    /// A deleted record that the snapshot sees and another session has locked, which has ended the
    /// claims; null if there is none.
    private long lockedDead;

    private @Nullable Snapshot snapshotOfClaims;

    private RecordRead[] keys = new RecordRead[32];
    private RecordWrite[] writes = new RecordWrite[32];
    private Outcome[] outcomes = new Outcome[32];
    private long[] homes = new long[32];
    private long[] hashes = new long[32];

    /// How many inserts of the same home bucket there are up to this one.
    private int[] places = new int[32];

    private boolean isCrowded;
    private long claimCount;

    /// The next insert that goes to the same home bucket, or [#NONE].
    private int[] nextOfBucket = new int[32];

    private int count;
    private LongNumbers lasts = new LongNumbers();

    /// Of the inserts that left one bucket: the last one for each bucket that they go to.
    private LongNumbers routed = new LongNumbers();

    /// Of chains of an index, whose entries they are; null of a table's.
    private final @Nullable ChainCache cache;

    private final DueSplits splits;

    /// @param owner whose timestamp slot claims are made for, and latches taken
    /// @param intents the slot's intents
    /// @param splits gets the buckets that inserts have filled
    /// @param memory where the old version of a record that is deleted, and inserted again, waits
    ///     for the install
    /// @param atOnceBytes how many bytes of overflow areas are linked at once; the others
    ///     by [#linkAreas]
    public InsertClaims(
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner,
            Intents intents,
            DueSplits splits,
            LocalAllocator memory,
            long atOnceBytes) {
        this(queuePair, allocator, owner, intents, splits, memory, atOnceBytes, null);
    }

    /// @param cache of the chains of a hashed index, whose entries they are
    InsertClaims(
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner,
            Intents intents,
            DueSplits splits,
            LocalAllocator memory,
            long atOnceBytes,
            @Nullable ChainCache cache) {
        this.splits = splits;
        this.cache = cache;
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.owner = owner;
        this.intents = intents;
        this.areas = new NewAreas(atOnceBytes);
        this.emptyBucket = new EmptyBucket(queuePair);
        this.lone = newChain();
        this.chain = lone;
        this.memory = memory;
        // The views of a commit outlast its entries.
        int batch = queuePair.batchBytes();
        this.latches = new LatchRounds(queuePair, owner, cache == null ? batch : batch / 2);
        this.words = queuePair.localMemory(PENDING_BYTES);
    }

    private BucketChain newChain() {
        return new BucketChain(queuePair, allocator, areas, emptyBucket, cache);
    }

    /// Removes all inserts.
    public void clear() {
        Arrays.fill(keys, 0, count, null);
        Arrays.fill(writes, 0, count, null);
        count = 0;
        isCrowded = false;
        latches.clear();
        lasts.clear();
        areas.clear();
    }

    /// Drops all inserts, and the memory for many.
    public void shrink() {
        clear();
        keys = new RecordRead[32];
        writes = new RecordWrite[32];
        outcomes = new Outcome[32];
        homes = new long[32];
        hashes = new long[32];
        places = new int[32];
        nextOfBucket = new int[32];
        latches.shrink();
        lasts = new LongNumbers();
        routed = new LongNumbers();
    }

    /// Adds an insert of the key that `key` holds.
    public void add(RecordRead key, RecordWrite write) {
        if (count == keys.length) {
            grow();
        }
        keys[count] = key;
        writes[count] = write;
        hashes[count] = key.table.hash(key.key);
        boolean isNeighbour =
                count > 0
                        && keys[count - 1].table == key.table
                        && hashes[count - 1] == hashes[count];
        homes[count] = isNeighbour ? homes[count - 1] : key.table.home(hashes[count]);
        toBucket(count++);
    }

    private void toBucket(int insert) {
        HashTable table = keys[insert].table;
        outcomes[insert] = Outcome.OPEN;
        nextOfBucket[insert] = NONE;
        int before = lasts.replace(homes[insert], insert);
        if (before == LongNumbers.NONE) {
            places[insert] = 1;
            latches.add(insert, homes[insert], table.directoryBytes);
        } else {
            places[insert] = places[before] + 1;
            nextOfBucket[before] = insert;
            isCrowded |=
                    SplitsAhead.isCrowd(table, places[insert]) && hashes[before] != hashes[insert];
        }
    }

    /// Whether so many of the inserts go to one bucket that it should be split before.
    public boolean isCrowded() {
        return isCrowded;
    }

    /// Adds the buckets that are going to be latched to the intents, which the caller posts before
    /// [#claimAll].
    public void addIntents() {
        for (int i = 0; i < latches.count(); i++) {
            int first = latches.first(i);
            if (cache == null) {
                intents.addBucket(homes[first], keys[first].table.id());
            } else if (!cache.contains(homes[first])) {
                intents.addIndexBucket(homes[first], keys[first].table.id());
            }
        }
    }

    /// How many inserts there are.
    public int count() {
        return count;
    }

    /// What has become of insert `insert`.
    public Outcome outcome(int insert) {
        return outcomes[insert];
    }

    /// Tries to claim all; ends early when one can't be claimed, unless it is an entry of an index:
    /// where that is there, it is a [duplicate][Outcome#DUPLICATE_KEY]. Whatever it throws, no
    /// latch is held.
    ///
    /// @return whether all are claimed; else the caller undoes those that are
    /// @throws org.namdb.mvcc.MemoryFullException if a bucket is full and there is no memory for
    ///     more; some may be claimed
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a latch does not get free; some may be
    ///     claimed
    public boolean claimAll(Snapshot snapshot) {
        snapshotOfClaims = snapshot;
        lockedDead = RemoteAddress.NULL;
        boolean areClaimed = latches.run(claiming);
        for (int i = 0; i < MAX_AGAIN && !RemoteAddress.isNull(lockedDead); i++) {
            if (!RecordWrite.awaitUnlocked(queuePair, lockedDead, owner)) {
                return false;
            }
            latches.clear();
            lasts.clear();
            for (int insert = 0; insert < count; insert++) {
                if (outcomes[insert] != Outcome.CLAIMED) {
                    toBucket(insert);
                }
            }
            lockedDead = RemoteAddress.NULL;
            areClaimed = latches.run(claiming);
        }
        return areClaimed;
    }

    /// Links the overflow areas that were not linked at once; ends early if another session has
    /// inserted one of their keys meanwhile. Whatever it throws, no latch is held.
    ///
    /// @return whether all are linked; else the caller undoes the claims
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a latch does not get free
    public boolean linkAreas() {
        latches.clear();
        for (int area = 0; area < areas.count(); area++) {
            if (areas.isOldest(area)) {
                int first = areas.firstInsert(area);
                latches.add(first, homes[first], keys[first].table.directoryBytes);
            }
        }
        return latches.run(linking);
    }

    /// Whether there are overflow areas for [#linkAreas].
    public boolean hasAreasToLink() {
        return !areas.isEmpty();
    }

    /// Frees the overflow areas that were not linked: the claims were undone, and no verb to them
    /// is in flight any more.
    public void releaseAreas() {
        areas.freeUnused(allocator);
    }

    /// Undoes the claim of insert `insert`.
    public void postUndo(int insert) {
        writes[insert].postUnlock(queuePair);
    }

    /// What is done under the latches of home buckets.
    private final class Claiming implements LatchRounds.Work {
        @Override
        public void readAhead(LatchRounds round) {
            startAhead(round);
            // With what the latches, the locks before them and one chain more land, the views of
            // all last until they are needed.
            int capacity = queuePair.batchBytes() / 4;
            int posted = aheadCount;
            while (posted > 0) {
                posted = 0;
                for (int i = 0; i < aheadCount; i++) {
                    int bytes = ahead.get(i).postAhead(capacity);
                    capacity -= bytes;
                    posted += bytes;
                }
                if (posted > 0) {
                    queuePair.await();
                }
                for (int i = 0; i < aheadCount; i++) {
                    ahead.get(i).takeAhead();
                }
            }
        }

        @Override
        public boolean run(int first, long view) {
            return claimBucket(first, view);
        }
    }

    /// One bucket alone is not read ahead: that would not save anything.
    private void startAhead(LatchRounds round) {
        aheadCount = 0;
        if (round.tried() == 1) {
            return;
        }
        for (int index = 0; index < round.tried() && aheadCount < MAX_AHEAD; index++) {
            if (round.isHeld(index)) {
                if (aheadCount == ahead.size()) {
                    ahead.add(newChain());
                }
                int first = round.first(index);
                RecordRead key = keys[first];
                long view = round.view(index);
                ahead.get(aheadCount).readAhead(key.table, homes[first], view, lastArea(first));
                aheadFirsts[aheadCount++] = first;
            }
        }
    }

    /// Turns to the chain of the home bucket of insert `first`, whose latch is held.
    private void turnTo(int first, long view) {
        for (int i = 0; i < aheadCount; i++) {
            if (aheadFirsts[i] == first) {
                chain = ahead.get(i);
                chain.startHome(first);
                chain.resume();
                return;
            }
        }
        chain = lone;
        chain.startHome(first);
        chain.read(keys[first].table, homes[first], view, lastArea(first));
    }

    /// The newest area of a cached chain that has none of the inserts' entries; else null.
    private long lastArea(int first) {
        if (cache == null) {
            return RemoteAddress.NULL;
        }
        long area = cache.newestArea(homes[first]);
        for (int insert = first;
                insert != NONE && !RemoteAddress.isNull(area);
                insert = nextOfBucket[insert]) {
            if (cache.mayContain(keys[insert].key, keys[insert].table.keyWords)) {
                area = RemoteAddress.NULL;
            }
        }
        return area;
    }

    /// Has inserts whose home bucket was split go on with the bucket that was split off.
    ///
    /// @param added the first insert of a bucket whose latch is held
    /// @return the first one that stays, or [#NONE]
    private int sendOn(int added, long view) {
        long home = homes[added];
        int first = NONE;
        int last = NONE;
        int next;
        routed.clear();
        for (int insert = added; insert != NONE; insert = next) {
            next = nextOfBucket[insert];
            nextOfBucket[insert] = NONE;
            HashTable table = keys[insert].table;
            homes[insert] = table.homeBehind(queuePair, hashes[insert], home, view);
            if (homes[insert] != home) {
                sendOn(insert);
            } else if (first == NONE) {
                first = insert;
                last = insert;
            } else {
                nextOfBucket[last] = insert;
                last = insert;
            }
        }
        return first;
    }

    private void sendOn(int insert) {
        long home = homes[insert];
        HashTable table = keys[insert].table;
        int before = routed.replace(home, insert);
        if (before != LongNumbers.NONE) {
            nextOfBucket[before] = insert;
            return;
        }
        if (cache != null) {
            intents.postIndexBucket(home, table.id());
        } else if (!PlantedFault.SENT_ON_UNLISTED.isPlanted()) {
            intents.postBucket(home, table.id());
        }
        latches.add(insert, home, table.directoryBytes);
    }

    /// Claims for all inserts that go to the home bucket of insert `added`, whose latch is held.
    private boolean claimBucket(int added, long view) {
        Snapshot snapshot = Objects.requireNonNull(snapshotOfClaims);
        int first = sendOn(added, view);
        if (first == NONE) {
            return true;
        }
        HashTable table = keys[first].table;
        long growth = LocalMemory.longAcquire(view + BucketLayout.GROWTH_OFFSET);
        long hash = hashes[first];
        int group = 0;
        int largestGroup = 0;
        boolean isMixed = false;
        turnTo(first, view);
        chain.cacheEntries(keys[first]);
        for (int insert = first; insert != NONE; insert = nextOfBucket[insert]) {
            if (hashes[insert] != hash) {
                hash = hashes[insert];
                group = 0;
                isMixed = true;
            }
            int next = nextOfBucket[insert];
            if (group == 0 && next != NONE && hashes[next] == hash) {
                chain.expectNeighbours(keys[insert]);
            }
            largestGroup = Math.max(largestGroup, ++group);
            outcomes[insert] = claim(insert, snapshot);
            if (outcomes[insert] != Outcome.CLAIMED && cache == null) {
                chain.close();
                return false;
            }
        }
        chain.cacheChain();
        // Many inserts have split what they need; most tables are loaded once, and full buckets of
        // single rows may never get another one.
        boolean isLoad = count >= DueSplits.MIN_MANY && largestGroup == 1 && chain.isHomeOnly();
        if (splits.isOn()
                && !isLoad
                && chain.freeInHome() < largestGroup
                && (isMixed || chain.hasOtherPrefix())) {
            splits.add(table, cache != null, hashes[first], homes[first], growth);
        }
        chain.close();
        return true;
    }

    /// Links the areas of the home bucket of insert `first`, whose latch is held, if no session has
    /// inserted their keys, and it was not split so that one of them goes elsewhere now.
    private boolean linkBucket(int first, long directory) {
        HashTable table = keys[first].table;
        chain = lone;
        long newest = LocalMemory.longAcquire(directory + BucketLayout.OVERFLOW_OFFSET);
        long growth = LocalMemory.longAcquire(directory + BucketLayout.GROWTH_OFFSET);
        chain.readLinked(table, homes[first], directory);
        for (int insert = first; insert != NONE; insert = nextOfBucket[insert]) {
            if (areas.contains(first, writes[insert].headerAddress())
                    && (!BucketLayout.isFor(growth, hashes[insert]) || chain.find(keys[insert]))) {
                outcomes[insert] = Outcome.CONFLICT;
                chain.close();
                return false;
            }
        }
        chain.close();
        areas.postLinks(queuePair, first, homes[first], newest);
        return true;
    }

    private Outcome claim(int insert, Snapshot snapshot) {
        RecordRead key = keys[insert];
        HashTable table = key.table;
        if (chain.find(key)) {
            return cache != null ? Outcome.DUPLICATE_KEY : claimFound(writes[insert], snapshot);
        }
        chain.takeFree();
        long entry = chain.foundAddress();
        long body =
                table.inlined
                        ? chain.foundBody()
                        : allocator.allocate(HashTable.serverOf(entry), table.layout().bodyBytes());
        int keyBytes = 8 * table.keyWords;
        if (pendingBytes + keyBytes > PENDING_BYTES) {
            queuePair.await();
            pendingBytes = 0;
        }
        long keyWords = words + pendingBytes;
        pendingBytes += keyBytes;
        for (int word = 0; word < table.keyWords; word++) {
            LocalMemory.putLong(keyWords + 8L * word, key.key[word]);
        }
        queuePair.write(entry + BucketLayout.KEY_OFFSET, keyWords, keyBytes);
        queuePair.writeWord(entry, RecordHeader.claimed(owner.slot(), claimCount++));
        writes[insert].claim(table, entry, body);
        return Outcome.CLAIMED;
    }

    private Outcome claimFound(RecordWrite write, Snapshot snapshot) {
        long header = chain.foundHeader();
        boolean isLocked = RecordHeader.isLocked(header);
        boolean isSeen = snapshot.sees(RecordHeader.unlocked(header));
        if (isLocked || !isSeen) {
            boolean isDead =
                    isLocked
                            && isSeen
                            && RecordHeader.isDeleted(header)
                            && !RecordHeader.isClaimed(header);
            lockedDead = isDead ? chain.foundAddress() : RemoteAddress.NULL;
            return Outcome.CONFLICT;
        }
        if (!RecordHeader.isDeleted(header)) {
            return Outcome.DUPLICATE_KEY;
        }
        write.revive(header, chain.foundAddress(), chain.foundBody());
        try (ViewScope _ = queuePair.openViews()) {
            write.postIntent(intents);
            write.postLock(queuePair);
            queuePair.await();
            write.settle();
            if (!write.isLocked()) {
                lockedDead = chain.foundAddress(); // the collector was quicker, or another writer
                return Outcome.CONFLICT;
            }
            write.keepViews(memory.allocate(write.viewBytes()));
            return Outcome.CLAIMED;
        }
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * count);
        writes = Arrays.copyOf(writes, 2 * count);
        outcomes = Arrays.copyOf(outcomes, 2 * count);
        homes = Arrays.copyOf(homes, 2 * count);
        hashes = Arrays.copyOf(hashes, 2 * count);
        places = Arrays.copyOf(places, 2 * count);
        nextOfBucket = Arrays.copyOf(nextOfBucket, 2 * count);
    }
}
