package org.namdb.compute.journal;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.namdb.fabric.LocalMemory;

/// Writes entries to the segments of the journal, in blocks one behind the other. Belongs to the
/// journal's writer thread, but for [#segmentOf] and [#forcedPosition].
final class BlockWriter implements AutoCloseable {
    private final SegmentAllocator allocator;
    private final int generation;
    private final ByteBuffer block = ByteBuffer.allocateDirect(JournalBlock.MAX_BYTES);
    private final long blockAddress = MemorySegment.ofBuffer(block).address();

    /// Segments, by how many bytes of entries lie before them.
    private final NavigableMap<Long, Integer> segments = new ConcurrentSkipListMap<>();

    /// Segments that are full, and were not forced since they were written to.
    private final List<JournalSegments.Segment> full = new ArrayList<>();

    private JournalSegments.Segment segment;
    private int offset;
    private long entryBytes;
    private long blockBytes;

    /// All blocks before this position were forced.
    private volatile long forced;

    /// Whether no block confirms that yet.
    private boolean isUnconfirmed;

    /// @param allocator has a segment ready
    BlockWriter(SegmentAllocator allocator, int generation) {
        this.allocator = allocator;
        this.generation = generation;
        this.segment = allocator.take();
        this.forced = segment.position(0);
        this.segments.put(0L, segment.number());
    }

    /// Writes the entries of a buffer. Their bytes on the disk are reserved.
    ///
    /// @return how many bytes of the segments they have taken, with what is left over at the ends
    ///     of those that are full
    long write(EntryBuffer entries) {
        long before = segment.position(offset);
        long taken = 0;
        long used = 0;
        long nextEntry = 0; // where the next entry begins that was not begun yet
        while (used < entries.used()) {
            if (segment.bytes() - offset < JournalBlock.ALIGNMENT) {
                taken += segment.bytes() - JournalSegments.offset(before);
                full.add(segment);
                segment = allocator.take();
                offset = 0;
                before = segment.position(0);
                segments.put(entryBytes + used, segment.number());
            }
            int free = Math.min(segment.bytes() - offset, JournalBlock.MAX_BYTES);
            int piece = (int) Math.min(entries.used() - used, free - JournalBlock.HEAD_BYTES);
            int first = (int) Math.min(nextEntry - used, piece);
            while (nextEntry < used + piece) {
                long head = LocalMemory.longAt(entries.memory() + nextEntry);
                nextEntry += JournalEntry.HEAD_BYTES + JournalEntry.bytes(head);
            }
            LocalMemory.copy(
                    entries.memory() + used, blockAddress + JournalBlock.HEAD_BYTES, piece);
            write(piece, first);
            used += piece;
        }
        entryBytes += used;
        return taken + offset - JournalSegments.offset(before);
    }

    /// Writes the block whose piece of the entries is in the buffer.
    private void write(int piece, int firstEntry) {
        JournalBlock.write(
                block,
                new JournalBlock.Head(
                        segment.position(offset), generation, piece, forced, firstEntry));
        segment.file().write(offset, block);
        offset += JournalBlock.length(piece);
        blockBytes += JournalBlock.length(piece);
    }

    /// Forces what was written.
    void force() {
        closeFull();
        segment.file().force();
        forced = segment.position(offset);
        isUnconfirmed = true;
    }

    /// Forces the segments that are full: a later one is never on the disk without them.
    void closeFull() {
        full.forEach(each -> each.file().force());
        full.forEach(each -> each.file().close());
        full.clear();
    }

    /// Writes an empty block, if there is space for it, which confirms that all before it was
    /// forced. So damage to that is distinguished from a write that did not come to its end.
    void confirm() {
        isUnconfirmed = false;
        if (segment.bytes() - offset >= JournalBlock.ALIGNMENT
                && allocator.tryReserve(JournalBlock.ALIGNMENT)) {
            write(0, 0);
            segment.file().force();
            forced = segment.position(offset);
        }
    }

    /// Whether something was forced, and no block on the disk confirms it.
    boolean isUnconfirmed() {
        return isUnconfirmed;
    }

    /// How many bytes of blocks were written.
    long blockBytes() {
        return blockBytes;
    }

    /// All blocks before this position were forced. For any thread.
    long forcedPosition() {
        return forced;
    }

    /// The segment in which an entry begins, or one before it. For any thread.
    ///
    /// @param bytes how many bytes of entries lie before it
    int segmentOf(long bytes) {
        return segments.floorEntry(bytes).getValue();
    }

    @Override
    public void close() {
        full.forEach(each -> each.file().close());
        segment.file().close();
    }
}
