package org.namdb.mvcc.hash;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;

/// The table that a state has to itself: one bucket for one record, whose payload is one value in
/// all its words, and space for two old versions of it.
/// ```
/// 0        128                  256                384
/// | bucket | old-version buffer | overflow version |
/// ```
final class OneRecord {
    static final int PLACE_BYTES = 384;
    static final int PAYLOAD_WORDS = 8;
    static final long[] KEY = {1};

    /// A payload that is not one value.
    static final long MIXED = -1;

    /// The commit that has made the first version. The writers' commits are of other slots.
    static final long FIRST_COMMIT = CommitTimestamp.of(0, 1);

    static final long FIRST_VALUE = 1;

    static final RecordSchema SCHEMA = schema();
    static final int PAYLOAD_BYTES = SCHEMA.payloadBytes();

    private static final BucketLayout BUCKET = new BucketLayout(1, KEY.length, PAYLOAD_BYTES, true);
    static final OldVersionBuffer BUFFER = new OldVersionBuffer(1, PAYLOAD_BYTES);
    private static final long BUFFER_OFFSET = 128;
    private static final long OVERFLOW_OFFSET = 256;

    private OneRecord() {}

    private static RecordSchema schema() {
        TableDefinition.Builder table = TableDefinition.named("one").column("k", ColumnType.INT64);
        for (int column = 0; column < PAYLOAD_WORDS; column++) {
            table.column("c" + column, ColumnType.INT64);
        }
        return new RecordSchema(table.primaryKey("k").build());
    }

    /// The table whose only bucket is at a place. Its head would be before it; it is not read, as
    /// the bucket was never split.
    static HashTable table(long place) {
        long[] heads = {place - TableHead.BYTES};
        return new HashTable(0, SCHEMA.key(), 1, BUCKET, BUFFER.versions(), heads, 1);
    }

    /// Writes a bucket without a record.
    static void putNone(StressRegion region, long place) {
        region.put(place, 0, 0, 0, 0, 0);
    }

    /// Writes the record's first version, without older ones.
    static void putFirst(StressRegion region, long place) {
        put(region, place, FIRST_COMMIT, 0, FIRST_VALUE);
    }

    /// Writes a second version, and the first one to the old-version buffer, which is full with it.
    static void putSecond(StressRegion region, long place, long commitTimestamp, long value) {
        long buffer = buffer(place);
        region.put(buffer, 1, 0, FIRST_COMMIT, commitTimestamp);
        region.fill(buffer + BUFFER.payloadOffset(0), PAYLOAD_WORDS, FIRST_VALUE);
        put(region, place, commitTimestamp, buffer, value);
    }

    private static void put(
            StressRegion region, long place, long header, long versions, long value) {
        region.put(place, 0, 0, 0, 0, header, KEY[0]);
        region.put(place + BUCKET.bodyOffset(0), versions);
        region.fill(payload(place), PAYLOAD_WORDS, value);
    }

    /// The remote address of the header.
    static long header(long place) {
        return place + BUCKET.entryOffset(0);
    }

    /// The remote address of the payload.
    static long payload(long place) {
        return place + BUCKET.bodyOffset(0) + RecordBody.PAYLOAD_OFFSET;
    }

    /// The remote address of the old-version buffer.
    static long buffer(long place) {
        return place + BUFFER_OFFSET;
    }

    /// The value in all words of the payload at a native address, or [#MIXED].
    static long value(long payload) {
        long value = LocalMemory.longAt(payload);
        for (int word = 1; word < PAYLOAD_WORDS; word++) {
            if (LocalMemory.longAt(payload + 8L * word) != value) {
                return MIXED;
            }
        }
        return value;
    }

    /// Hands out the space that a place has for old versions: for one of each kind.
    static final class OldVersions implements RemoteAllocator {
        private long place;

        void enter(long newPlace) {
            place = newPlace;
        }

        @Override
        public long allocate(int server, int bytes) {
            return place + (bytes == BUFFER.bytes() ? BUFFER_OFFSET : OVERFLOW_OFFSET);
        }

        @Override
        public void reserve(int server, int bytes) {
            // There is always space.
        }

        @Override
        public void free(long address, int bytes) {
            // The place is used again with the next state.
        }
    }
}
