package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Payload;

/// What a transaction changes of its records, and what it relies on: the rows, in the order of
/// their first changes, what they were at its savepoints, and what the commit requires. A row's
/// role says what the commit does with it:
///
/// | role | change, lock | delete | insert, where there is none |
/// |---|---|---|---|
/// | READ, not in the set | UPDATE | DELETE | INSERT |
/// | UPDATE | UPDATE | DELETE | |
/// | DELETE | | | UPDATE |
/// | INSERT | INSERT | NOTHING | |
/// | NOTHING | | | INSERT |
public final class ChangedRows {
    /// After so many packed changes it checks whether the commit is cancelled.
    private static final int CHECKED_AFTER = 1 << 14;

    /// What a requirement that there is no record takes of the heap, here and in the commit: at the
    /// most two keys, and its places in tables.
    private static final int NONE_BYTES = 256;

    private final ReadSet readSet;
    private final LocalChunks memory;
    private Savepoints savepoints;
    private Requirements requirements = new Requirements();
    private Row[] rows = new Row[32];
    private final ChangeWalk walk;
    private int count;

    /// What the commit gets.
    private final WriteSet writes;

    /// How many rows the transaction has inserted: a scan does not see those after its opening.
    private long insertSerial;

    /// Those that are packed: they are before [#rows].
    final PackedRows packed;

    ChangedRows(ReadSet readSet, LocalChunks memory) {
        this.readSet = readSet;
        this.memory = memory;
        this.packed = readSet.known.packed;
        this.writes = new WriteSet(memory);
        this.savepoints = new Savepoints(memory, packed);
        this.walk = new ChangeWalk(this);
    }

    void clear() {
        savepoints.clear();
        requirements.truncate(0);
        packed.clear();
        count = 0;
        insertSerial = 0;
    }

    /// Starts over in small tables, after a large transaction.
    void shrink() {
        savepoints = new Savepoints(memory, packed);
        requirements = new Requirements();
        rows = new Row[32];
        writes.shrink();
        clear();
    }

    /// How many rows there are.
    public int count() {
        return packed.count() + count;
    }

    /// A row that has no entry among the packed ones.
    Row row(int number) {
        return rows[number];
    }

    /// The row that has an entry: the one that has taken it over, or a view of it.
    Row rowOf(int entry) {
        int number = packed.entries.row(entry);
        return number == PackedChanges.NONE ? packed.peek(entry) : readSet.known.row(number);
    }

    /// Gives every row an entry among the packed ones, in the order of their first changes.
    void pack() {
        int added = 0;
        try {
            for (; added < count; added++) {
                savepoints.markPacked(packed.count());
                packed.add(rows[added]);
            }
            savepoints.markPacked(packed.count());
        } finally {
            System.arraycopy(rows, added, rows, 0, count - added);
            count -= added;
        }
    }

    /// Whether a row is not to be packed, or dropped.
    boolean keeps(Row row) {
        boolean isNeeded =
                row.isPinned || row.required != Requirements.Of.NOTHING || row.unset != 0;
        return isNeeded
                || row.packed == PackedChanges.NONE && row.undo >= 0
                || !savepoints.arePackable(row);
    }

    /// A row that is kept has another number.
    void moved(Row row) {
        if (row.packed != PackedChanges.NONE) {
            packed.entries.setRow(row.packed, row.number);
        }
    }

    /// All rows are packed that can be.
    void packed() {
        savepoints.trim();
    }

    /// A row has taken over what was packed.
    void unpacked(Row row) {
        savepoints.unpack(row);
    }

    /// Packs or drops a row.
    void leave(Row row) {
        if (row.packed == PackedChanges.NONE) {
            packed.free(row.table(), row.data);
        } else {
            savepoints.pack(row);
            packed.pack(row);
        }
        row.leave();
    }

    long insertSerial() {
        return insertSerial;
    }

    /// Inserts a record.
    ///
    /// @param key a whole one
    public Row insert(Table table, Key key) {
        ReadSet.requireWhole(table, key);
        table.requireFits(key.words());
        Row row = readSet.known.find(table, key.words());
        if (row == null) {
            row = readSet.known.add(table, key.words(), table.schema().all());
            row.isBlind = true;
        } else {
            readSet.await();
        }
        if (!row.isUndone() && row.exists()) {
            throw readSet.duplicate(row);
        }
        insert(row);
        return row;
    }

