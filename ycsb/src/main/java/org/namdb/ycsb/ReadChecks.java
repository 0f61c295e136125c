package org.namdb.ycsb;

/// What one thread's reads have found that they should not have. Only committed transactions count.
final class ReadChecks {
    private final Totals totals = new Totals();
    private final Totals current = new Totals();

    /// Counts of reads.
    static final class Totals {
        private long missing;
        private long foreign;
        private long disordered;
        private long scans;
        private long scanned;
        private long messages;
        private long diskReads;

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

        /// Messages to other compute servers.
        long messages() {
            return messages;
        }

        /// Pages that were read from a disk.
        long diskReads() {
            return diskReads;
        }

        void add(Totals other) {
            messages += other.messages;
            diskReads += other.diskReads;
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

    /// A field was read.
    ///
    /// @param isOwn whether it is of its record
    void found(boolean isOwn) {
        current.foreign += isOwn ? 0 : 1;
    }

    /// So many messages to other compute servers were sent so far.
    void messages(long sent) {
        totals.messages = sent;
    }

    /// So many pages were read from a disk so far.
    void diskReads(long read) {
        totals.diskReads = read;
    }

    void inOrder(boolean isInOrder) {
        current.disordered += isInOrder ? 0 : 1;
    }

    void scanned(int rows) {
        current.scans++;
        current.scanned += rows;
    }
}
