package org.namdb.sql.engine.execute;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;

/// The memory that a statement's operators keep tuples in, roughly counted.
final class WorkMemory {
    private static final int TUPLE_BYTES = 48;
    private static final int REFERENCE_BYTES = 4;
    private static final int SMALL_VALUE_BYTES = 24;
    private static final int DECIMAL_BYTES = 40;
    private static final int TEXT_BYTES = 48;

    private final long most;
    private long used;

    WorkMemory(long most) {
        this.most = most;
    }

    /// Takes memory for a tuple.
    ///
    /// @return how many bytes, for [#release]
    /// @throws SqlException 53200 if there is no more
    long take(@Nullable Object[] tuple) {
        long bytes = TUPLE_BYTES;
        for (Object value : tuple) {
            bytes += REFERENCE_BYTES + bytes(value);
        }
        take(bytes);
        return bytes;
    }

    /// Takes memory.
    ///
    /// @throws SqlException 53200 if there is no more
    void take(long bytes) {
        used += bytes;
        if (used > most) {
            throw new SqlException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail(
                            "The statement keeps more than the "
                                    + (most >> 10)
                                    + " kB of work_mem in hash tables and sorts.")
                    .withHint("Raise work_mem, or let the query keep fewer rows.");
        }
    }

    void release(long bytes) {
        used -= bytes;
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
