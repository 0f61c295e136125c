package org.namdb.compute.read;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.Projection;

/// A record as a transaction sees it, its own changes included. Setting a column puts the row in
/// the write set. Valid until the transaction ends; later the object serves another row.
///
/// Every method throws IllegalArgumentException if the column has another type, and
/// IllegalStateException if the column is not in the projection that was read, the row was posted
/// and not awaited, there is no such record, or the transaction has ended. (A row that is kept for
/// longer than the session's next transaction may be another one then.)
public final class Row {
    /// What the transaction does with the row.
    enum Role {
        READ(PackedChanges.UNCHANGED),
        UPDATE(RecordChange.Kind.UPDATE.code()),
        INSERT(RecordChange.Kind.INSERT.code()),
        DELETE(RecordChange.Kind.DELETE.code()),
        /// Of a scan or a batch: read-only, and not part of the read set.
        SCAN((byte) -1),
        /// Inserted and deleted by the same transaction.
        NOTHING(PackedChanges.NOTHING);

        private static final Role[] ALL = values();
        private final byte code;

        Role(byte code) {
            this.code = code;
        }

        /// Its code in [PackedChanges].
        byte code() {
            return code;
        }

        static Role ofCode(byte code) {
            for (Role role : ALL) {
                if (role.code == code) {
                    return role;
                }
            }
            throw new IllegalStateException("no role: " + code);
        }
    }

    final RecordRead read;
    private final ReadSet readSet;
    private Table table;
    long data;

    /// The columns that are read; see [#load].
    long loaded;

    /// Those of them whose values are there: none before the first one is used.
    private long usable;

    /// The transaction that the row belongs to, as [ReadSet#number] counts them.
    private long transaction;

    long dirty;
    Role role = Role.READ;

    /// Nothing of it was read: it was inserted blindly, or its read was cut short.
    boolean isBlind;

    /// The newest entry of [Savepoints] for this row; -1 for none.
    int undo = -1;

    /// Which insert of the transaction made the row; 0 if none did.
    long insertSerial;

    /// Of a row that was inserted: the columns that can't be NULL, and have got no value yet.
    long unset;

    /// Its number among the rows of the read set.
    int number;

    /// Its entry among the packed changes, which it has taken over; else [PackedChanges#NONE].
    int packed = PackedChanges.NONE;

    /// Whether a requirement, a cursor or a list of rows holds it, so that it is not packed.
    boolean isPinned;

    /// What the commit requires of the record.
    Requirements.Of required = Requirements.Of.NOTHING;

    /// What the commit makes of it; null unless the transaction commits, and changes it.
    @Nullable RecordChange change;

    /// Of a read-only row: whether it is there for the transaction, whatever the snapshot shows.
    private boolean isHidden;

    private boolean isShown;

    /// The list that the row was last put in as a distinct one, and which filling of it that was.
    @Nullable Rows list;

    long listGeneration;

    Row(ReadSet readSet, Table table) {
        this.readSet = readSet;
        this.table = table;
        this.read = new RecordRead(table.records(), table.schema().nothing());
    }

    /// Starts over for a record of `newTable`; `image` is local memory for a body, its payload
    /// behind a null versions word.
    void start(Table newTable, long[] key, Projection newProjection, long image) {
        table = newTable;
        data = image + RecordBody.PAYLOAD_OFFSET;
        transaction = readSet.number();
        load(newProjection.columns());
        dirty = 0;
        isBlind = false;
        undo = -1;
        insertSerial = 0;
        unset = 0;
        packed = PackedChanges.NONE;
        isPinned = false;
        required = Requirements.Of.NOTHING;
        change = null;
        list = null;
        role = Role.READ;
        read.prepare(newTable.records(), key, newProjection, data);
    }

    /// Takes over a record that was packed.
    ///
    /// @param payload its payload
    /// @param scratch for a key
    void unpack(PackedChanges entries, int reference, long payload, long[] scratch) {
        table = entries.table(reference);
        data = payload;
        transaction = readSet.number();
        load(entries.loaded(reference));
        dirty = entries.changed(reference);
        isBlind = entries.isBlind(reference);
        undo = entries.undo(reference);
        insertSerial = entries.serial(reference);
        unset = 0;
        packed = reference;
        isPinned = false;
        required = Requirements.Of.NOTHING;
        change = null;
        list = null;
        role = Role.ofCode(entries.state(reference));
        entries.restore(reference, read, scratch);
    }

