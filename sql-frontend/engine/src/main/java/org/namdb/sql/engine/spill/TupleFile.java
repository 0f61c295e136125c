package org.namdb.sql.engine.spill;

import java.io.IOException;
import java.io.RandomAccessFile;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.tuple.TupleBytes;

/// Tuples in a temporary file: written one behind the other, then read in the same order, as often
/// as wanted. Written in blocks that are compressed by themselves:
/// ```
/// block   bytes 4 | compressed bytes 4 | tuples, as LZ4 compresses them
/// ```
public final class TupleFile implements AutoCloseable {
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int FIRST_CAPACITY = 1 << 10;
    private static final int HEAD_BYTES = 2 * Integer.BYTES;

    private static final LZ4Compressor COMPRESSOR = LZ4Factory.safeInstance().fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR =
            LZ4Factory.safeInstance().safeDecompressor();

    private final WorkMemory memory;
    private final TemporaryFiles files;
    private final RandomAccessFile file;
    private TupleBytes block = new TupleBytes(FIRST_CAPACITY);
    private long fileBytes;
    private long count;

    TupleFile(WorkMemory memory, TemporaryFiles files) {
        this.memory = memory;
        this.files = files;
        this.file = files.create();
    }

    /// Adds a tuple; not after [#read].
    ///
    /// @throws org.namdb.sql.language.error.SqlException 53400 beyond temp_file_limit, 53100 if the
    ///     disk is full, 58030 if it fails
    public void add(@Nullable Object[] tuple) {
        block.write(tuple);
        count++;
        if (block.position() >= BLOCK_BYTES) {
            flush();
        }
    }

    /// How many tuples it has.
    public long count() {
        return count;
    }

    /// The tuples from the first on. What it throws is a SqlException 58030.
    public TupleCursor read() {
        if (block.position() > 0) {
            flush();
            block = new TupleBytes(0);
        }
        return new Reader();
    }

    @Override
    public void close() {
        memory.closed(this);
        files.release(fileBytes);
        fileBytes = 0;
        try {
            file.close();
        } catch (IOException e) {
            throw files.failed(e);
        }
    }

    private void flush() {
        int bytes = block.position();
        byte[] packed = memory.packed(HEAD_BYTES + COMPRESSOR.maxCompressedLength(bytes));
        int packedBytes =
                COMPRESSOR.compress(
                        block.array(), 0, bytes, packed, HEAD_BYTES, packed.length - HEAD_BYTES);
        putInt(packed, 0, bytes);
        putInt(packed, Integer.BYTES, packedBytes);
        int written = HEAD_BYTES + packedBytes;
        files.take(written);
        try {
            file.seek(fileBytes);
            file.write(packed, 0, written);
        } catch (IOException e) {
            files.release(written);
            throw files.failed(e);
        }
        fileBytes += written;
        memory.spilled(written);
        block.reset(0);
    }

    private static void putInt(byte[] target, int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            target[at + i] = (byte) (value >> i * Byte.SIZE);
        }
    }

    private static int intAt(byte[] source, int at) {
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value |= (source[at + i] & 0xff) << i * Byte.SIZE;
        }
        return value;
    }

    /// Reads block by block.
    private final class Reader implements TupleCursor {
        private final byte[] head = new byte[HEAD_BYTES];
        private final TupleBytes tuples = new TupleBytes(0);
        private long readBytes;
        private int end;

        @Override
        public @Nullable Object @Nullable [] next() {
            if (tuples.position() == end && !fill()) {
                return null;
            }
            return tuples.read();
        }

        private boolean fill() {
            if (readBytes == fileBytes) {
                return false;
            }
            try {
                file.seek(readBytes);
                file.readFully(head);
                int bytes = intAt(head, 0);
                int packedBytes = intAt(head, Integer.BYTES);
                byte[] packed = memory.packed(packedBytes);
                file.readFully(packed, 0, packedBytes);
                tuples.reset(bytes);
                end = DECOMPRESSOR.decompress(packed, 0, packedBytes, tuples.array(), 0);
                readBytes += HEAD_BYTES + packedBytes;
                return true;
            } catch (IOException e) {
                throw files.failed(e);
            }
        }

        /// The file stays: another reader may follow.
        @Override
        public void close() {
            readBytes = fileBytes;
            end = tuples.position();
        }
    }
}
