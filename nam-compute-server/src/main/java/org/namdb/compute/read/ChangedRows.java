package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Payload;

/// What a transaction changes of the records that it knows, and what it relies on: the rows, in the
/// order of their first changes, what they were at its savepoints, and what the commit requires. A
/// row's role says what the commit does with it:
///
/// | role | change, lock | delete | insert, where there is none |
/// |---|---|---|---|
/// | READ, not in the set | UPDATE | DELETE | INSERT |
/// | UPDATE | UPDATE | DELETE | |
/// | DELETE | | | UPDATE |
/// | INSERT | INSERT | NOTHING | |
/// | NOTHING | | | INSERT |
public final class ChangedRows {
    private final ReadSet readSet;
    private final LocalChunks memory;
    private Savepoints savepoints;
    private Requirements requirements = new Requirements();
    private Row[] rows = new Row[32];
    private int count;

    /// How many rows the transaction has inserted: a scan does not see those after its opening.
    private long insertSerial;

    ChangedRows(ReadSet readSet, LocalChunks memory) {
        this.readSet = readSet;
        this.memory = memory;
        this.savepoints = new Savepoints(memory);
    }

    void clear() {
        savepoints.clear();
        requirements.truncate(0);
        count = 0;
        insertSerial = 0;
    }

    /// Starts over in small tables, after a large transaction.
    void shrink() {
        savepoints = new Savepoints(memory);
        requirements = new Requirements();
        rows = new Row[32];
        clear();
    }

    /// How many rows there are.
    public int count() {
        return count;
    }

    Row row(int number) {
        return rows[number];
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
        Row row = readSet.known(table, key.words());
        if (row == null) {
            row = readSet.newKnownRow(table, key.words(), table.schema().all());
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
        if (savepoints.needs(row.undo)) {
            savepoints.remember(row);
        }
        if (row.role == Row.Role.READ) {
            add(row);
        }
        row.insertSerial = ++insertSerial;
        row.role = reinserted ? Row.Role.UPDATE : Row.Role.INSERT;
        row.data =
                memory.allocateZeroed(row.table().records().layout().bodyBytes())
                        + RecordBody.PAYLOAD_OFFSET;
        row.load(-1L);
        row.dirty = reinserted ? -1L : 0;
        row.unset = row.table().schema().notNullMask();
        for (Column column : row.table().schema().payloadColumns()) {
            if (column.nullBit() >= 0) {
                Payload.putNull(column, row.data, true);
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
        } else if (savepoints.needs(row.undo)) {
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

    /// Requires that nobody else has changed a record that was read, when the transaction commits.
    public void requireUnchanged(Row row) {
        if (isToBeRequired(row)) {
            if (!row.read.isCurrent()) {
                throw readSet.conflict(row);
            }
            requirements.add(row, Requirements.Of.UNCHANGED);
        }
    }

    /// Requires that a record that was read is there until the transaction commits.
    public void requirePresent(Row row) {
        if (isToBeRequired(row)) {
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
        requirements.addNone(index, table, prefix, except);
    }

    /// A row joins the set, without a change yet.
    private void update(Row row) {
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to change");
        }
        if (!row.read.isCurrent()) {
            throw readSet.conflict(row);
        }
        if (savepoints.needs(row.undo)) {
            savepoints.rememberColumns(row);
        }
        row.role = Row.Role.UPDATE;
        add(row);
    }

    /// A row's columns are about to be changed.
    void change(Row row) {
        if (row.role != Row.Role.UPDATE && row.role != Row.Role.INSERT) {
            update(row);
        } else if (savepoints.needs(row.undo)) {
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
        return savepoints.open(count, requirements.mark());
    }

    /// Undoes what was changed and required since a savepoint, which stays open.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void rollbackTo(int savepoint) {
        savepoints.check(savepoint);
        savepoints.rollBack(savepoint);
        count = savepoints.writes(savepoint);
        requirements.truncate(savepoints.requirements(savepoint));
    }

    /// Forgets a savepoint and those after it.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void release(int savepoint) {
        savepoints.check(savepoint);
        savepoints.release(savepoint);
    }

    /// Hands all over to the commit, as what they have come to: rows that were inserted and deleted
    /// are nothing.
    ///
    /// @throws IllegalStateException if a row was inserted, and a column that can't be NULL was not
    ///     set
    public void collect(WriteSet into, RequiredReads required) {
        into.clear();
        for (int i = 0; i < count; i++) {
            Row row = rows[i];
            if (row.exists()) {
                row.requireComplete();
            }
            row.change =
                    switch (row.role) {
                        case UPDATE -> into.update(row.table(), row.read, row.data, row.dirty);
                        case DELETE -> into.delete(row.table(), row.read);
                        case INSERT -> into.insert(row.table(), row.read, row.data);
                        case READ, SCAN, NOTHING -> null;
                    };
        }
        requirements.collect(required);
    }

    /// Adds the rows to `found` that were inserted, and agree with `key` in the columns that the
    /// table's buckets are chosen by.
    void addNeighbours(Table table, long[] key, Rows found) {
        for (int i = 0; i < count; i++) {
            Row row = rows[i];
            if (row.role == Row.Role.INSERT
                    && row.table() == table
                    && table.records().neighbours(row.read.key(), key)) {
                found.addOnce(row);
            }
        }
    }

    void visit(AccessVisitor visitor) {
        for (int i = 0; i < count; i++) {
            Row row = rows[i];
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
