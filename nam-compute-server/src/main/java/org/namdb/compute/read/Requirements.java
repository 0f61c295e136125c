package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;

/// What must hold when a transaction commits, in the order in which the transaction required it, so
/// that a rollback to a savepoint can drop what was later; for its use, see
/// [org.namdb.compute.Transaction#requirePresent]. The commit gets it as [RequiredReads].
final class Requirements {
    /// What is required of a record that was read, by strength.
    enum Of {
        NOTHING,
        PRESENT,
        UNCHANGED
    }

    private Row[] rows = new Row[8];
    private Of[] required = new Of[8];

    /// What was required of the row before.
    private Of[] former = new Of[8];

    private int rowCount;
    private Index[] indexes = new Index[4];
    private Table[] tables = new Table[4];
    private Key[] keys = new Key[4];
    private @Nullable Row[] excepted = new @Nullable Row[4];
    private int noneCount;

    void add(Row row, Of strength) {
        if (row.required.compareTo(strength) < 0) {
            if (rowCount == rows.length) {
                rows = Arrays.copyOf(rows, 2 * rowCount);
                required = Arrays.copyOf(required, 2 * rowCount);
                former = Arrays.copyOf(former, 2 * rowCount);
            }
            rows[rowCount] = row;
            required[rowCount] = strength;
            former[rowCount++] = row.required;
            row.required = strength;
        }
    }

    void addNone(Index index, Table table, Key prefix, @Nullable Row except) {
        if (prefix.columns() == 0
                || !index.isOrdered() && prefix.columns() < index.columns()
                || prefix.layout() != index.layout()) {
            throw new IllegalArgumentException("not a key for index " + index + ": " + prefix);
        }
        if (noneCount == indexes.length) {
            indexes = Arrays.copyOf(indexes, 2 * noneCount);
            tables = Arrays.copyOf(tables, 2 * noneCount);
            keys = Arrays.copyOf(keys, 2 * noneCount);
            excepted = Arrays.copyOf(excepted, 2 * noneCount);
        }
        indexes[noneCount] = index;
        tables[noneCount] = table;
        if (keys[noneCount] == null || keys[noneCount].layout() != prefix.layout()) {
            keys[noneCount] = new Key(prefix.layout());
        }
        keys[noneCount].set(prefix);
        excepted[noneCount] = except;
        if (except != null) {
            except.isPinned = true;
        }
        noneCount++;
    }

    /// How many there are of both kinds, for [#truncate].
    long mark() {
        return (long) rowCount << 32 | noneCount;
    }

    /// Drops those that were added since.
    void truncate(long mark) {
        int left = (int) (mark >>> 32);
        while (rowCount > left) {
            rowCount--;
            rows[rowCount].required = former[rowCount];
        }
        noneCount = (int) mark;
    }

    private static @Nullable RecordChange change(Row row, WriteSet writes) {
        return writes.isPacked() ? writes.findPacked(row.table(), row.read.key()) : row.change;
    }

    /// Hands over all that the locks of the transaction's own writes do not cover already. The rows
    /// hold their changes.
    ///
    /// @param writes the write set, if the rows don't
    void collect(RequiredReads into, WriteSet writes) {
        into.clear();
        for (int i = 0; i < rowCount; i++) {
            Row row = rows[i];
            if (row.role == Row.Role.READ) {
                into.addRecord(row.table(), row.read, required[i] == Of.UNCHANGED);
            }
        }
        for (int i = 0; i < noneCount; i++) {
            Row except = excepted[i];
            into.addNone(
                    indexes[i], tables[i], keys[i], except == null ? null : change(except, writes));
        }
    }
}
