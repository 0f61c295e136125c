package org.namdb.mvcc.hash;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// One actor's transactions on the record of a state, with snapshots and commit timestamps of its
/// own. The timestamp vector is one for all states.
final class RecordSession {
    private final TimestampSlot slot;
    private final SnapshotOracle oracle;
    private final Snapshot snapshot = new Snapshot();
    private final RecordClient client;

    private RecordSession(TimestampSlot slot, RecordClient client) {
        this.slot = slot;
        this.oracle = new SnapshotChain(slot);
        this.client = client;
    }

    RecordClient client() {
        return client;
    }

    /// Begins a transaction.
    void begin() {
        oracle.acquire(snapshot);
    }

    /// The last timestamp of another session that this transaction sees.
    long seenOf(RecordSession other) {
        return snapshot.timestamp(other.slot.number());
    }

    long read(HashTable table) {
        return client.read(table, snapshot);
    }

    boolean readAndLock(HashTable table) {
        return client.readAndLock(table, snapshot);
    }

    long nextCommitTimestamp() {
        return slot.next();
    }

    void publish(long commitTimestamp) {
        slot.publish(commitTimestamp);
        client.queuePair().await();
    }

    /// A region with a timestamp vector that sees the first version of every record.
    static final class Server {
        private static final int MAX_SLOTS = 4;

        private final StressRegion region;
        private final TimestampVectorLayout layout;

        Server(ShmFabric.Options options) {
            long vectorBytes = TimestampVectorLayout.bytes(MAX_SLOTS);
            region = new StressRegion(options, vectorBytes, OneRecord.PLACE_BYTES);
            layout = new TimestampVectorLayout(region.shared(), MAX_SLOTS);
            QueuePair loader = region.connect();
            layout.format(loader);
            TimestampSlot slot = TimestampSlot.take(layout, loader, 1);
            long commitTimestamp = slot.next();
            assert commitTimestamp == OneRecord.FIRST_COMMIT : "the first of the first slot";
            slot.publish(commitTimestamp);
            loader.await();
        }

        RecordSession session() {
            QueuePair queuePair = region.connect();
            HashTable any = OneRecord.table(region.nextPlace());
            return new RecordSession(
                    TimestampSlot.take(layout, queuePair, 1), new RecordClient(queuePair, any));
        }

        /// A place with a record's first version.
        long place() {
            long place = region.nextPlace();
            OneRecord.putFirst(region, place);
            return place;
        }

        /// The word at an address, after the actors have ended.
        long word(long address) {
            return region.word(address);
        }
    }
}
