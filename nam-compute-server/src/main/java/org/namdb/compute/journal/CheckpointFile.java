package org.namdb.compute.journal;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.mvcc.hash.TablePart;

/// A checkpoint, as a file: blocks as those of the journal, with pieces of these kinds.
/// ```
/// HEAD    | kind | number of the database | first segment of the journal | generation |
/// TABLE   | kind | slots | timestamp by slot .. | the table, as the journal has definitions
/// ROWS    | kind | number of the table | rows | key words, payload | key words, payload | ..
/// END     | kind | rows in all |
/// PART    | kind | slots | timestamp by slot .. | buckets | from | to | number | depth | table |
/// NEEDED  | kind | memory servers | first segment of the journal, by server .. |
/// ```
/// All but a definition are words. The rows after a `TABLE` are those that its timestamps show;
/// those after a `PART` are so of a [part][TablePart] of a table, in blocks of format 2. If there
/// is another one of the same table later that overlaps it, its rows don't count. The file counts
/// when its `END` is there, which is written when all else was forced.
///
/// A later checkpoint's name has a higher number.
final class CheckpointFile {
    static final long HEAD = 1;
    static final long TABLE = 2;
    static final long ROWS = 3;
    static final long END = 4;
    static final long PART = 5;
    static final long NEEDED = 6;

    private static final String PREFIX = "checkpoint-";

    /// A checkpoint's header.
    record Head(long database, int firstSegment, int generation) {}

    /// Gets what a checkpoint has.
    interface Visitor {
        /// Rows of a part of a table follow.
        ///
        /// @param seen by slot, up to which timestamp its commits are shown by them
        void table(Head head, DefinedTable table, TablePart part, long[] seen);

        /// Rows of a table.
        ///
        /// @param number the table's
        /// @param memory the native address of the first row
        void rows(Head head, int number, long rows, long memory);

        /// Which segments of a cluster's journals are needed with it.
        ///
        /// @param first by memory server
        default void needed(int[] first) {
            // An embedded database has one journal.
        }
    }

    private CheckpointFile() {}

    static String name(int number) {
        return String.format(Locale.ROOT, "%s%08d", PREFIX, number);
    }

    /// The numbers of all checkpoints that there are, complete or not, in order.
    static List<Integer> all(Disk disk) {
        List<Integer> all = new ArrayList<>();
        for (String name : disk.list()) {
            if (name.matches(PREFIX + "[0-9]{8}")) {
                all.add(Integer.parseInt(name, PREFIX.length(), name.length(), 10));
            }
        }
        return all;
    }

