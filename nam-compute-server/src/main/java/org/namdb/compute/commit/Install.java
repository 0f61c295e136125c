package org.namdb.compute.commit;

import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.schema.ChangedRuns;

/// The install: of each record the old version, the new payload, and the header that unlocks it;
/// and what is garbage when all are installed.
final class Install {
    private final QueuePair queuePair;
    private final LocalAllocator memory;
    private final Garbage garbage;
    private final ChangedRuns runs = new ChangedRuns();

    Install(QueuePair queuePair, LocalAllocator memory, Garbage garbage) {
        this.queuePair = queuePair;
        this.memory = memory;
        this.garbage = garbage;
    }

    /// Gets the local memory that it needs.
    void takeScratch(WriteSet writes) {
        for (int i = 0; i < writes.size(); i++) {
            RecordChange change = writes.change(i);
            change.scratch =
                    change.write.isClaimed()
                            ? 0
                            : memory.allocate(RecordWrite.scratchBytes(change.table().records()));
        }
    }

    /// Posts all.
    void post(WriteSet writes, long commitTimestamp) {
        for (int i = 0; i < writes.overwrites(); i++) {
            postOverwrite(writes.overwrite(i), commitTimestamp);
        }
        for (int i = 0; i < writes.inserts(); i++) {
            postInsert(writes.insert(i), commitTimestamp);
        }
    }

    /// Posts the install of the changes from number `from` to below `to` of a packed write set.
    ///
    /// @param scratch local memory for the [RecordWrite#scratchBytes] of all of them
    void postSome(WriteSet writes, int from, int to, long commitTimestamp, long scratch) {
        long next = scratch;
        for (int i = from; i < to; i++) {
            RecordChange change = writes.change(i);
            change.scratch = next;
            next += RecordWrite.scratchBytes(change.table().records()) + 7 & -8;
            if (change.kind() == RecordChange.Kind.INSERT) {
                postInsert(change, commitTimestamp);
            } else {
                postOverwrite(change, commitTimestamp);
            }
        }
    }

    private void postOverwrite(RecordChange change, long commitTimestamp) {
        RecordWrite write = change.write;
        long header = change.headerAfter(commitTimestamp);
        write.postKeepOldVersion(queuePair, header, change.scratch);
        if (PlantedFault.UNLOCK_EARLY.isPlanted()) {
            write.postHeader(queuePair, write.header());
        }
        if (!change.isDelete()) {
            postColumns(change);
        }
        write.postHeader(queuePair, header);
    }

    private void postInsert(RecordChange change, long commitTimestamp) {
        RecordWrite write = change.write;
        long header = change.headerAfter(commitTimestamp);
        if (write.isClaimed()) {
            write.postBody(queuePair, change.body());
        } else {
            write.postKeepOldVersion(queuePair, header, change.scratch);
            int bytes = change.table().schema().payloadBytes();
            write.postPayload(queuePair, 0, change.payload(), bytes);
        }
        write.postHeader(queuePair, header);
    }

    /// Posts the words of the payload that hold changed columns, in as few WRITEs as they
    /// have runs.
    private void postColumns(RecordChange change) {
        runs.start(change.table().schema(), change.columns());
        while (runs.next()) {
            change.write.postPayload(
                    queuePair,
                    runs.from(),
                    change.payload() + runs.from(),
                    runs.to() - runs.from());
        }
    }

    /// Leaves what the install has made old to the collector.
    ///
    /// @param count how many changes, from the first one, may leave any
    void leaveGarbage(WriteSet writes, int count, long commitTimestamp) {
        for (int i = 0; i < count; i++) {
            RecordChange change = writes.change(i);
            if (!change.write.isClaimed()) {
                leaveGarbage(change, commitTimestamp);
            }
        }
    }

    private void leaveGarbage(RecordChange change, long commitTimestamp) {
        RecordWrite write = change.write;
        HashTable table = change.table().records();
        if (change.isDelete()) {
            garbage.addDeadRecord(
                    table,
                    change.headerAfter(commitTimestamp),
                    write.headerAddress(),
                    write.bodyAddress());
        } else if (write.hasFreshBuffer()) {
            garbage.addVersions(table, commitTimestamp, write.headerAddress(), write.bodyAddress());
        }
        if (!RemoteAddress.isNull(write.deadOverflow())) {
            garbage.addCutOverflow(table, commitTimestamp, write.deadOverflow());
        }
    }
}
