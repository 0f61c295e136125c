package org.namdb.mvcc.owner;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;

/// The intents of one slot on one memory server, as another session reads them.
///
/// Of a slot whose holder is dead and fenced they are all that it may have locked there. Of a
/// living one they are at least what it has held since before the read began: what is written
/// meanwhile belongs to a later attempt, and is not mistaken for part of this one.
public final class IntentList {
    private static final int WORDS = 3;
    private static final int MAX_BYTES_PER_READ = 64 << 10;

    private final QueuePair queuePair;
    private final IntentLayout layout;
    private long attempt;
    private long[] entries = new long[WORDS * IntentLayout.AREA_ENTRIES];
    private int count;

    public IntentList(QueuePair queuePair, IntentLayout layout) {
        this.queuePair = queuePair;
        this.layout = layout;
    }

    /// Reads the list: a round trip, and one for each extent, or more for a large one.
    public void read(int server, int slot) {
        count = 0;
        boolean more = takeArea(layout.area(server, slot));
        while (more) {
            count--; // the link
            more = takeExtent(address(count), (int) header(count));
        }
    }

    private boolean takeArea(long area) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(area, IntentLayout.AREA_BYTES);
            queuePair.await();
            attempt = LocalMemory.longAcquire(view + IntentLayout.ATTEMPT_OFFSET);
            return IntentLayout.isUnderWay(attempt)
                    && take(view + IntentLayout.ENTRIES_OFFSET, IntentLayout.AREA_ENTRIES);
        }
    }

    private boolean takeExtent(long extent, int bytes) {
        int most =
                Math.min(queuePair.landingBytes() / 2, MAX_BYTES_PER_READ)
                        & -IntentLayout.ENTRY_BYTES;
        boolean more = true;
        for (int at = 0; at < bytes && more; at += most) {
            int piece = Math.min(most, bytes - at);
            int before = count;
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(extent + at, piece);
                queuePair.await();
                if (take(view, piece / IntentLayout.ENTRY_BYTES)) {
                    return true;
                }
            }
            more = count - before == piece / IntentLayout.ENTRY_BYTES;
        }
        return false;
    }

    /// Takes the entries that count.
    ///
    /// @return whether the last one is the link to where the list goes on
    private boolean take(long view, int places) {
        for (int place = 0; place < places; place++) {
            long at = view + (long) place * IntentLayout.ENTRY_BYTES;
            long address = LocalMemory.longAcquire(at + IntentLayout.ADDRESS_OFFSET);
            long header = LocalMemory.longAcquire(at + IntentLayout.HEADER_OFFSET);
            long what = LocalMemory.longAcquire(at + IntentLayout.WHAT_OFFSET);
            long check = LocalMemory.longAcquire(at + IntentLayout.CHECK_OFFSET);
            if (check != IntentLayout.check(attempt, address, header, what)) {
                continue;
            }
            if (WORDS * count == entries.length) {
                entries = Arrays.copyOf(entries, 2 * entries.length);
            }
            entries[WORDS * count] = address;
            entries[WORDS * count + 1] = header;
            entries[WORDS * count + 2] = what;
            count++;
            if (IntentLayout.kind(what) == IntentLayout.EXTENT) {
                return true;
            }
        }
        return false;
    }

    /// Which attempt of the slot it is.
    public long attempt() {
        return attempt;
    }

    /// How many records and buckets there are.
    public int count() {
        return count;
    }

    /// Where the record's header, or the home bucket, is.
    public long address(int entry) {
        return entries[WORDS * entry];
    }

    /// The record's header before it was to be locked.
    public long header(int entry) {
        return entries[WORDS * entry + 1];
    }

    /// Whether it is a record that is going to be locked.
    public boolean isRecord(int entry) {
        return kind(entry) == IntentLayout.LOCK;
    }

    /// Whether it is a home bucket that is going to be latched, of a table or of a hashed index.
    public boolean isBucket(int entry) {
        return kind(entry) == IntentLayout.BUCKET || kind(entry) == IntentLayout.INDEX;
    }

    /// Whether it is a home bucket that is going to be split, of a table or of a hashed index.
    public boolean isSplit(int entry) {
        return kind(entry) == IntentLayout.SPLIT || kind(entry) == IntentLayout.INDEX_SPLIT;
    }

    /// Whether it is a home bucket of a hashed index.
    public boolean isOfIndex(int entry) {
        return kind(entry) == IntentLayout.INDEX || kind(entry) == IntentLayout.INDEX_SPLIT;
    }

    /// The new bucket of a split.
    public long child(int entry) {
        return header(entry);
    }

    /// How many bits of a hash chose the bucket before it was to be split.
    public int splitDepth(int entry) {
        return IntentLayout.splitDepth(what(entry));
    }

    /// The number of the first bucket that the one to be split is a part of.
    public long splitRoot(int entry) {
        return IntentLayout.splitRoot(what(entry));
    }

    private int kind(int entry) {
        return IntentLayout.kind(what(entry));
    }

    private long what(int entry) {
        return entries[WORDS * entry + 2];
    }

    /// The number of its table, or of its index.
    public int table(int entry) {
        return IntentLayout.table(what(entry));
    }

    /// How far behind the record's header its body is; 0 if it is not in the bucket.
    public long bodyOffset(int entry) {
        return IntentLayout.bodyOffset(what(entry));
    }

    /// Whether the slot may hold the lock of this record, taken at this header: because it lists
    /// that, or is about to split a bucket of the record's table.
    ///
    /// @param table the number of the record's table
    public boolean mayHold(int table, long address, long header) {
        for (int entry = 0; entry < count; entry++) {
            if (address(entry) == address && header(entry) == header && isRecord(entry)) {
                return true;
            }
            if (kind(entry) == IntentLayout.SPLIT
                    && table(entry) == table
                    && !PlantedFault.SPLIT_NOT_AWAITED.isPlanted()) {
                return true;
            }
        }
        return false;
    }
}
