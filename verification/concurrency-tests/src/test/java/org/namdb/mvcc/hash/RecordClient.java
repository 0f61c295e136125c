package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// What one actor does with the record of a state, as a transaction does it.
final class RecordClient {
    /// In place of a value: the snapshot sees no record.
    static final long ABSENT = -2;

    private final QueuePair queuePair;
    private final RecordRead read;
    private final RecordWrite write;
    private final OneRecord.OldVersions oldVersions = new OneRecord.OldVersions();
    private final long target;
    private final long source;
    private final long scratch;

    /// Sees nothing, so that every old version must be kept.
    private final Snapshot lowWatermark = new Snapshot();

    /// @param table any
    RecordClient(QueuePair queuePair, HashTable table) {
        this.queuePair = queuePair;
        this.read = new RecordRead(table, OneRecord.SCHEMA.all());
        this.write = new RecordWrite(table);
        this.target = queuePair.localMemory(OneRecord.PAYLOAD_BYTES);
        this.source = queuePair.localMemory(OneRecord.PAYLOAD_BYTES);
        this.scratch = queuePair.localMemory(RecordWrite.scratchBytes(table));
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /// The value of the version that the snapshot sees, [OneRecord#MIXED] or [#ABSENT].
    long read(HashTable table, Snapshot snapshot) {
        read.prepare(table, OneRecord.KEY, OneRecord.SCHEMA.all(), target);
        read.post(queuePair);
        do {
            queuePair.await();
        } while (!read.advance(queuePair, snapshot));
        return read.isPresent() ? OneRecord.value(target) : ABSENT;
    }

    /// Reads the record, and locks what it has read.
    ///
    /// @return whether no other session came between
    boolean readAndLock(HashTable table, Snapshot snapshot) {
        read(table, snapshot);
        write.prepareUpdate(read);
        write.postLock(queuePair);
        queuePair.await();
        write.settle();
        return write.isLocked();
    }

    /// The current value, while this actor holds the lock.
    long lockedValue() {
        return OneRecord.value(write.currentPayload());
    }

    /// Writes a payload without lock, header and old version: as no transaction does.
    void overwrite(long place, long value) {
        fillSource(value);
        queuePair.write(OneRecord.payload(place), source, OneRecord.PAYLOAD_BYTES);
        queuePair.await();
    }

    /// Installs a version of the locked record.
    void install(long place, long commitTimestamp, long value) {
        oldVersions.enter(place);
        write.prepare(queuePair, oldVersions, lowWatermark);
        fillSource(value);
        long header = RecordHeader.installed(commitTimestamp);
        write.postKeepOldVersion(queuePair, header, scratch);
        write.postPayload(queuePair, 0, source, OneRecord.PAYLOAD_BYTES);
        write.postHeader(queuePair, header);
        queuePair.await();
    }

    private void fillSource(long value) {
        for (int word = 0; word < OneRecord.PAYLOAD_WORDS; word++) {
            LocalMemory.putLong(source + 8L * word, value);
        }
    }
}
