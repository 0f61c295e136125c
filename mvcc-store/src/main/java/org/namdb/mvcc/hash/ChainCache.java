package org.namdb.mvcc.hash;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LongNumbers;

/// What one commit caches of the long chains of a hashed index, so that it reads each of them once:
/// ```
/// first inserts into a chain      READ all of it; cache the hashes of its entries
/// later ones                      READ the home bucket, and the areas down to the one that was
///                                 the newest before: for free entries only
/// ```
/// An entry that was not in the chain then is not in it now. Entries are added under their record's
/// lock, and the commit holds that: it has claimed the record. Only the fill of a new index adds
/// entries without locks, but none of records that were claimed after its snapshot. So the cache
/// serves entries of claimed records alone. Areas are never unlinked, and new ones come first.
///
/// An entry whose hash is cached may be in the chain: then all of it is read again. A split takes
/// entries out of a chain, and puts them into a new one, which no commit has cached.
///
/// Belongs to one thread.
final class ChainCache {
    /// With fewer inserts nothing is cached.
    private static final int MIN_INSERTS = 8;

    /// The most hashes that are cached, in 4 MB; chains with more entries are not.
    private static final int MAX_ENTRIES = (1 << 17) - 1;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    private static final class Chain {
        private long newestArea;

        /// Older areas with free entries.
        private long[] areas = new long[4];

        private int areaCount;
    }

    private final Map<Long, Chain> chains = new HashMap<>();
    private final LongNumbers entries = new LongNumbers();
    private int entryCount;
    private long attempt;
    private boolean areMany;
    private boolean areOfClaimed;

    /// Begins with some inserts.
    ///
    /// @param newAttempt the number of the [attempt][org.namdb.mvcc.owner.Intents] that has locked
    ///     their records
    /// @param ofClaimed whether it has claimed all of these records
    void begin(long newAttempt, int inserts, boolean ofClaimed) {
        if (newAttempt != attempt || !ofClaimed) {
            clear();
        }
        attempt = newAttempt;
        areMany = inserts >= MIN_INSERTS;
        areOfClaimed = ofClaimed;
    }

    private void clear() {
        chains.clear();
        entries.clear();
        entryCount = 0;
    }

    /// Whether a chain is cached: then the attempt's intents list its home bucket.
    boolean contains(long home) {
        return chains.containsKey(home);
    }

    /// The newest area of a cached chain; null if the chain is to be read from end to end.
    long newestArea(long home) {
        Chain chain = chains.get(home);
        return chain != null ? chain.newestArea : RemoteAddress.NULL;
    }

    /// Whether a chain with up to so many entries is to be cached. If the records are not claimed,
    /// that lasts until the next chain.
    boolean hasCapacityFor(int newEntries) {
        if (areMany && !areOfClaimed) {
            clear();
        }
        return areMany && entryCount + newEntries <= MAX_ENTRIES;
    }

    /// Adds an entry.
    ///
    /// @param words the native address of its words
    void add(long words, int keyWords) {
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = mix(hash, LocalMemory.longAt(words + 8L * word));
        }
        entryCount += entries.replace(hash, 0) == LongNumbers.NONE ? 1 : 0;
    }

    /// Whether an entry may have been [added][#add]: false is certain.
    boolean mayContain(long[] entry, int keyWords) {
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = mix(hash, entry[word]);
        }
        return entries.numberOf(hash) != LongNumbers.NONE;
    }

    private static long mix(long hash, long word) {
        long mixed = (hash ^ word) * MIX;
        return mixed ^ mixed >>> 32;
    }

    /// Caches a chain whose entries were added.
    ///
    /// @param isComplete whether it was read from end to end now
    void put(long home, long newestArea, boolean isComplete) {
        if (areOfClaimed) {
            Chain chain = chains.computeIfAbsent(home, _ -> new Chain());
            chain.newestArea = newestArea;
            chain.areaCount = isComplete ? 0 : chain.areaCount;
        }
    }

    /// Adds an area with free entries, not the newest one, to a chain that is cached.
    void addFree(long home, long area) {
        Chain chain = chains.get(home);
        if (chain != null) {
            if (chain.areaCount == chain.areas.length) {
                chain.areas = Arrays.copyOf(chain.areas, 2 * chain.areaCount);
            }
            chain.areas[chain.areaCount++] = area;
        }
    }

    /// Takes out an area with free entries; null if there is none.
    long takeFree(long home) {
        Chain chain = chains.get(home);
        return chain == null || chain.areaCount == 0
                ? RemoteAddress.NULL
                : chain.areas[--chain.areaCount];
    }
}
