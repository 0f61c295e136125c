package org.namdb.cache.engine;

import org.namdb.cache.selcc.LineGuard;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Payload;

/// A transaction's copy of a tuple, in which it reads and writes columns. Valid until the
/// transaction ends; used again by the next one.
///
/// In its line:
/// ```
/// | version 63, deleted 1 | read timestamp | key | payload ... |      version 0: not written yet
/// ```
/// The version is one more than that before it, or the timestamp of its last writer.
public final class Tuple {
    static final int HEAD_BYTES = 24;
    static final int READ_OFFSET = 8;
    static final int KEY_OFFSET = 16;
    static final long DELETED = 1;
    static final long VERSION = 2;

    private final byte[] buffer;
    private final long payload;
    private HeapTable table;
    private long place;
    private long key;
    private long version;
    private int dirtyFrom;
    private int dirtyTo;
    private boolean isInserted;
    private boolean isDeleted;

    /// @param payload the native address of memory for the longest payload
    Tuple(HeapTable table, long payload, int maxBytes) {
        this.table = table;
        this.payload = payload;
        this.buffer = new byte[maxBytes];
    }

    /// It becomes a copy of the tuple at `offset` of a line.
    void read(HeapTable of, long from, LineGuard line, int offset) {
        reset(of);
        place = from;
        version = line.longAt(offset);
        key = line.longAt(offset + KEY_OFFSET);
        line.get(offset + HEAD_BYTES, buffer, 0, of.payloadBytes());
        LocalMemory.copyFrom(buffer, 0, payload, of.payloadBytes());
    }

    /// It becomes a new one, of zeroes.
    void begin(HeapTable of, long at, long newKey) {
        reset(of);
        place = at;
        key = newKey;
        LocalMemory.zero(payload, of.payloadBytes());
        isInserted = true;
    }

    /// It becomes one of a table, of which nothing is known yet.
    void reset(HeapTable of) {
        table = of;
        place = 0;
        key = 0;
        version = 0;
        dirtyFrom = table.payloadBytes();
        dirtyTo = 0;
        isInserted = false;
        isDeleted = false;
    }

    /// Writes what is changed of it to its line.
    ///
    /// @param newVersion its version from now on
    void write(LineGuard line, int offset, long newVersion) {
        if (isInserted) {
            line.putLong(offset + READ_OFFSET, newVersion);
            line.putLong(offset + KEY_OFFSET, key);
            dirtyFrom = 0;
            dirtyTo = table.payloadBytes();
        }
        line.putLong(offset, isDeleted ? newVersion | DELETED : newVersion);
        if (dirtyTo > dirtyFrom) {
            LocalMemory.copyTo(payload + dirtyFrom, buffer, 0, dirtyTo - dirtyFrom);
            line.put(offset + HEAD_BYTES + dirtyFrom, buffer, 0, dirtyTo - dirtyFrom);
        }
    }

    HeapTable table() {
        return table;
    }

    long place() {
        return place;
    }

    /// Its version as it was read.
    long version() {
        return version;
    }

    /// Whether it was there when it was read.
    boolean isLive() {
        return isLive(version);
    }

    /// Whether a tuple of a version is written, and not deleted.
    static boolean isLive(long version) {
        return version != 0 && (version & DELETED) == 0;
    }

    boolean isInserted() {
        return isInserted;
    }

    boolean isDeleted() {
        return isDeleted;
    }

    void delete() {
        isDeleted = true;
    }

    /// Whether the transaction changes it.
    boolean isChanged() {
        return isInserted || isDeleted || dirtyTo > dirtyFrom;
    }

    /// Its key.
    public long key() {
        return key;
    }

    /// The native address of its payload.
    public long payload() {
        return payload;
    }

    /// The value of a column that is a number.
    public long int64(Column column) {
        return Payload.integral(column, payload);
    }

    /// Whether a column is NULL.
    public boolean isNull(Column column) {
        return Payload.isNull(column, payload);
    }

    /// How many bytes the text of a column has.
    public int length(Column column) {
        return Payload.length(column, payload);
    }

    /// Copies the text of a column.
    ///
    /// @return how many bytes it has
    public int copyBytes(Column column, byte[] target, int index) {
        return Payload.copyBytes(column, payload, target, index);
    }

    /// Sets a column that is a number.
    public Tuple setInt64(Column column, long value) {
        Payload.putIntegral(column, payload, value);
        changed(column);
        return this;
    }

    /// Sets a column that is text.
    public Tuple setBytes(Column column, byte[] source, int index, int length) {
        Payload.putBytes(column, payload, source, index, length);
        changed(column);
        return this;
    }

    /// Makes a column NULL.
    public Tuple setNull(Column column) {
        Payload.putNull(column, payload, true);
        dirty(0, Long.BYTES * ((column.nullBit() >>> 6) + 1));
        return this;
    }

    /// Sets the whole payload.
    public Tuple setPayload(long source) {
        LocalMemory.copy(source, payload, table.payloadBytes());
        dirty(0, table.payloadBytes());
        return this;
    }

    private void changed(Column column) {
        if (column.nullBit() >= 0) {
            Payload.putNull(column, payload, false);
            dirty(0, Long.BYTES * ((column.nullBit() >>> 6) + 1));
        }
        dirty(column.offset(), column.offset() + column.type().payloadBytes());
    }

    private void dirty(int from, int to) {
        dirtyFrom = Math.min(dirtyFrom, from);
        dirtyTo = Math.max(dirtyTo, to);
    }
}
