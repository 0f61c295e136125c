package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// The mover with a record that is written word by word: what it copies, what it drops, and what it
/// leaves when it can't go on. The low watermark sees the slot's first commit, and no later one.
class VersionMoverTest {
    private static final int PLACES = 4;
    private static final long AREA = 1 << 19;
    private static final long BUCKET = 1 << 20;
    private static final long BUFFER = RemoteAddress.of(0, 3 << 19);
    private static final long OVERFLOW = 2 << 20;

    private ShmFabric fabric;
    private LockSpans queuePair;
    private int slot;
    private Snapshot lowWatermark;
    private HashTable table;
    private OldVersionBuffer buffer;
    private VersionMover mover;
    private int capacity = Integer.MAX_VALUE;
    private long allocated;
    private final List<Long> freed = new ArrayList<>();

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        queuePair = new LockSpans(fabric.connect(List.of(fabric.register(0, 4 << 20))));
        TimestampVectorLayout vector = new TimestampVectorLayout(RemoteAddress.of(0, 4096), 4);
        vector.format(queuePair);
        TimestampSlot taken = TimestampSlot.take(vector, queuePair, 1);
        slot = taken.number();
        taken.publish(taken.next());
        queuePair.await();
        lowWatermark = new Snapshot();
        new SnapshotChain(taken).acquire(lowWatermark);
        queuePair.await();
        table =
                new HashTable(
                        7,
                        new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                        1,
                        new BucketLayout(1, 1, 8, true),
                        PLACES,
                        new long[] {RemoteAddress.of(0, BUCKET)},
                        1);
        buffer = table.oldVersions();
        RemoteAllocator memory = new CountedSpace();
        Intents intents =
                new Intents(
                        queuePair, new IntentLayout(RemoteAddress.of(0, AREA)), slot, 1, memory);
        mover = new VersionMover(queuePair, memory, intents);
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private final class CountedSpace implements RemoteAllocator {
        @Override
        public long allocate(int server, int bytes) {
            if (capacity == 0) {
                throw new MemoryFullException(server, bytes, 0);
            }
            capacity--;
            return RemoteAddress.of(server, OVERFLOW + 64 * allocated++);
        }

        @Override
        public void reserve(int server, int bytes) {}

        @Override
        public void free(long address, int bytes) {
            assertThat(bytes).isEqualTo(OverflowVersion.bytes(8));
            assertThat(freed).as("freed once").doesNotContain(address);
            freed.add(address);
        }
    }

    private long version(long timestamp) {
        return CommitTimestamp.of(slot, timestamp);
    }

    private long headerAddress() {
        return table.bucketAddress(0) + BucketLayout.ENTRIES_OFFSET;
    }

    private long bodyAddress() {
        return table.bucketAddress(0) + table.layout().bodyOffset(0);
    }

    /// The record's ring is full of versions `first` to `first + 3`, each with its timestamp as
    /// payload; its current one is the next. The oldest is in place `oldest`.
    private long fill(long first, int oldest) {
        queuePair.writeWord(BUFFER + OldVersionBuffer.NEXT_OFFSET, PLACES + oldest);
        queuePair.writeWord(BUFFER + OldVersionBuffer.OVERFLOW_OFFSET, RemoteAddress.NULL);
        for (int i = 0; i < PLACES; i++) {
            int place = (oldest + i) % PLACES;
            long pair = BUFFER + buffer.pairOffset(place);
            queuePair.writeWord(pair + OldVersionBuffer.FROM_OFFSET, version(first + i));
            queuePair.writeWord(pair + OldVersionBuffer.UNTIL_OFFSET, version(first + i + 1));
            queuePair.writeWord(BUFFER + buffer.payloadOffset(place), first + i);
        }
        queuePair.writeWord(bodyAddress() + RecordBody.VERSIONS_OFFSET, BUFFER);
        long header = version(first + PLACES);
        queuePair.writeWord(headerAddress(), header);
        queuePair.await();
        return header;
    }

    /// Versions in the overflow region, the newest first.
    private void chain(long... timestamps) {
        long pointer = BUFFER + OldVersionBuffer.OVERFLOW_OFFSET;
        for (int i = 0; i < timestamps.length; i++) {
            long address = RemoteAddress.of(0, OVERFLOW + (1 << 16) + 64L * i);
            queuePair.writeWord(pointer, address);
            queuePair.writeWord(address + OverflowVersion.FROM_OFFSET, version(timestamps[i]));
            queuePair.writeWord(address + OverflowVersion.UNTIL_OFFSET, version(timestamps[i] + 1));
            pointer = address + OverflowVersion.OLDER_OFFSET;
        }
        queuePair.writeWord(pointer, RemoteAddress.NULL);
        queuePair.await();
    }

    private void move(long header, boolean cuts) {
        mover.move(table, header, headerAddress(), bodyAddress(), lowWatermark, cuts);
    }

    private long from(int place) {
        return queuePair.readWord(BUFFER + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET);
    }

    private long overflow() {
        return queuePair.readWord(BUFFER + OldVersionBuffer.OVERFLOW_OFFSET);
    }