    /// Inserts a row that is not there; its columns are NULL where they may be, else still to be
    /// set.
    private void insert(Row row) {
        boolean reinserted = row.role == Row.Role.DELETE;
        if (savepoints.needs(row)) {
            savepoints.remember(row);
        }
        boolean isFirst = row.role == Row.Role.READ;
        if (isFirst) {
            add(row);
        }
        row.insertSerial = ++insertSerial;
        row.role = reinserted ? Row.Role.UPDATE : Row.Role.INSERT;
        int bytes = row.table().records().layout().bodyBytes();
        if (isFirst) { // there was no record, so nothing was read into its memory
            LocalMemory.zero(row.data - RecordBody.PAYLOAD_OFFSET, bytes);
        } else {
            row.data = memory.allocateZeroed(bytes) + RecordBody.PAYLOAD_OFFSET;
        }
        row.load(-1L);
        row.dirty = reinserted ? -1L : 0;
        row.unset = row.table().schema().notNullMask();
        for (Column column : row.table().schema().payloadColumns()) {
            if (column.nullBit() >= 0) {
                Payload.putNull(column, row.data, true);
            }
        }
    }

    /// Inserts a record that is like one of another table with the same columns.
    ///
    /// @param source has all of its columns
    public void insertCopy(Table table, Row source) {
        Row row = insert(table, table.newKey().setWords(source.read.key()));
        source.copyPayload(row.data);
        row.unset = 0;
    }

