package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.BinaryParser;
import org.namdb.sql.language.type.SqlType;

/// Reads rows of COPY's data in the [binary format][BinaryCopy].
final class BinaryCopyReader implements CopyInput {
    private static final int BUFFER_BYTES = 1 << 16;

    /// A row that is longer is none.
    private static final int MAX_ROW_BYTES = 64 << 20;

    private final InputStream data;
    private final int columns;
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int filled;
    private long rows;
    private int rowBytes;
    private boolean isEnded;

    /// @param columns how many fields a row must have
    BinaryCopyReader(InputStream data, int columns) {
        this.data = data;
        this.columns = columns;
    }

    @Override
    public void begin() throws IOException {
        byte[] signature = BinaryCopy.signature();
        if (!has(signature.length)
                || !Arrays.equals(
                        buffer, at, at + signature.length, signature, 0, signature.length)) {
            throw malformed("COPY file signature not recognized");
        }
        at += signature.length;
        if (!has(Integer.BYTES)) {
            throw malformed("invalid COPY file header (missing flags)");
        }
        int flags = bytes(Integer.BYTES).getInt();
        if ((flags & BinaryCopy.HAS_OIDS) != 0) {
            throw malformed("invalid COPY file header (WITH OIDS)");
        }
        if (flags >> BinaryCopy.CRITICAL_SHIFT != 0) {
            throw malformed("unrecognized critical flags in COPY file header");
        }
        int length = has(Integer.BYTES) ? bytes(Integer.BYTES).getInt() : -1;
        if (length < 0) {
            throw malformed("invalid COPY file header (missing length)");
        }
        while (length > 0) {
            if (!has(1)) {
                throw malformed("invalid COPY file header (wrong length)");
            }
            int skipped = Math.min(length, filled - at);
            at += skipped;
            length -= skipped;
        }
    }

    /// The data may end without its mark, as in PostgreSQL.
    @Override
    public boolean next() throws IOException {
        if (isEnded) {
            return false;
        }
        rows++;
        rowBytes = 0;
        if (!has(Short.BYTES)) {
            isEnded = true;
            return false;
        }
        int count = bytes(Short.BYTES).getShort();
        if (count == BinaryCopy.END) {
            isEnded = true;
            if (has(1)) {
                throw malformed("received copy data after EOF marker");
            }
            return false;
        }
        if (count != columns) {
            throw malformed("row field count is " + count + ", expected " + columns);
        }
        return true;
    }

    @Override
    public int size() {
        return columns;
    }

    @Override
    public @Nullable Object value(int field, SqlType type, ZoneId zone) throws IOException {
        if (!has(Integer.BYTES)) {
            throw cut();
        }
        int length = bytes(Integer.BYTES).getInt();
        if (length == BinaryCopy.NULL) {
            return null;
        }
        if (length < 0) {
            throw malformed("invalid field size");
        }
        if (length > MAX_ROW_BYTES - rowBytes) {
            throw malformed("a row is longer than " + MAX_ROW_BYTES + " bytes");
        }
        rowBytes += length;
        if (!has(length)) {
            throw cut();
        }
        ByteBuffer bytes = bytes(length);
        Object value = BinaryParser.read(bytes, type);
        if (bytes.hasRemaining()) {
            throw new SqlException(SqlState.INVALID_BINARY, "incorrect binary data format");
        }
        return value;
    }

    @Override
    public String shown(int field) {
        return "";
    }

    @Override
    public long lineNumber() {
        return rows;
    }

    /// Whether so many bytes are left, which are in the buffer then. It grows as they arrive: a
    /// length that is announced takes no memory.
    private boolean has(int bytes) throws IOException {
        while (filled - at < bytes) {
            if (filled == buffer.length) {
                byte[] target = at > 0 ? buffer : new byte[buffer.length * 2];
                System.arraycopy(buffer, at, target, 0, filled - at);
                filled -= at;
                at = 0;
                buffer = target;
            }
            int count = data.read(buffer, filled, buffer.length - filled);
            if (count < 0) {
                return false;
            }
            filled += count;
        }
        return true;
    }

    /// The next bytes, in place: up to the next call of [#has].
    private ByteBuffer bytes(int length) {
        ByteBuffer bytes = ByteBuffer.wrap(buffer, at, length);
        at += length;
        return bytes;
    }

    private static SqlException cut() {
        return malformed("unexpected EOF in COPY data");
    }

    private static SqlException malformed(String message) {
        return new SqlException(SqlState.BAD_COPY_FORMAT, message);
    }
}