    /// The timestamps of the versions in the overflow region, which are their payloads, too.
    private List<Long> overflowVersions() {
        List<Long> found = new ArrayList<>();
        long at = overflow();
        while (!RemoteAddress.isNull(at)) {
            long header = queuePair.readWord(at + OverflowVersion.FROM_OFFSET);
            long timestamp = CommitTimestamp.timestamp(header);
            assertThat(header).isEqualTo(version(timestamp));
            assertThat(queuePair.readWord(at + OverflowVersion.UNTIL_OFFSET))
                    .isEqualTo(version(timestamp + 1));
            found.add(queuePair.readWord(at + OverflowVersion.PAYLOAD_OFFSET));
            assertThat(found.getLast()).isEqualTo(timestamp);
            at = queuePair.readWord(at + OverflowVersion.OLDER_OFFSET);
        }
        return found;
    }

    private void assertUnlocked(long header) {
        assertThat(queuePair.readWord(headerAddress())).isEqualTo(header);
        assertThat(mover.fatalFailure()).isNull();
    }

    @Test
    void theOlderHalfIsCopiedAndItsPlacesMayBeReused() {
        long header = fill(2, 3);
        move(header, true);
        assertThat(overflowVersions()).containsExactly(3L, 2L);
        assertThat(from(3)).isEqualTo(RecordHeader.moved(version(2)));
        assertThat(from(0)).isEqualTo(RecordHeader.moved(version(3)));
        assertThat(from(1)).isEqualTo(version(4));
        assertThat(from(2)).isEqualTo(version(5));
        assertThat(mover.moved()).isEqualTo(2);
        assertUnlocked(header);
    }

    @Test
    void movedVersionsAreNotMovedAgain() {
        long header = fill(2, 0);
        move(header, true);
        move(header, true);
        assertThat(overflowVersions()).containsExactly(3L, 2L);
        assertThat(mover.moved()).isEqualTo(2);
        assertUnlocked(header);
    }

    @Test
    void aVersionThatNoSnapshotNeedsIsDroppedAndNotCopied() {
        long header = fill(0, 0); // the low watermark sees what replaced version 0
        move(header, true);
        assertThat(overflowVersions()).containsExactly(1L);
        assertThat(from(0)).isZero();
        assertThat(from(1)).isEqualTo(RecordHeader.moved(version(1)));
        assertUnlocked(header);
    }

    @Test
    void aRecordThatHasChangedIsLeftAlone() {
        long header = fill(2, 0);
        move(version(5), true);
        assertThat(overflowVersions()).isEmpty();
        assertThat(from(0)).isEqualTo(version(2));
        assertThat(mover.moved()).isZero();
        assertUnlocked(header);
    }

    @Test
    void withMemoryForHalfOfThemNothingHasChanged() {
        long header = fill(2, 0);
        capacity = 1;
        assertThatThrownBy(() -> move(header, true)).isInstanceOf(MemoryFullException.class);
        assertThat(freed).containsExactly(RemoteAddress.of(0, OVERFLOW));
        assertThat(overflow()).isEqualTo(RemoteAddress.NULL);
        assertThat(from(0)).isEqualTo(version(2));
        assertThat(mover.moved()).isZero();
        assertUnlocked(header);
    }

    @Test
    void allBehindTheLastNeededVersionAreCutOff() {
        long header = fill(6, 0);
        capacity = 0;
        for (int place = 0; place < PLACES; place++) { // there is nothing to be moved
            long pair = BUFFER + buffer.pairOffset(place);
            queuePair.writeWord(
                    pair + OldVersionBuffer.FROM_OFFSET, RecordHeader.moved(version(6 + place)));
        }
        chain(5, 4, 0);
        move(header, false);
        assertThat(freed).isEmpty();
        move(header, true);
        assertThat(freed).containsExactly(RemoteAddress.of(0, OVERFLOW + (1 << 16) + 128));
        assertThat(mover.cut()).isOne();
        assertUnlocked(header);
        chain(0, 0, 0);
        freed.clear();
        move(header, true);
        assertThat(freed).hasSize(3);
        assertThat(overflow()).isEqualTo(RemoteAddress.NULL);
        assertUnlocked(header);
    }

    /// One for the lock, one for the ring's headers, one for the payloads.
    @Test
    void theRecordIsLockedForThreeRoundTripsHoweverManyVersionsAreMoved() {
        long header = fill(2, 0);
        move(header, false);
        assertThat(mover.moved()).isEqualTo(2);
        assertThat(queuePair.take()).containsExactly(3L);
    }

    @Test
    void aRecordWithNothingToMoveIsLockedForTwoRoundTrips() {
        long header = fill(2, 0);
        move(header, false);
        queuePair.take();
        move(header, false);
        assertThat(queuePair.take()).containsExactly(2L);
    }

    /// And one for the pointer to them. The first that no snapshot needs ends the search.
    @Test
    void theEndOfTheOverflowChainIsLookedForInTwoRoundTripsForEachVersion() {
        long header = fill(6, 0);
        move(header, false);
        assertThat(overflowVersions()).hasSize(2);
        for (int versions = 0; versions < 5; versions++) {
            chain(LongStream.range(0, versions).map(i -> 5 - i).toArray());
            queuePair.take();
            move(header, true);
            assertThat(queuePair.take())
                    .as(versions + " versions")
                    .containsExactly(3L + 2L * versions);
        }
        chain(5, 0, 0, 0);
        queuePair.take();
        move(header, true);
        assertThat(queuePair.take()).containsExactly(3L + 2 + 1);
    }
}