    /// Its entry is removed, as the transaction is rolled back to before its first change: the row
    /// counts as only read.
    void takeOut() {
        packed = PackedChanges.NONE;
        if (role != Role.READ) {
            role = Role.READ;
            dirty = 0;
            unset = 0;
            insertSerial = 0;
            load(0);
        }
    }

    /// Its record was packed, or is dropped: it is refused until it serves another one.
    void leave() {
        transaction = -1;
        packed = PackedChanges.NONE;
    }

    /// Starts over for another record of the same table, in the same memory; for reading only.
    void restart(long[] key, Projection newProjection) {
        transaction = readSet.number();
        load(newProjection.columns());
        role = Role.SCAN;
        isHidden = false;
        isShown = false;
        read.prepare(table.records(), key, newProjection, data);
    }

    /// Other columns are read, or are about to be.
    void load(long columns) {
        loaded = columns;
        usable = 0;
    }

    /// Whether the record was not read: it was inserted without a read, and that was undone, or its
    /// read was cut short by an abort.
    boolean isUndone() {
        return isBlind && role == Role.READ;
    }

    /// Its read was cut short: the record counts as never read.
    void forgetRead() {
        isBlind = true;
    }

    /// Starts to be read after all.
    void startRead(Projection newProjection) {
        isBlind = false;
        load(newProjection.columns());
        read.prepare(table.records(), read.key(), newProjection, data);
    }

    /// Of a read-only row: the transaction itself has deleted the record.
    void hide() {
        isHidden = true;
    }

    /// Of a read-only row: becomes the image of one that the transaction itself has inserted.
    void show(Row inserted) {
        isShown = true;
        LocalMemory.copy(inserted.data, data, table.schema().payloadBytes());
    }

    /// Copies the values of some columns from one payload to another.
    void copyColumns(long columns, long source, long target) {
        if (columns == 0) {
            return;
        }
        byte[] buffer = readSet.bytes(table.schema().payloadBytes());
        for (Column column : table.schema().payloadColumns()) {
            if ((columns & column.mask()) != 0) {
                Payload.copyColumn(column, source, target, buffer);
            }
        }
    }

    /// Whether there is such a record: in the snapshot, or inserted by this transaction.
    ///
    /// @throws IllegalStateException if the row was not awaited, or the transaction has ended
    public boolean exists() {
        requireOpen();
        return switch (role) {
            case READ, UPDATE -> isRead();
            case SCAN -> isShown || !isHidden && isRead();
            case INSERT -> true;
            case DELETE, NOTHING -> false;
        };
    }

    /// Whether the snapshot shows the record.
    private boolean isRead() {
        if (!read.isDone()) {
            throw new IllegalStateException(
                    this + " was posted and not awaited: call await() before you use it");
        }
        return read.isPresent();
    }

    private void requireOpen() {
        if (transaction != readSet.number()) {
            throw new IllegalStateException(
                    "the transaction of this row of %s has ended: copy the values that you need"
                            .formatted(table.name()));
        }
    }

    public Table table() {
        return table;
    }

    /// The value of an integer, decimal (unscaled), timestamp (microseconds since 1970) or boolean
    /// (0 or 1) column.
    public long int64(Column column) {
        if (column.inKey()) {
            return table.schema().key().decode(key(), column.keyIndex());
        }
        return Payload.integral(column, readable(column));
    }

    /// The value of an INT32 or shorter column.
    public int int32(Column column) {
        return Math.toIntExact(int64(column));
    }

    /// The value of a FLOAT64 or FLOAT32 column.
    public double float64(Column column) {
        return column.inKey()
                ? table.schema().key().decodeFloat64(key(), column.keyIndex())
                : Payload.float64(column, readable(column));
    }

    /// The value of a DECIMAL column, with the column's scale.
    ///
    /// @throws IllegalStateException if it is NULL, as for the other methods that give an object
    public BigDecimal decimal(Column column) {
        return ColumnValues.decimal(column, notNull(column, ColumnType.Kind.DECIMAL));
    }

    /// The value of a DATE column.
    public LocalDate date(Column column) {
        return ColumnValues.date(notNull(column, ColumnType.Kind.DATE));
    }

    /// The value of a TIMESTAMP column, in UTC.
    public LocalDateTime dateTime(Column column) {
        return ColumnValues.dateTime(notNull(column, ColumnType.Kind.TIMESTAMP));
    }

    /// The value of a TIMESTAMP column as a moment: so SQL keeps TIMESTAMP WITH TIME ZONE.
    public Instant instant(Column column) {
        return dateTime(column).toInstant(ZoneOffset.UTC);
    }

