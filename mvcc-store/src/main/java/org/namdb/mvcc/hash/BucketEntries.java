package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.record.RecordHeader;

/// Goes through the entries that are in use of a home bucket and of all its overflow areas,
/// including those under claim, for repair. Belongs to one thread.
public final class BucketEntries {
    private final QueuePair queuePair;
    private HashTable table;
    private long bucket;
    private int entry;
    private long overflow;

    /// The headers of the bucket's entries, and where their bodies are.
    private long[] headers = new long[16];

    private long[] bodies = new long[16];

    /// Their keys, one behind the other.
    private long[] keys = new long[16];

    /// The growth word and the child of the home bucket.
    private long growth;

    private long child;

    @SuppressWarnings("NullAway.Init") // the table comes with the first bucket
    public BucketEntries(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Starts with the first entry of the home bucket at `home`.
    public void start(HashTable newTable, long home) {
        table = newTable;
        if (headers.length < table.records) {
            headers = new long[table.records];
            bodies = new long[table.records];
        }
        if (keys.length < table.records * table.keyWords) {
            keys = new long[table.records * table.keyWords];
        }
        read(home);
    }

    /// Finds the entry of a key, in whichever bucket it is by now; one under claim, too. What was
    /// found is the current entry.
    ///
    /// @return whether there is one
    public boolean find(HashTable of, long[] key) {
        long hash = of.hash(key);
        long home = of.home(hash);
        start(of, home);
        while (!BucketLayout.isFor(growth, hash)) {
            home = of.route(queuePair, hash, home, growth, child);
            start(of, home);
        }
        while (next()) {
            if (hasKey(key)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasKey(long[] key) {
        for (int word = 0; word < table.keyWords; word++) {
            if (keys[entry * table.keyWords + word] != key[word]) {
                return false;
            }
        }
        return true;
    }

    /// Goes to the next entry that is in use; a round trip for each bucket.
    ///
    /// @return false if there is none
    public boolean next() {
        while (true) {
            while (++entry < table.records) {
                if (headers[entry] != RecordHeader.FREE) {
                    return true;
                }
            }
            if (RemoteAddress.isNull(overflow)) {
                return false;
            }
            read(overflow);
        }
    }

    /// The entry's header.
    public long header() {
        return headers[entry];
    }

    /// Where it is.
    public long headerAddress() {
        return bucket + table.layout().entryOffset(entry);
    }

    /// Where the entry's body is.
    public long bodyAddress() {
        return bodies[entry];
    }

    private void read(long address) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(address, table.directoryBytes);
            queuePair.await();
            take(address, view);
        }
    }

    private void take(long address, long view) {
        bucket = address;
        entry = -1;
        overflow = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
        growth = LocalMemory.longAcquire(view + BucketLayout.GROWTH_OFFSET);
        child = LocalMemory.longAcquire(view + BucketLayout.CHILD_OFFSET);
        for (int i = 0; i < table.records; i++) {
            int offset = table.layout().entryOffset(i);
            headers[i] = LocalMemory.longAcquire(view + offset);
            for (int word = 0; word < table.keyWords; word++) {
                keys[i * table.keyWords + word] =
                        LocalMemory.longAt(view + offset + BucketLayout.KEY_OFFSET + 8L * word);
            }
            bodies[i] =
                    table.inlined
                            ? address + table.layout().bodyOffset(i)
                            : LocalMemory.longAt(
                                    view + offset + table.layout().bodyPointerOffset());
        }
    }
}
