package org.namdb.mvcc.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.namdb.fabric.RemoteAddress;

/// A cache of the overflow chains of a table: so a reader of a home bucket can read its overflow
/// areas along with it, all in one round trip. Entries may be stale, and are evicted; a reader that
/// follows one compares it with the buckets' words. They always lead to memory of the table, since
/// areas stay as long as the table does.
///
/// Two words for each home bucket that has areas, and for each area but the oldest: its capacity is
/// twice what is used, up to 32 MiB for a table. Shared by all threads, without waits: address and
/// word of one entry may be two threads'.
final class OverflowWords {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int FEWEST_ENTRIES = 1 << 5;
    private static final int MAX_ENTRIES = 1 << 21;

    /// So many places an address may be in, one behind the other.
    private static final int MAX_PROBES = 64;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    /// Address and word in turn.
    private volatile long[] entries = new long[2 * FEWEST_ENTRIES];

    /// How many are in use, about: two threads may count one.
    private int used;

    /// The overflow word of the home bucket, or of all buckets of the area, at `address`; null if
    /// it is not cached.
    long after(long address) {
        long[] known = entries;
        int at = find(address, known);
        return (long) WORDS.getOpaque(known, at) == address
                ? (long) WORDS.getOpaque(known, at + 1)
                : RemoteAddress.NULL;
    }

    /// Where an address is or belongs: there, or in the first free place from there on.
    private static int find(long address, long[] known) {
        int first = place(address, known);
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            int at = first + 2 * probe & known.length - 1;
            long there = (long) WORDS.getOpaque(known, at);
            if (there == address || RemoteAddress.isNull(there)) {
                return at;
            }
        }
        return first;
    }

    /// Caches the overflow word of the home bucket or area at `address`.
    void learn(long address, long word) {
        if (RemoteAddress.isNull(word) || after(address) == word) {
            return;
        }
        long[] known = entries;
        boolean isMore = put(address, word, known);
        if (isMore && 4 * ++used > known.length && known.length < 2 * MAX_ENTRIES) {
            ensureCapacity(known);
        }
    }

    /// Puts a word in the place of an older one, in a free place, or in that of another address.
    ///
    /// @return whether it was free
    private static boolean put(long address, long word, long[] known) {
        int at = find(address, known);
        boolean isFree = RemoteAddress.isNull((long) WORDS.getOpaque(known, at));
        WORDS.setOpaque(known, at, address);
        WORDS.setOpaque(known, at + 1, word);
        return isFree;
    }

    /// Doubles the capacity, unless another thread has; what others add meanwhile may be lost.
    private synchronized void ensureCapacity(long[] known) {
        if (entries.length != known.length) {
            return;
        }
        int count = 0;
        long[] more = new long[2 * known.length];
        for (int at = 0; at < known.length; at += 2) {
            long address = (long) WORDS.getOpaque(known, at);
            if (!RemoteAddress.isNull(address)) {
                count += put(address, (long) WORDS.getOpaque(known, at + 1), more) ? 1 : 0;
            }
        }
        used = count;
        entries = more;
    }

    private static int place(long address, long[] known) {
        long mixed = address * MIX;
        mixed = (mixed ^ mixed >>> 29) * MIX;
        return 2 * (int) (mixed >>> 32) & known.length - 2;
    }
}
