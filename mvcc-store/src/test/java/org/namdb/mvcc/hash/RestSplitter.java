package org.namdb.mvcc.hash;

import java.util.ArrayList;
import java.util.List;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.record.RecordHeader;

/// Splits buckets *at rest*: no other session uses the table meanwhile, and no row of it is locked.
/// What it leaves is what a split leaves that was done while others used the table.
public final class RestSplitter {
    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final HashTable table;

    public RestSplitter(QueuePair queuePair, RemoteAllocator allocator, HashTable table) {
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.table = table;
    }

    /// An entry that is in use, as bytes: entry and inlined body.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(long address, byte[] entry, byte[] body) {}

    /// Splits the home bucket for a hash, wherever that is by now.
    ///
    /// @return the bucket that was made
    public long split(long hash) {
        return split(hash, false);
    }

    /// Splits it, also where some of its rows are locked.
    ///
    /// @param leavesLocked whether those stay where they are; else there must be none
    /// @return the bucket that was made
    public long split(long hash, boolean leavesLocked) {
        long head = table.head(table.range(hash));
        long root = table.root(hash);
        long roots = table.roots();
        long address = find(hash);
        long growth = queuePair.readWord(address + BucketLayout.GROWTH_OFFSET);
        int depth = BucketLayout.depth(growth);
        long number = BucketLayout.number(growth) | 1L << depth;
        long child = allocate(head, table.bucketBytes);
        List<Entry> moved = new ArrayList<>();
        for (Entry entry : entries(address, leavesLocked)) {
            if ((hashOf(entry) >>> depth & 1) != 0) {
                moved.add(entry);
            }
        }
        fill(child, moved);
        queuePair.writeWord(
                child + BucketLayout.GROWTH_OFFSET, BucketLayout.growth(depth + 1, number));
        long level = level(head, depth, roots);
        queuePair.writeWord(address + BucketLayout.CHILD_OFFSET, child);
        queuePair.writeWord(
                address + BucketLayout.GROWTH_OFFSET,
                BucketLayout.growth(depth + 1, BucketLayout.number(growth)));
        queuePair.writeWord(level + 8 * TableHead.word(number, root, roots), child);
        for (Entry entry : moved) {
            queuePair.writeWord(entry.address, RecordHeader.FREE);
        }
        queuePair.await();
        long splits = queuePair.readWord(head + TableHead.SPLITS_OFFSET);
        queuePair.writeWord(head + TableHead.SPLITS_OFFSET, splits + 1);
        queuePair.await();
        return child;
    }

    /// How often the home bucket for a hash was split.
    public int depth(long hash) {
        return BucketLayout.depth(queuePair.readWord(find(hash) + BucketLayout.GROWTH_OFFSET));
    }

    /// The home bucket for a hash, by head and levels alone.
    public long find(long hash) {
        long head = table.head(table.range(hash));
        long root = table.root(hash);
        long roots = table.roots();
        int depth = (int) queuePair.readWord(head + TableHead.DEPTH_OFFSET);
        for (int level = depth - 1; level >= 0; level--) {
            if ((hash >>> level & 1) != 0) {
                long words = queuePair.readWord(head + TableHead.levelOffset(level));
                long word = TableHead.word(hash & (2L << level) - 1, root, roots);
                long found = queuePair.readWord(words + 8 * word);
                if (!RemoteAddress.isNull(found)) {
                    return found;
                }
            }
        }
        return TableHead.buckets(head) + root * table.bucketBytes;
    }

    private long level(long head, int level, long roots) {
        long at = head + TableHead.levelOffset(level);
        long words = queuePair.readWord(at);
        if (RemoteAddress.isNull(words)) {
            words = allocate(head, (int) (8 * TableHead.words(level, roots)));
            queuePair.writeWord(at, words);
            queuePair.writeWord(head + TableHead.DEPTH_OFFSET, level + 1L);
            queuePair.await();
        }
        return words;
    }

    private long allocate(long near, int bytes) {
        long address = allocator.allocate(RemoteAddress.server(near), bytes);
        for (int at = 0; at < bytes; at += 8) {
            queuePair.writeWord(address + at, 0);
        }
        queuePair.await();
        return address;
    }

    private long hashOf(Entry entry) {
        long[] key = new long[table.keyWords];
        for (int word = 0; word < key.length; word++) {
            key[word] = word(entry.entry, BucketLayout.KEY_OFFSET + 8 * word);
        }
        return table.hash(key);
    }

    private static long word(byte[] bytes, int at) {
        return java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(at);
    }

    /// All entries of a home bucket and of its areas.
    private List<Entry> entries(long home, boolean leavesLocked) {
        List<Entry> entries = new ArrayList<>();
        BucketEntries all = new BucketEntries(queuePair);
        all.start(table, home);
        while (all.next()) {
            if (RecordHeader.isLocked(all.header()) && leavesLocked) {
                continue;
            }
            if (RecordHeader.isLocked(all.header())) {
                throw new AssertionError("not at rest");
            }
            int bodyBytes = table.inlined ? table.layout().bodyBytes() : 0;
            entries.add(
                    new Entry(
                            all.headerAddress(),
                            bytes(all.headerAddress(), table.entryBytes),
                            bytes(all.bodyAddress(), bodyBytes)));
        }
        return entries;
    }

    private byte[] bytes(long address, int count) {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count; at += 8) {
            long word = queuePair.readWord(address + at);
            for (int i = 0; i < 8; i++) {
                bytes[at + i] = (byte) (word >>> 8 * i);
            }
        }
        return bytes;
    }

    /// Writes entries to a new bucket, and to areas of one bucket where they are too many.
    private void fill(long first, List<Entry> entries) {
        long bucket = first;
        int at = 0;
        for (Entry entry : entries) {
            if (at == table.records) {
                long area = allocate(first, table.bucketBytes);
                queuePair.writeWord(bucket + BucketLayout.OVERFLOW_OFFSET, area);
                bucket = area;
                at = 0;
            }
            write(bucket + table.layout().entryOffset(at), entry.entry);
            if (table.inlined) {
                write(bucket + table.layout().bodyOffset(at), entry.body);
            }
            at++;
        }
        queuePair.await();
    }

    private void write(long address, byte[] bytes) {
        for (int at = 0; at < bytes.length; at += 8) {
            queuePair.writeWord(address + at, word(bytes, at));
        }
    }
}