    /// How many more records a table has by this transaction's inserts and deletes.
    public long netInserts(Table table) {
        long net = 0;
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (row.table() == table) {
                net += row.role == Row.Role.INSERT ? 1 : row.role == Row.Role.DELETE ? -1 : 0;
            }
        }
        return net;
    }

    /// Refuses an index that can't have an entry for each record that was inserted.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if a value is too long for one
    public void requireFits(Table table, Index index) {
        byte[] scratch = new byte[index.scratchBytes()];
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (row.table() == table && row.role == Row.Role.INSERT) {
                index.requireFits(row.read.key(), row.data, scratch);
            }
        }
    }

    /// Deletes a row that was read.
    public void delete(Row row) {
        requireKept(row);
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to delete");
        }
        if (row.role == Row.Role.READ) {
            update(row);
        } else if (savepoints.needs(row)) {
            savepoints.remember(row);
        }
        row.role = row.role == Row.Role.INSERT ? Row.Role.NOTHING : Row.Role.DELETE;
    }

    /// Has the commit write a row that was read as a new version, whether or not it changes.
    public void lock(Row row) {
        requireKept(row);
        if (row.role == Row.Role.READ || !row.exists()) {
            update(row);
        }
    }

    private static void requireKept(Row row) {
        if (row.role == Row.Role.SCAN) {
            throw new IllegalStateException("a row of a scan is read-only: read it by its key");
        }
    }

    /// Requires that no other transaction has changed a record that was read, when this one
    /// commits.
    public void requireUnchanged(Row row) {
        if (isToBeRequired(row)) {
            requireCurrent(row);
            requirements.add(row, Requirements.Of.UNCHANGED);
        }
    }

    /// Requires that a record that was read is there until the transaction commits.
    public void requirePresent(Row row) {
        if (isToBeRequired(row)) {
            readSet.locate(row);
            requirements.add(row, Requirements.Of.PRESENT);
        }
    }

    private static boolean isToBeRequired(Row row) {
        requireKept(row);
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to rely on");
        }
        return row.role == Row.Role.READ;
    }

    /// Requires that no record has these indexed columns when the transaction commits.
    ///
    /// @param except a row that the transaction inserts or changes, and that may have them
    public void requireNone(Index index, Table table, Key prefix, @Nullable Row except) {
        readSet.keepHeap(NONE_BYTES);
        requirements.addNone(index, table, prefix, except);
    }

    /// A row joins the set, without a change yet.
    private void update(Row row) {
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to change");
        }
        requireCurrent(row);
        if (savepoints.needs(row)) {
            savepoints.rememberColumns(row);
        }
        row.role = Row.Role.UPDATE;
        add(row);
    }

    private void requireCurrent(Row row) {
        readSet.locate(row);
        if (!row.read.isCurrent()) {
            throw readSet.conflict(row);
        }
    }

    /// A row's columns are about to be changed.
    void change(Row row) {
        if (row.role != Row.Role.UPDATE && row.role != Row.Role.INSERT) {
            update(row);
        } else if (savepoints.needs(row)) {
            savepoints.rememberColumns(row);
        }
    }

    /// All columns of a row were read into `image`, a payload; what it was at savepoints gets them
    /// too.
    void reload(Row row, long image) {
        savepoints.reload(row, image);
    }

    /// Opens a savepoint.
    ///
    /// @return its number
    public int savepoint() {
        int mark = count == 0 ? packed.entries.end() : Savepoints.UNKNOWN;
        return savepoints.open(count(), mark, requirements.mark());
    }

    /// Undoes what was changed and required since a savepoint, which stays open.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void rollbackTo(int savepoint) {
        savepoints.check(savepoint);
        savepoints.rollBack(savepoint);
        int left = savepoints.writes(savepoint);
        if (left < packed.count()) {
            packed.truncate(savepoints.packedMark(savepoint));
        }
        count = left - packed.count();
        requirements.truncate(savepoints.requirements(savepoint));
    }

    /// Drops a savepoint and those after it.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void release(int savepoint) {
        savepoints.check(savepoint);
        savepoints.release(savepoint);
    }

    /// Hands all over to the commit, as their net effect: rows that were inserted and deleted are
    /// nothing.
    ///
    /// @param required gets what the commit requires
    /// @return the changes
    /// @throws IllegalStateException if a row was inserted, and a column that can't be NULL was not
    ///     set
    public WriteSet collect(RequiredReads required) {
        writes.clear();
        if (packed.count() > 0) {
            collectPacked();
        }
        for (int i = 0; i < count; i++) {
            Row row = rows[i];
            if (row.exists()) {
                row.requireComplete();
            }
            row.change =
                    switch (row.role) {
                        case UPDATE -> writes.update(row.table(), row.read, row.data, row.dirty);
                        case DELETE -> writes.delete(row.table(), row.read);
                        case INSERT -> writes.insert(row.table(), row.read, row.data);
                        case READ, SCAN, NOTHING -> null;
                    };
        }
        requirements.collect(required, writes);
        return writes;
    }

    /// What the commit makes of a record; null if the transaction does not change it.
    public @Nullable RecordChange change(Table table, long[] key) {
        if (writes.isPacked()) {
            return writes.findPacked(table, key);
        }
        Row row = readSet.known.find(table, key);
        return row == null ? null : row.change;
    }

    /// Has every change packed, those that rows have taken over as well.
    private void collectPacked() {
        PackedChanges entries = packed.entries;
        pack();
        int walked = 0;
        for (int at = entries.first(); at != entries.end(); at = entries.next(at)) {
            if (walked++ % CHECKED_AFTER == 0) {
                readSet.checkCancelled();
            }
            int number = entries.row(at);
            if (number != PackedChanges.NONE) {
                Row row = readSet.known.row(number);
                if (row.exists()) {
                    row.requireComplete();
                }
                packed.store(row);
            }
        }
        writes.setPacked(entries, readSet::checkCancelled);
    }

    /// Adds the rows to `found` that were inserted, and agree with `key` in the columns that the
    /// table's buckets are chosen by.
    void addNeighbours(Table table, long[] key, Rows found) {
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (row.role == Row.Role.INSERT
                    && row.table() == table
                    && table.records().neighbours(row.read.key(), key)) {
                found.addOnce(readSet.known.kept(row));
            }
        }
    }

    void visit(OperationVisitor visitor) {
        for (Row row = walk.start().next(); row != null; row = walk.next()) {
            switch (row.role) {
                case UPDATE, INSERT -> visitor.write(row.table(), row.read.key());
                case DELETE -> visitor.delete(row.table(), row.read.key());
                case READ, SCAN, NOTHING -> {}
            }
        }
    }

    private void add(Row row) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        rows[count++] = row;
    }
}
