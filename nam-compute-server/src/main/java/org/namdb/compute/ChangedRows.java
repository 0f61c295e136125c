package org.namdb.compute;

import java.util.Arrays;
import org.namdb.compute.commit.WriteSet;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Payload;

/// The rows that a transaction changes, in the order of their first changes, and what they were at
/// its savepoints. A row's role says what the commit does with it:
///
/// | role | change, lock | delete | insert, where there is none |
/// |---|---|---|---|
/// | READ, not in the set | UPDATE | DELETE | INSERT |
/// | UPDATE | UPDATE | DELETE | |
/// | DELETE | | | UPDATE |
/// | INSERT | INSERT | NOTHING | |
/// | NOTHING | | | INSERT |
final class ChangedRows {
    private final Transaction transaction;
    private final LocalChunks memory;
    private Savepoints savepoints;
    private Row[] rows = new Row[32];
    private int count;

    /// How many rows the transaction has inserted: a scan does not see those after its opening.
    private long insertSerial;

    ChangedRows(Transaction transaction, LocalChunks memory) {
        this.transaction = transaction;
        this.memory = memory;
        this.savepoints = new Savepoints(memory);
    }

    void clear() {
        savepoints.clear();
        count = 0;
        insertSerial = 0;
    }

    /// Starts over in small tables, after a large transaction.
    void shrink() {
        savepoints = new Savepoints(memory);
        rows = new Row[32];
        clear();
    }

    int count() {
        return count;
    }

    Row row(int number) {
        return rows[number];
    }

    long insertSerial() {
        return insertSerial;
    }

    /// Inserts a row that is not there; its columns are NULL where they may be, else zero.
    void insert(Row row) {
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
        row.loaded = -1L;
        row.dirty = reinserted ? -1L : 0;
        for (Column column : row.table().schema().payloadColumns()) {
            if (column.nullBit() >= 0) {
                Payload.putNull(column, row.data, true);
            }
        }
    }

    /// Deletes a row that is there.
    void delete(Row row) {
        if (row.role == Row.Role.READ) {
            update(row);
        } else if (savepoints.needs(row.undo)) {
            savepoints.remember(row);
        }
        row.role = row.role == Row.Role.INSERT ? Row.Role.NOTHING : Row.Role.DELETE;
    }

    /// A row joins the set, without a change yet.
    void update(Row row) {
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to change");
        }
        if (!row.read.isCurrent()) {
            throw transaction.conflict(row);
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

    /// All columns of a row were read; what it was at savepoints gets them too.
    void reload(Row row) {
        savepoints.reload(row, row.data);
    }

    /// Opens a savepoint, which takes the mark of the requirements along.
    ///
    /// @return its number
    int savepoint(long requirements) {
        return savepoints.open(count, requirements);
    }

    /// Undoes what was changed since a savepoint, which stays open.
    ///
    /// @return the mark of the requirements
    /// @throws IllegalArgumentException if there is no such savepoint
    long rollbackTo(int savepoint) {
        savepoints.check(savepoint);
        savepoints.rollBack(savepoint);
        count = savepoints.writes(savepoint);
        return savepoints.requirements(savepoint);
    }

    /// Forgets a savepoint and those after it.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    void release(int savepoint) {
        savepoints.check(savepoint);
        savepoints.release(savepoint);
    }

    /// Hands all over to the commit, as what they have come to: rows that were inserted and deleted
    /// are nothing.
    void collect(WriteSet into) {
        into.clear();
        for (int i = 0; i < count; i++) {
            Row row = rows[i];
            row.change =
                    switch (row.role) {
                        case UPDATE -> into.update(row.table(), row.read, row.data, row.dirty);
                        case DELETE -> into.delete(row.table(), row.read);
                        case INSERT -> into.insert(row.table(), row.read, row.data);
                        case READ, SCAN, NOTHING -> null;
                    };
        }
    }

    private void add(Row row) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        rows[count++] = row;
    }
}
