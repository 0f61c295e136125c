package org.namdb.compute.journal;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.disk.Disk;
import org.namdb.mvcc.hash.TablePart;

/// Hands the rows of a checkpoint to several threads: each takes the next block after it has
/// restored the rows of the one before, so the file is read once. The rows of a block are
/// neighbours by their hashes, so threads that load different blocks seldom meet in a bucket.
public final class CheckpointLoad implements AutoCloseable {
    private static final long WAIT_NANOS = 50_000;

    private final Host host;
    private final CheckpointFile.Reader reader;
    private final JournalContents contents;
    private final LongConsumer progress;

    /// Whether a thread reads. An atomic flag and no lock, as the thread may wait for a memory
    /// server.
    private final AtomicBoolean isReading = new AtomicBoolean();

    private final Map<Integer, Integer> partsBegun = new HashMap<>();
    private boolean isAtEnd;

    /// @param number the checkpoint's
    /// @param progress gets how many bytes were read
    CheckpointLoad(
            Host host, Disk disk, int number, JournalContents contents, LongConsumer progress) {
        this.host = host;
        this.contents = contents;
        this.progress = progress;
        this.reader = new CheckpointFile.Reader(disk, number);
    }

    /// Hands rows over to one thread, until there are no more.
    ///
    /// @throws JournalException if the checkpoint is not as it was written
    public void run(ReplayVisitor visitor) {
        Block block = new Block();
        while (take(block)) {
            block.visit(visitor);
        }
    }

    private boolean take(Block block) {
        while (!isReading.compareAndSet(false, true)) {
            host.sleep(WAIT_NANOS);
        }
        try {
            block.table = null;
            while (!isAtEnd && block.table == null) {
                isAtEnd = !reader.next(block);
                progress.accept(reader.position());
            }
            return block.table != null;
        } finally {
            isReading.set(false);
        }
    }

    /// A block of rows, copied.
    private final class Block implements CheckpointFile.Visitor {
        private final ByteBuffer copy = ByteBuffer.allocateDirect(JournalBlock.MAX_BYTES);
        private final long memory = MemorySegment.ofBuffer(copy).address();
        private @Nullable TableWrites table;
        private long rows;
        private long[] key = {};

        @Override
        public void table(CheckpointFile.Head head, DefinedTable of, TablePart part, long[] seen) {
            int _ = partsBegun.merge(of.number(), 1, Integer::sum);
        }

        @Override
        public void rows(CheckpointFile.Head head, int number, long count, long source) {
            TableWrites found = contents.find(head.generation(), number);
            if (found == null || !found.isCounted(partsBegun.getOrDefault(number, 0))) {
                return;
            }
            long bytes = count * (8L * found.keyWords() + found.payloadBytes());
            LocalMemory.copy(source, memory, bytes);
            table = found;
            rows = count;
        }

        void visit(ReplayVisitor visitor) {
            TableWrites of = table;
            if (of == null) {
                return;
            }
            if (key.length != of.keyWords()) {
                key = new long[of.keyWords()];
            }
            long at = memory;
            for (long row = 0; row < rows; row++) {
                for (int word = 0; word < key.length; word++, at += 8) {
                    key[word] = LocalMemory.longAt(at);
                }
                visitor.row(of, key, at);
                at += of.payloadBytes();
            }
        }
    }

    @Override
    public void close() {
        reader.close();
    }
}