    /// The newest one that is complete.
    static @Nullable Integer newest(Disk disk) {
        for (int each : all(disk).reversed()) {
            if (isComplete(disk, each)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isComplete(Disk disk, int number) {
        try (Reader reader = new Reader(disk, number)) {
            long end = reader.file.size() - JournalBlock.ALIGNMENT;
            JournalBlock.Head head = end < 0 ? null : reader.block(end);
            return head != null && reader.kind() == END;
        }
    }

    /// Reads a checkpoint that is complete.
    ///
    /// @return how many rows it has
    /// @throws JournalException if it is not as it was written
    static long read(Disk disk, int number, Visitor visitor, LongConsumer progress) {
        try (Reader reader = new Reader(disk, number)) {
            return reader.read(visitor, progress);
        }
    }

    static Head head(Disk disk, int number) {
        try (Reader reader = new Reader(disk, number)) {
            return reader.head();
        }
    }

    static long bytes(Disk disk, int number) {
        try (DiskFile file = disk.open(name(number))) {
            return file.size();
        }
    }

    /// Reads a checkpoint that is complete, block by block.
    static final class Reader implements AutoCloseable {
        private final String name;
        private final DiskFile file;
        private final ByteBuffer block =
                ByteBuffer.allocateDirect(JournalBlock.MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private final long piece =
                MemorySegment.ofBuffer(block).address() + JournalBlock.HEAD_BYTES;
        private @Nullable Head self;
        private long at;
        private long rows;

        Reader(Disk disk, int number) {
            this.name = name(number);
            this.file = disk.open(name);
        }

        /// Reads a block; null if there is none that is whole.
        JournalBlock.@Nullable Head block(long offset) {
            block.clear();
            int read = file.read(offset, block);
            if (read < JournalBlock.ALIGNMENT) {
                return null;
            }
            JournalBlock.Head head = JournalBlock.head(block, name);
            boolean isWhole =
                    head != null
                            && head.position() == offset
                            && JournalBlock.length(head.bytes()) <= read
                            && JournalBlock.isWhole(block, head);
            return isWhole ? head : null;
        }

        long kind() {
            return word(0);
        }

        private long word(int word) {
            return LocalMemory.longAt(piece + 8L * word);
        }

        Head head() {
            JournalBlock.Head head = block(0);
            if (head == null || kind() != HEAD) {
                throw damaged(0);
            }
            return new Head(word(1), (int) word(2), (int) word(3));
        }

        long read(Visitor visitor, LongConsumer progress) {
            while (next(visitor)) {
                progress.accept(at);
            }
            progress.accept(at);
            return rows;
        }

        /// Reads the next block.
        ///
        /// @return whether there may be more
        /// @throws JournalException if it is not as it was written
        boolean next(Visitor visitor) {
            Head head = self;
            if (head == null) {
                head = head();
                self = head;
                at = JournalBlock.ALIGNMENT;
            }
            JournalBlock.Head found = block(at);
            if (found == null) {
                throw damaged(at);
            }
            if (kind() == TABLE || kind() == PART) {
                visitTable(head, found, visitor);
            } else if (kind() == ROWS) {
                visitor.rows(head, (int) word(1), word(2), piece + 24);
                rows += word(2);
            } else if (kind() == NEEDED) {
                int[] first = new int[(int) word(1)];
                for (int server = 0; server < first.length; server++) {
                    first[server] = (int) word(2 + server);
                }
                visitor.needed(first);
            } else if (kind() != END || rows != word(1)) {
                throw damaged(at);
            }
            boolean isMore = kind() != END;
            at = found.end();
            return isMore;
        }

        /// How many bytes were read.
        long position() {
            return at;
        }

        private void visitTable(Head self, JournalBlock.Head head, Visitor visitor) {
            long[] seen = new long[(int) word(1)];
            for (int slot = 0; slot < seen.length; slot++) {
                seen[slot] = word(2 + slot);
            }
            int words = 2 + seen.length;
            TablePart part = TablePart.ALL;
            if (kind() == PART) {
                part =
                        new TablePart(
                                word(words),
                                word(words + 1),
                                word(words + 2),
                                word(words + 3),
                                (int) word(words + 4));
                words += 5;
            }
            int from = 8 * words;
            byte[] definition = new byte[head.bytes() - from];
            LocalMemory.copyTo(piece + from, definition, 0, definition.length);
            for (DefinedTable table : DefinedTable.decode(definition, 0).defined()) {
                visitor.table(self, table, part, seen);
            }
        }

        private JournalException damaged(long offset) {
            return new JournalException(
                    JournalException.Kind.DAMAGED, name + " is damaged at " + offset, null);
        }

        @Override
        public void close() {
            file.close();
        }
    }

    /// Writes a checkpoint.
    static final class Writer implements AutoCloseable {
        private static final int MAX_PIECE = JournalBlock.MAX_BYTES - JournalBlock.HEAD_BYTES;

        private final Disk disk;
        private final String name;
        private final DiskFile file;
        private final ByteBuffer block = ByteBuffer.allocateDirect(JournalBlock.MAX_BYTES);
        private final long piece =
                MemorySegment.ofBuffer(block).address() + JournalBlock.HEAD_BYTES;
        private final int generation;
        private long at;
        private int used;
        private long rowsInBlock;
        private long rows;
        private boolean isComplete;

        /// @throws DiskException if it can't be written; nothing is left of it
        Writer(Disk disk, Head head) {
            this.disk = disk;
            this.generation = head.generation();
            List<Integer> before = all(disk);
            this.name = name(before.isEmpty() ? 1 : before.getLast() + 1);
            this.file = disk.open(name);
            boolean isDone = false;
            try {
                put(HEAD);
                put(head.database());
                put(head.firstSegment());
                put(head.generation());
                write();
                isDone = true;
            } finally {
                if (!isDone) {
                    close();
                }
            }
        }

        private void put(long word) {
            LocalMemory.putLong(piece + used, word);
            used += 8;
        }

        private void write() {
            write(JournalBlock.FORMAT);
        }

        private void write(int format) {
            JournalBlock.write(block, new JournalBlock.Head(at, generation, used, 0, 0), format);
            file.write(at, block);
            at += JournalBlock.length(used);
            used = 0;
        }

        /// A table, and what of it follows.
        ///
        /// @throws JournalException if its definition is too long for a block
        void table(DefinedTable table, TablePart part, long[] seen) {
            endRows();
            byte[] definition = DefinedTable.encode(List.of(table), List.of());
            if (8L * (7 + seen.length) + definition.length > MAX_PIECE) {
                throw new JournalException(
                        JournalException.Kind.FAILED,
                        "the definition of table " + table.definition().name() + " is too long",
                        null);
            }
            put(part.isAll() ? TABLE : PART);
            put(seen.length);
            for (long timestamp : seen) {
                put(timestamp);
            }
            if (!part.isAll()) {
                put(part.buckets());
                put(part.from());
                put(part.to());
                put(part.number());
                put(part.depth());
            }
            LocalMemory.copyFrom(definition, 0, piece + used, definition.length);
            used += definition.length;
            write(part.isAll() ? JournalBlock.FORMAT : JournalBlock.FORMAT_OF_PARTS);
        }

        /// The next row of a table.
        ///
        /// @return where its key's words and its payload go, so many bytes
        long row(int table, int bytes) {
            if (used > 0 && used + bytes > MAX_PIECE) {
                endRows();
            }
            if (used == 0) {
                put(ROWS);
                put(table);
                put(0);
            }
            long row = piece + used;
            used += bytes;
            rowsInBlock++;
            return row;
        }

        private void endRows() {
            if (used > 0) {
                LocalMemory.putLong(piece + 16, rowsInBlock);
                rows += rowsInBlock;
                rowsInBlock = 0;
                write();
            }
        }

        /// Which segments of a cluster's journals are needed with it.
        void needed(int[] first) {
            endRows();
            put(NEEDED);
            put(first.length);
            for (int segment : first) {
                put(segment);
            }
            write();
        }

        long bytes() {
            return at;
        }

        /// All tables were written. When this returns, it is complete and on the disk.
        ///
        /// @return how many rows it has
        long complete() {
            endRows();
            file.force();
            put(END);
            put(rows);
            write();
            file.force();
            disk.forceNames();
            isComplete = true;
            return rows;
        }

        /// What is not complete is removed.
        @Override
        public void close() {
            file.close();
            if (!isComplete) {
                try {
                    disk.remove(name);
                } catch (DiskException e) {
                    // The next process that uses the directory removes it.
                }
            }
        }
    }
}
