package org.namdb.sql.engine.spill;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;

/// What one operator keeps: tuples in memory, roughly counted, up to work_mem; and beyond that
/// temporary files.
public final class WorkMemory implements AutoCloseable {
    private static final int TUPLE_BYTES = 48;
    private static final int REFERENCE_BYTES = 4;
    private static final int SMALL_VALUE_BYTES = 24;
    private static final int DECIMAL_BYTES = 40;
    private static final int TEXT_BYTES = 48;

    private final long maxBytes;
    private final TemporaryFiles files;
    private final LongConsumer spills;
    private final Set<TupleFile> open = new LinkedHashSet<>();
    private byte[] packed = {};
    private long usedBytes;

    /// @param maxBytes how much may be kept in memory
    /// @param files those of the statement
    /// @param spills gets the number of bytes that were written to a file
    public WorkMemory(long maxBytes, TemporaryFiles files, LongConsumer spills) {
        this.maxBytes = maxBytes;
        this.files = files;
        this.spills = spills;
    }

    /// Takes memory for a tuple, unless there is no more. The first tuple always gets it, so that
    /// an operator that spills what it can't keep comes to an end.
    ///
    /// @param extraBytes what is kept in addition to the tuple
    /// @return whether it was taken
    public boolean tryTake(@Nullable Object[] tuple, long extraBytes) {
        long bytes = bytes(tuple) + extraBytes;
        if (usedBytes > 0 && bytes > maxBytes - usedBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /// Frees what was taken for a tuple by [#tryTake].
    public void free(@Nullable Object[] tuple, long extraBytes) {
        usedBytes -= bytes(tuple) + extraBytes;
    }

    /// Takes memory for a tuple that can't be spilled.
    ///
    /// @throws SqlException 53200 if there is no more
    public void take(@Nullable Object[] tuple) {
        take(bytes(tuple));
    }

    /// Takes memory that can't be spilled.
    ///
    /// @throws SqlException 53200 if there is no more
    public void take(long bytes) {
        usedBytes += bytes;
        if (bytes > 0 && usedBytes > maxBytes) {
            throw new SqlException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail(
                            "The statement keeps more than the "
                                    + (maxBytes >> 10)
                                    + " kB of work_mem where it can't use temporary files.")
                    .withHint("Raise work_mem, or let the query keep fewer rows.");
        }
    }

    /// The operator keeps no tuples in memory any more.
    public void release() {
        usedBytes = 0;
    }

    /// How many files of `bytes` each, as buffers, fit into the memory.
    public int buffers(long bytes) {
        return Math.clamp(maxBytes / bytes, 0, Integer.MAX_VALUE);
    }

    /// A new temporary file, which is closed with this at the latest.
    ///
    /// @throws SqlException 58030 or 53100 if the operating system refuses it
    public TupleFile newFile() {
        TupleFile file = new TupleFile(this, files);
        open.add(file);
        return file;
    }

    /// Closes the operator's files, and counts its memory no more.
    @Override
    public void close() {
        usedBytes = 0;
        List<TupleFile> left = new ArrayList<>(open);
        left.forEach(TupleFile::close);
    }

    void closed(TupleFile file) {
        open.remove(file);
    }

    void spilled(long bytes) {
        spills.accept(bytes);
    }

    /// A buffer for a compressed block, shared by the operator's files.
    byte[] packed(int bytes) {
        if (packed.length < bytes) {
            packed = new byte[bytes];
        }
        return packed;
    }

    /// What a tuple takes of the heap, roughly.
    public static long bytes(@Nullable Object[] tuple) {
        long bytes = TUPLE_BYTES;
        for (Object value : tuple) {
            bytes += REFERENCE_BYTES + bytes(value);
        }
        return bytes;
    }

    private static int bytes(@Nullable Object value) {
        return switch (value) {
            case null -> 0;
            case String text -> TEXT_BYTES + text.length();
            case ByteString bytes -> TEXT_BYTES + bytes.length();
            case BigDecimal _ -> DECIMAL_BYTES;
            default -> SMALL_VALUE_BYTES;
        };
    }
}
