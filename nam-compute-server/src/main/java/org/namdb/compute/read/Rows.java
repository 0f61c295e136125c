package org.namdb.compute.read;

import java.util.Arrays;

/// Some rows of a transaction; reused by one thread.
public final class Rows {
    private Row[] rows = new Row[16];
    private int size;
    private long generation;

    public int size() {
        return size;
    }

    /// Row `index`, from 0.
    public Row row(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return rows[index];
    }

    /// Removes all rows.
    public void clear() {
        size = 0;
        generation++;
    }

    /// Adds a row of a transaction, unless it is there; a record that is read twice in a
    /// transaction is one row.
    public void addDistinct(Row row) {
        if (row.list != this || row.listGeneration != generation) {
            row.list = this;
            row.listGeneration = generation;
            add(row);
        }
    }

    void add(Row row) {
        if (size == rows.length) {
            rows = Arrays.copyOf(rows, 2 * size);
        }
        rows[size++] = row;
    }

    void addOnce(Row row) {
        for (int i = 0; i < size; i++) {
            if (rows[i] == row) {
                return;
            }
        }
        add(row);
    }

    void set(int index, Row row) {
        rows[index] = row;
    }

    void truncate(int newSize) {
        size = newSize;
    }

    /// Drops the rows that the transaction does not see; the others are not packed, as their list
    /// is read while others are.
    void keepExisting() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (rows[i].exists()) {
                rows[i].isPinned = true;
                rows[kept++] = rows[i];
            }
        }
        size = kept;
    }
}
