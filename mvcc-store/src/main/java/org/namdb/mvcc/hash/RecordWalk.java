package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// Visits the records of a table, whatever a snapshot sees: for the maintenance of old versions.
/// What it reports of a record may be stale; a caller that acts on it locks the record by its
/// header first.
public final class RecordWalk {
    /// Receives records.
    @FunctionalInterface
    public interface Visitor {
        /// A record that is not being committed.
        ///
        /// @param header its current version's header
        /// @param headerAddress where that is
        /// @param bodyAddress where the body is
        /// @param versions its old-version buffer, or null
        void visit(
                HashTable table, long header, long headerAddress, long bodyAddress, long versions);
    }

    private final QueuePair queuePair;
    private long[] headers = new long[16];
    private long[] headerAddresses = new long[16];
    private long[] bodyAddresses = new long[16];
    private long[] views = new long[16];

    public RecordWalk(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Visits the records of the home bucket at `home` and its overflow areas: a round trip or two
    /// for each bucket.
    public void visit(HashTable table, long home, Visitor visitor) {
        long overflow = visitBucket(table, home, visitor);
        while (!RemoteAddress.isNull(overflow)) {
            overflow = visitBucket(table, overflow, visitor);
        }
    }

    private long visitBucket(HashTable table, long address, Visitor visitor) {
        // The address of a body is written before its header: a reader of the header sees it.
        long leading = queuePair.read(address, table.directoryBytes);
        long view = table.inlined ? leading : queuePair.read(address, table.directoryBytes);
        queuePair.await();
        int count = postBodies(table, address, leading, view);
        long overflow = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
        queuePair.await();
        for (int i = 0; i < count; i++) {
            views[i] = LocalMemory.longAcquire(views[i]); // before a visitor reads more
        }
        for (int i = 0; i < count; i++) {
            visitor.visit(table, headers[i], headerAddresses[i], bodyAddresses[i], views[i]);
        }
        return overflow;
    }

    private int postBodies(HashTable table, long address, long leading, long view) {
        if (headers.length < table.records) {
            headers = new long[table.records];
            headerAddresses = new long[table.records];
            bodyAddresses = new long[table.records];
            views = new long[table.records];
        }
        int count = 0;
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
            long header = LocalMemory.longAcquire(leading + offset);
            long body =
                    table.inlined
                            ? address + table.layout().bodyOffset(entry)
                            : LocalMemory.longAt(
                                    view + offset + table.layout().bodyPointerOffset());
            if (header != RecordHeader.FREE
                    && !RecordHeader.isLocked(header)
                    && !RemoteAddress.isNull(body)) {
                headers[count] = header;
                headerAddresses[count] = address + offset;
                bodyAddresses[count] = body;
                views[count++] = queuePair.read(body + RecordBody.VERSIONS_OFFSET, 8);
            }
        }
        return count;
    }
}