    /// The value of a BOOLEAN column.
    public boolean bool(Column column) {
        return notNull(column, ColumnType.Kind.BOOLEAN) != 0;
    }

    /// The value of a UUID column.
    public UUID uuid(Column column) {
        requireNotNull(column);
        return new UUID(uuidHigh(column), uuidLow(column));
    }

    private long notNull(Column column, ColumnType.Kind kind) {
        ColumnValues.requireKind(column, kind);
        requireNotNull(column);
        return int64(column);
    }

    private void requireNotNull(Column column) {
        if (isNull(column)) {
            throw new IllegalStateException(
                    "column %s.%s of %s is NULL: look with isNull() first"
                            .formatted(table.name(), column.name(), this));
        }
    }

    /// The high 64 bits of a UUID column.
    public long uuidHigh(Column column) {
        return column.inKey()
                ? table.schema().key().decodeUuidHigh(key(), column.keyIndex())
                : Payload.uuidHigh(column, readable(column));
    }

    /// The low 64 bits of a UUID column.
    public long uuidLow(Column column) {
        return column.inKey()
                ? table.schema().key().decodeUuidLow(key(), column.keyIndex())
                : Payload.uuidLow(column, readable(column));
    }

    /// The value of a text column.
    public String string(Column column) {
        byte[] bytes = new byte[column.type().length()];
        return new String(bytes, 0, copyBytes(column, bytes, 0), StandardCharsets.UTF_8);
    }

    /// Copies the value of a text or byte string column to `target`, from `index` on.
    ///
    /// @return how many bytes it has
    public int copyBytes(Column column, byte[] target, int index) {
        if (column.inKey()) {
            byte[] bytes = readSet.bytes(column.type().length());
            int length = table.schema().key().decode(key(), column.keyIndex(), bytes);
            System.arraycopy(bytes, 0, target, index, length);
            return length;
        }
        return Payload.copyBytes(column, readable(column), target, index);
    }

    /// How many bytes the value of a text or byte string column has.
    public int length(Column column) {
        return Payload.length(column, readable(column));
    }

    /// The byte at `index` of the value of a text or byte string column, without a copy.
    public byte byteAt(Column column, int index) {
        if (index < 0 || index >= column.type().length()) {
            throw new IndexOutOfBoundsException(index);
        }
        return LocalMemory.byteAt(
                readable(column) + column.offset() + (column.type().hasLength() ? 2 : 0) + index);
    }

    /// Whether the column is NULL.
    public boolean isNull(Column column) {
        return !column.inKey() && Payload.isNull(column, readable(column));
    }

    /// Sets an integer, decimal, timestamp or boolean column.
    public Row setInt64(Column column, long value) {
        Payload.putIntegral(column, writable(column), value);
        return assigned(column);
    }

    /// Sets a FLOAT64 column, or a FLOAT32 column to the nearest value.
    public Row setFloat64(Column column, double value) {
        Payload.putFloat64(column, writable(column), value);
        return assigned(column);
    }

    /// Sets a DECIMAL column.
    ///
    /// @throws IllegalArgumentException if the column can't hold the value exactly
    public Row setDecimal(Column column, BigDecimal value) {
        ColumnValues.requireKind(column, ColumnType.Kind.DECIMAL);
        return setInt64(column, ColumnValues.unscaled(column, value));
    }

    /// Sets a DATE column.
    public Row setDate(Column column, LocalDate value) {
        ColumnValues.requireKind(column, ColumnType.Kind.DATE);
        return setInt64(column, value.toEpochDay());
    }

    /// Sets a TIMESTAMP column to a time in UTC; what is shorter than a microsecond is dropped.
    public Row setDateTime(Column column, LocalDateTime value) {
        ColumnValues.requireKind(column, ColumnType.Kind.TIMESTAMP);
        return setInt64(column, ColumnValues.micros(column, value));
    }

    /// Sets a TIMESTAMP column to a moment; what is shorter than a microsecond is dropped.
    public Row setInstant(Column column, Instant value) {
        return setDateTime(column, LocalDateTime.ofInstant(value, ZoneOffset.UTC));
    }

    /// Sets a BOOLEAN column.
    public Row setBool(Column column, boolean value) {
        ColumnValues.requireKind(column, ColumnType.Kind.BOOLEAN);
        return setInt64(column, value ? 1 : 0);
    }

    /// Sets a UUID column.
    public Row setUuid(Column column, UUID value) {
        return setUuid(column, value.getMostSignificantBits(), value.getLeastSignificantBits());
    }

    /// Sets a UUID column.
    public Row setUuid(Column column, long high, long low) {
        Payload.putUuid(column, writable(column), high, low);
        return assigned(column);
    }

