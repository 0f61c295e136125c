package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;

/// Reads a journal, generation by generation, and finds its end.
///
/// **Where a generation ends.** Blocks are written one behind the other, and are acknowledged when
/// they were forced. So the first block that is not whole is the end if no later block confirms
/// that all up to there was forced; one that only reached the disk earlier does not. If one does, a
/// whole block was damaged, and the restart fails. The first entry of the next generation holds the
/// end of the one before.
///
/// So the only damage that is not distinguished from an unfinished write is that of the last block
/// of the last generation. That block holds no data if the process shut down cleanly, or was idle
/// for a tenth of a second: then it only confirms the ones before.
///
/// Belongs to one thread.
final class JournalReader implements AutoCloseable {
    private final Disk disk;
    private final long database;
    private final ByteBuffer block =
            ByteBuffer.allocateDirect(JournalBlock.MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long blockAddress = MemorySegment.ofBuffer(block).address();
    private final NavigableSet<Integer> segments = new TreeSet<>();

    private int number;
    private @Nullable DiskFile file;
    private long fileBytes;

    /// An entry of which only a part was read.
    private Arena arena = Arena.ofShared();

    private long part;
    private int partCapacity;
    private int partBytes;

    private int generation;
    private boolean endedCleanly;
    private boolean hasEntry;
    private boolean isFromTheStart;

    /// Where a journal was found to end.
    ///
    /// @param position where the last generation's next block would have been
    /// @param generation the last one; 0 if there is none
    /// @param endedCleanly whether that one ended with a clean shutdown
    /// @param tornBytes what was there behind the end
    record End(long position, int generation, boolean endedCleanly, long tornBytes) {}

    /// @param database the number that every generation's first entry must have
    JournalReader(Disk disk, long database) {
        this.disk = disk;
        this.database = database;
        for (String name : disk.list()) {
            int found = JournalSegments.number(name);
            if (found >= 0) {
                segments.add(found);
            }
        }
    }

    /// The first segment that there is; 0 if there is none.
    int firstSegment() {
        return segments.isEmpty() ? 0 : segments.first();
    }

    /// How many bytes there are to read at the most, from a segment on.
    long bytes(int from) {
        long bytes = 0;
        for (int each : segments.tailSet(from, true)) {
            try (DiskFile opened = disk.open(JournalSegments.name(each))) {
                bytes += opened.size();
            }
        }
        return bytes;
    }

    /// The same without segments in which nothing is written yet.
    long writtenBytes(int from) {
        long bytes = 0;
        for (int each : segments.tailSet(from, true)) {
            bytes += whole((long) each << 32) == null ? 0 : fileBytes;
        }
        return bytes;
    }

    /// Reads all.
    ///
    /// @param from the first segment
    /// @param firstGeneration whose blocks it begins with; 0 if it begins with a generation
    /// @param visitor gets the entries
    /// @param progress gets how many bytes were read
    /// @throws JournalException if anything is not as it was written
    End read(int from, int firstGeneration, JournalVisitor visitor, LongConsumer progress) {
        if (segments.isEmpty() && firstGeneration == 0) {
            return new End(0, 0, true, 0);
        }
        if (!segments.contains(from)) {
            throw damaged(JournalSegments.name(from) + " is missing", null);
        }
        generation = firstGeneration;
        isFromTheStart = firstGeneration == 0;
        long at = (long) from << 32;
        long end = at;
        long read = 0;
        boolean isFirst = true;
        while (true) {
            JournalBlock.Head head = whole(at);
            if (head == null && isAtEndOfSegment(at)) {
                at = (JournalSegments.number(at) + 1L) << 32;
                head = whole(at);
            }
            if (head != null && isFirst && firstGeneration == 0) {
                generation = head.generation();
            }
            if (head == null || head.generation() != generation) {
                long next = follow(at);
                if (next < 0) {
                    long torn = endedCleanly ? 0 : tornBytes(at);
                    return new End(isFirst ? at : end, generation, endedCleanly, torn);
                }
                at = next;
                head = whole(at);
                if (head == null) {
                    throw damaged(place(at) + " can't be read twice", null);
                }
                generation = head.generation();
                partBytes = 0;
                hasEntry = false;
                endedCleanly = false;
            }
            take(head, visitor, isFirst ? -1 : end);
            read += JournalBlock.length(head.bytes());
            progress.accept(read);
            at = head.end();
            end = at;
            isFirst = false;
        }
    }

    private boolean isAtEndOfSegment(long at) {
        open(JournalSegments.number(at));
        return file != null && fileBytes - JournalSegments.offset(at) < JournalBlock.ALIGNMENT;
    }

    /// Reads the block there into the buffer.
    ///
    /// @return null if there is none, or it is not whole
    private JournalBlock.@Nullable Head whole(long at) {
        open(JournalSegments.number(at));
        DiskFile opened = file;
        long offset = JournalSegments.offset(at);
        if (opened == null || fileBytes - offset < JournalBlock.ALIGNMENT) {
            return null;
        }
        block.clear().limit(JournalBlock.ALIGNMENT);
        if (opened.read(offset, block) < JournalBlock.ALIGNMENT) {
            return null;
        }
        JournalBlock.Head head = JournalBlock.head(block, JournalSegments.name(number));
        if (head == null || head.position() != at) {
            return null;
        }
        int length = JournalBlock.length(head.bytes());
        if (length > block.capacity() || length > fileBytes - offset) {
            return null;
        }
        block.limit(length).position(JournalBlock.ALIGNMENT);
        int rest = length - JournalBlock.ALIGNMENT;
        if (opened.read(offset + JournalBlock.ALIGNMENT, block) < rest) {
            return null;
        }
        block.clear();
        return JournalBlock.isWhole(block, head) ? head : null;
    }

    /// Reads all that is behind the end of a generation.
    ///
    /// @return where the next one begins; -1 if there is none
    private long follow(long end) {
        int first = JournalSegments.number(end);
        for (int each : segments.tailSet(first, true)) {
            open(each);
            long offset = each == first ? JournalSegments.offset(end) : 0;
            for (; offset + JournalBlock.ALIGNMENT <= fileBytes; offset += JournalBlock.ALIGNMENT) {
                long at = (long) each << 32 | offset;
                JournalBlock.Head head = whole(at);
                if (head == null) {
                    continue;
                }
                if (head.generation() == generation && (head.forced() > end || endedCleanly)) {
                    throw damaged(place(end) + " is damaged: what is behind it is whole", null);
                }
                if (head.generation() > generation) {
                    if (offset != 0) {
                        throw damaged(
                                JournalSegments.name(each) + " is damaged: it begins at " + offset,
                                null);
                    }
                    return at;
                }
            }
        }
        return -1;
    }

    /// How much is behind the end that is not zero, in its segment.
    private long tornBytes(long end) {
        open(JournalSegments.number(end));
        DiskFile opened = file;
        if (opened == null) {
            return 0;
        }
        long torn = 0;
        byte[] chunk = new byte[JournalBlock.ALIGNMENT];
        for (long offset = JournalSegments.offset(end); offset < fileBytes; ) {
            ByteBuffer into = ByteBuffer.wrap(chunk);
            int read = opened.read(offset, into);
            boolean isZero = true;
            for (int i = 0; i < read; i++) {
                isZero &= chunk[i] == 0;
            }
            torn += isZero ? 0 : read;
            offset += Math.max(read, 1);
        }
        return torn;
    }

    /// Hands the entries over that end in the block in the buffer.
    private void take(JournalBlock.Head head, JournalVisitor visitor, long endBefore) {
        long at = blockAddress + JournalBlock.HEAD_BYTES;
        long end = at + head.bytes();
        if (!hasEntry && partBytes == 0) {
            at += head.firstEntry(); // what is before belongs to an entry that is skipped
        }
        while (at < end) {
            hasEntry = true;
            if (partBytes > 0 || !isWholeEntry(at, end)) {
                int bytes = addPart(at, end);
                at += bytes;
                if (isPartWhole()) {
                    hand(part, visitor, head, endBefore);
                    partBytes = 0;
                }
            } else {
                hand(at, visitor, head, endBefore);
                at += JournalEntry.HEAD_BYTES + JournalEntry.bytes(LocalMemory.longAt(at));
            }
        }
    }

    private static boolean isWholeEntry(long at, long end) {
        return end - at >= JournalEntry.HEAD_BYTES
                && end - at - JournalEntry.HEAD_BYTES >= JournalEntry.bytes(LocalMemory.longAt(at));
    }

    private boolean isPartWhole() {
        return partBytes >= JournalEntry.HEAD_BYTES
                && partBytes
                        == JournalEntry.HEAD_BYTES + JournalEntry.bytes(LocalMemory.longAt(part));
    }

    /// @return how many bytes it has taken
    private int addPart(long at, long end) {
        int missing =
                partBytes < JournalEntry.HEAD_BYTES
                        ? JournalEntry.HEAD_BYTES - partBytes
                        : JournalEntry.HEAD_BYTES
                                + JournalEntry.bytes(LocalMemory.longAt(part))
                                - partBytes;
        int bytes = (int) Math.min(missing, end - at);
        if (partBytes + missing > partCapacity) { // for all of it: it may be large
            Arena before = arena;
            arena = Arena.ofShared();
            partCapacity = Math.max(1 << 16, partBytes + missing);
            long larger = arena.allocate(partCapacity, 8).address();
            LocalMemory.copy(part, larger, partBytes);
            part = larger;
            before.close();
        }
        LocalMemory.copy(at, part + partBytes, bytes);
        partBytes += bytes;
        return bytes;
    }

    private void hand(long entry, JournalVisitor visitor, JournalBlock.Head head, long endBefore) {
        long first = LocalMemory.longAt(entry);
        int bytes = JournalEntry.bytes(first);
        long body = entry + JournalEntry.HEAD_BYTES;
        switch (JournalEntry.kind(first)) {
            case COMMIT -> visitor.commit(generation, body, bytes);
            case START -> start(body, bytes, visitor, head, endBefore);
            case SCHEMA_CHANGE ->
                    visitor.definition(generation, DefinedTable.decode(copy(body, bytes), 0));
            case STEPS_BEGIN -> visitor.ddlBegins(bytes > 0);
            case STEPS_END -> visitor.ddlEnds(generation);
            case END -> endedCleanly = true;
            case CUT -> visitor.cut(Cut.decode(copy(body, bytes)));
            case NOTHING ->
                    throw damaged(place(head.position()) + " has an entry of no known kind", null);
        }
    }

    private void start(
            long body, int bytes, JournalVisitor visitor, JournalBlock.Head head, long endBefore) {
        long found = LocalMemory.longAt(body);
        if (found != database) {
            throw damaged(
                    "%s is of another database: %016x, and this one is %016x"
                            .formatted(JournalSegments.name(number), found, database),
                    null);
        }
        long endThen = LocalMemory.longAt(body + 8);
        if (endBefore >= 0 ? endThen != endBefore : isFromTheStart && endThen != 0) {
            throw damaged(
                    endBefore >= 0
                            ? place(endBefore)
                                    + " is damaged: the journal went on to "
                                    + place(endThen)
                            : "the journal begins with "
                                    + place(head.position())
                                    + ", and what was before is missing",
                    null);
        }
        visitor.start(generation, DefinedTable.decode(copy(body, bytes), 2 * Long.BYTES).defined());
    }

    private static byte[] copy(long memory, int bytes) {
        byte[] copied = new byte[bytes];
        LocalMemory.copyTo(memory, copied, 0, bytes);
        return copied;
    }

    static String place(long position) {
        return JournalSegments.name(JournalSegments.number(position))
                + " at "
                + JournalSegments.offset(position);
    }

    private static JournalException damaged(String message, @Nullable Throwable cause) {
        return new JournalException(JournalException.Kind.DAMAGED, message, cause);
    }

    private void open(int wanted) {
        if (file != null && number == wanted) {
            return;
        }
        closeFile();
        number = wanted;
        if (segments.contains(wanted)) {
            DiskFile opened = disk.open(JournalSegments.name(wanted));
            file = opened;
            fileBytes = opened.size();
        } else {
            fileBytes = 0;
        }
    }

    private void closeFile() {
        DiskFile opened = file;
        if (opened != null) {
            file = null;
            opened.close();
        }
    }

    @Override
    public void close() {
        try {
            closeFile();
        } finally {
            arena.close();
        }
    }

    @Override
    public String toString() {
        return "journal of segments " + Arrays.toString(segments.toArray());
    }
}
