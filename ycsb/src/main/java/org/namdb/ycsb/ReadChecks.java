package org.namdb.ycsb;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;

/// What one thread's reads have found that they should not have. Only committed transactions count.
final class ReadChecks {
    private final YcsbTables tables;
    private final Totals totals = new Totals();
    private final Totals current = new Totals();

    /// Counts of reads.
    static final class Totals {
        private long missing;
        private long foreign;
        private long disordered;
        private long scans;
        private long scanned;

        /// Records that were read and not there.
        long missing() {
            return missing;
        }

        /// Fields that were not of their record.
        long foreign() {
            return foreign;
        }

        /// Rows of scans that were not where they belong.
        long disordered() {
            return disordered;
        }

        /// Scans.
        long scans() {
            return scans;
        }

        /// Rows that they have read.
        long scanned() {
            return scanned;
        }

        void add(Totals other) {
            missing += other.missing;
            foreign += other.foreign;
            disordered += other.disordered;
            scans += other.scans;
            scanned += other.scanned;
        }

        private void clear() {
            missing = 0;
            foreign = 0;
            disordered = 0;
            scans = 0;
            scanned = 0;
        }
    }

    ReadChecks(YcsbTables tables) {
        this.tables = tables;
    }

    /// All that was counted; when the thread has ended.
    Totals totals() {
        return totals;
    }

    void begin() {
        current.clear();
    }

    void committed() {
        totals.add(current);
        current.clear();
    }

    void missing() {
        current.missing++;
    }

    /// A row was read, or should have been: checks one of its fields.
    void found(@Nullable Row row, long key, int field) {
        if (row == null) {
            missing();
            return;
        }
        Column column = tables.fields.get(field);
        boolean isOwn = row.length(column) >= FieldText.MIN_BYTES;
        for (int i = 0; i < FieldText.MIN_BYTES && isOwn; i++) {
            isOwn = row.byteAt(column, i) == FieldText.digit(key, i);
        }
        current.foreign += isOwn ? 0 : 1;
    }

    void inOrder(boolean isInOrder) {
        current.disordered += isInOrder ? 0 : 1;
    }

    void scanned(int rows) {
        current.scans++;
        current.scanned += rows;
    }
}