    /// Sets a text column.
    public Row setString(Column column, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return setBytes(column, bytes, 0, bytes.length);
    }

    /// Sets a text or byte string column to `length` bytes of `source`, from `index` on.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if they are too many for an index of
    ///     the column
    public Row setBytes(Column column, byte[] source, int index, int length) {
        table.requireFits(column, length);
        Payload.putBytes(column, writable(column), source, index, length);
        return assigned(column);
    }

    /// Sets a text or byte string column to another row's value of a column of the same type.
    public Row setFrom(Column column, Row source, Column sourceColumn) {
        if (!column.type().equals(sourceColumn.type()) || sourceColumn.inKey()) {
            throw new IllegalArgumentException(
                    sourceColumn.name() + " can't be copied to " + column.name());
        }
        if (table.isLimited(column)) {
            table.requireFits(column, source.length(sourceColumn));
        }
        long from = source.readable(sourceColumn) + sourceColumn.offset();
        LocalMemory.copy(from, writable(column) + column.offset(), column.type().payloadBytes());
        return assigned(column);
    }

    /// Sets whole words of the payload to what the image of a commit has there.
    ///
    /// @param offset where they begin
    /// @param source their native address
    public void setPayload(int offset, int bytes, long source) {
        if (role == Role.SCAN) {
            throw new IllegalStateException("a row of a scan can't be changed: read it by its key");
        }
        readSet.changes.change(this);
        LocalMemory.copy(source, data + offset, bytes);
        boolean hasNullBits = offset < table.schema().nullBytes();
        for (Column column : table.schema().payloadColumns()) {
            boolean isIn =
                    column.offset() < offset + bytes
                            && column.offset() + column.type().payloadBytes() > offset;
            if (isIn || hasNullBits && column.nullBit() >= 0) {
                dirty |= column.mask();
                unset &= ~column.mask();
            }
        }
    }

    /// Copies the whole payload of a row that was read with all columns.
    public void copyPayload(long target) {
        LocalMemory.copy(data, target, table.schema().payloadBytes());
    }

    /// A word of the primary key.
    public long keyWord(int word) {
        return read.key()[word];
    }

    /// Makes a column NULL.
    public Row setNull(Column column) {
        Payload.putNull(column, writable(column), true);
        return this;
    }

    private long[] key() {
        requireOpen();
        return read.key();
    }

    private long readable(Column column) {
        if ((usable & column.mask()) == 0 || transaction != readSet.number()) {
            requireReadable(column);
        }
        return data;
    }

    /// Also of a row that the transaction has deleted, which still has its values.
    private void requireReadable(Column column) {
        requireOpen();
        boolean hasValues =
                switch (role) {
                    case READ, UPDATE, DELETE -> isRead();
                    case INSERT, NOTHING -> true;
                    case SCAN -> exists();
                };
        if (!hasValues) {
            throw new IllegalStateException("there is no " + this + ": look with exists() first");
        }
        if ((loaded & column.mask()) == 0) {
            throw new IllegalStateException(
                    "column %s.%s was not read: it is not in the projection"
                            .formatted(table.name(), column.name()));
        }
        usable = loaded;
    }

    private long writable(Column column) {
        if (column.inKey()) {
            throw new IllegalArgumentException(
                    "key column %s.%s can't be changed: delete the row and insert another"
                            .formatted(table.name(), column.name()));
        }
        long _ = readable(column);
        if (role == Role.SCAN) {
            throw new IllegalStateException("a row of a scan can't be changed: read it by its key");
        }
        readSet.changes.change(this);
        dirty |= column.mask();
        return data;
    }

    /// A column has got a value.
    private Row assigned(Column column) {
        unset &= ~column.mask();
        if (column.nullBit() >= 0) {
            Payload.putNull(column, data, false);
        }
        return this;
    }

    /// Refuses a row that was inserted, and got no value for a column that can't be NULL.
    ///
    /// @throws IllegalStateException if there is such a column
    void requireComplete() {
        if (unset != 0) {
            for (Column column : table.schema().payloadColumns()) {
                if ((unset & column.mask()) != 0) {
                    throw new IllegalStateException(
                            "column %s.%s is NOT NULL, and the insert of %s has not set it: set it, or declare the column by nullable()"
                                    .formatted(table.name(), column.name(), this));
                }
            }
        }
    }

    @Override
    public String toString() {
        return table.name() + describeKey();
    }

    String describeKey() {
        return table.schema().key().describe(read.key());
    }
}
