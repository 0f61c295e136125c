package org.namdb.timestamp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// Every word and every area is read back as it was written.
class LayoutTest {
    private final Random random = new Random(Seeds.next());

    @Test
    void aCommitTimestampHoldsSlotAndTimestamp() {
        for (int run = 0; run < 1_000; run++) {
            int slot = random.nextInt(CommitTimestamp.MAX_SLOTS);
            long timestamp = random.nextLong(CommitTimestamp.MAX_TIMESTAMP + 1);
            long word = CommitTimestamp.of(slot, timestamp);
            assertThat(word & 7).isZero();
            long flagged = word | random.nextInt(8);
            assertThat(CommitTimestamp.slot(flagged)).isEqualTo(slot);
            assertThat(CommitTimestamp.timestamp(flagged)).isEqualTo(timestamp);
        }
        assertThat(CommitTimestamp.of(1, 1)).isEqualTo(1L << 50 | 1 << 3);
        // The highest bit of the timestamp is never set: entries under claim have it.
        assertThat(CommitTimestamp.of(CommitTimestamp.MAX_SLOTS - 1, CommitTimestamp.MAX_TIMESTAMP))
                .isEqualTo(-1L & ~7L & ~(1L << 49));
        assertThat(CommitTimestamp.describe(CommitTimestamp.of(3, 57) | 5)).isEqualTo("3@57");
    }

    @Test
    void aChainHeadHoldsSequenceSlotAndBuffer() {
        for (int run = 0; run < 1_000; run++) {
            long sequence = random.nextLong(ChainHead.MAX_SEQUENCE + 1);
            int slot = random.nextInt(CommitTimestamp.MAX_SLOTS);
            int buffer = random.nextInt(2);
            long head = ChainHead.of(sequence, slot, buffer);
            assertThat(ChainHead.sequence(head)).isEqualTo(sequence);
            assertThat(ChainHead.slot(head)).isEqualTo(slot);
            assertThat(ChainHead.buffer(head)).isEqualTo(buffer);
        }
        assertThat(ChainHead.of(0, 0, 0)).isZero();
        assertThat(ChainHead.MAX_SEQUENCE).isGreaterThan(1L << 48);
    }

    @Test
    void aGuardHoldsSequenceAndLength() {
        for (int run = 0; run < 1_000; run++) {
            long sequence = random.nextLong(ChainHead.MAX_SEQUENCE);
            int length = random.nextInt(CommitTimestamp.MAX_SLOTS + 1);
            long guard = ChainBuffer.guard(sequence, length);
            assertThat(ChainBuffer.sequence(guard)).isEqualTo(sequence);
            assertThat(ChainBuffer.length(guard)).isEqualTo(length);
            assertThat(guard).isNotEqualTo(ChainBuffer.UNDER_WRITE);
        }
        assertThat(ChainBuffer.guard(0, 0)).isZero();
    }

    @Test
    void anAnnouncementHoldsSequenceAndCounter() {
        for (int run = 0; run < 1_000; run++) {
            long sequence = random.nextLong(ChainHead.MAX_SEQUENCE + 1);
            int counter = random.nextInt(1, 1 << 15);
            long announcement = Announcement.of(sequence, counter);
            assertThat(Announcement.sequence(announcement)).isEqualTo(sequence);
            assertThat(Announcement.counter(announcement)).isEqualTo(counter);
            assertThat(announcement).isNotEqualTo(Announcement.IDLE);
        }
    }

    @Test
    void areasDoNotOverlapAndFillWhatIsAskedFor() {
        for (int slots : new int[] {1, 2, 7, 8, 9, 64, 257}) {
            long base = RemoteAddress.of(5, 128);
            TimestampVectorLayout layout = new TimestampVectorLayout(base, slots);
            TreeMap<Long, Long> areas = new TreeMap<>();
            areas.put(base, 16L);
            areas.put(layout.chain(), 8L);
            areas.put(layout.schemaEpoch(), 8L);
            areas.put(layout.recovery(), 8L);
            areas.put(layout.watermark(), 8L);
            areas.put(layout.slotsInUse(), 8L);
            for (int slot = 0; slot < slots; slot++) {
                areas.put(layout.slot(slot), 8L);
                areas.put(layout.owner(slot), 8L);
                areas.put(layout.reservation(slot), 8L);
                areas.put(layout.announcement(slot), 64L);
                areas.put(layout.chainBuffer(slot, 0), (long) ChainBuffer.bytes(slots));
                areas.put(layout.chainBuffer(slot, 1), (long) ChainBuffer.bytes(slots));
            }
            assertThat(areas).hasSize(6 + 6 * slots);
            long end = base;
            for (var area : areas.entrySet()) {
                assertThat(area.getKey()).isGreaterThanOrEqualTo(end);
                end = area.getKey() + area.getValue();
            }
            assertThat(base + TimestampVectorLayout.bytes(slots)).isBetween(end, end + 63);
            assertThat(layout.slot(0)).isEqualTo(layout.slotsInUse() + 8);
            assertThat(layout.describe(layout.chain())).isEqualTo("chain head");
            assertThat(layout.describe(layout.schemaEpoch())).isEqualTo("schema epoch");
            assertThat(layout.describe(layout.recovery())).isEqualTo("recovery flag");
        }
    }

    @Test
    void aPartitionedVectorHasEverySlotOnOneServer() {
        for (int slots : new int[] {1, 2, 7, 8, 257}) {
            for (int servers : new int[] {1, 2, 3, 8}) {
                long base = RemoteAddress.of(5, 4096);
                TimestampVectorLayout layout = new TimestampVectorLayout(base, slots, servers);
                int counted = 0;
                for (int part = 0; part < servers; part++) {
                    counted += layout.count(part, slots);
                    assertThat(layout.count(part, 0)).isZero();
                }
                assertThat(counted).isEqualTo(slots);
                for (int slot = 0; slot < slots; slot++) {
                    long address = layout.slot(slot);
                    int part = slot % servers;
                    assertThat(RemoteAddress.server(address)).isEqualTo(5 + part);
                    assertThat(layout.describe(address)).isEqualTo("V[" + slot + "]");
                    assertThat(address)
                            .isEqualTo(layout.firstOf(part) + 8L * layout.count(part, slot));
                    if (part > 0) {
                        long end = RemoteAddress.of(5 + part, 4096) + layout.bytesOn(5 + part);
                        assertThat(address + 8).isLessThanOrEqualTo(end);
                        assertThat(layout.describe(end)).isEmpty();
                    }
                }
                assertThat(layout.bytesOn(5)).isEqualTo(TimestampVectorLayout.bytes(slots));
                assertThat(layout.bytesOn(4)).isZero();
                assertThat(layout.bytesOn(5 + servers)).isZero();
            }
        }
    }

    @Test
    void theLargestVectorTakesBytesAsItsDocumentationSays() {
        assertThat(TimestampVectorLayout.bytes(1_024)).isBetween(16_900_000L, 17_000_000L);
        assertThat(TimestampVectorLayout.bytes(CommitTimestamp.MAX_SLOTS))
                .isBetween(4_290_000_000L, 4_300_000_000L);
    }

    @Test
    void aFormattedVectorIsFoundWithItsSize() {
        try (VectorFixture fixture = VectorFixture.landing(300);
                QueuePair queuePair = fixture.connect()) {
            TimestampVectorLayout layout = fixture.layout;
            assertThat(TimestampVectorLayout.open(queuePair, layout.address())).isEqualTo(layout);
            assertThatIllegalStateException()
                    .isThrownBy(() -> TimestampVectorLayout.open(queuePair, layout.address() + 64))
                    .withMessage("there is no timestamp vector at 3:0x1040");
        }
    }

    @Test
    void formattingForgetsWhatWasThere() {
        try (VectorFixture fixture = VectorFixture.inPlace(4);
                QueuePair queuePair = fixture.connect()) {
            for (TimestampSlot slot : fixture.slots(4)) {
                VectorFixture.commit(slot);
                new SnapshotChain(slot).acquire(new Snapshot());
            }
            fixture.layout.format(queuePair);
            TimestampSlot slot = fixture.slot();
            assertThat(slot.number()).isZero();
            Snapshot snapshot = new Snapshot();
            new SnapshotChain(slot).acquire(snapshot);
            assertThat(snapshot.toArray()).isEmpty();
            assertThat(snapshot.sequence()).isZero();
            assertThat(VectorFixture.commit(slot)).isEqualTo(1);
        }
    }

    @Test
    void badSizesAndAddressesAreRefused() {
        long address = RemoteAddress.of(0, 64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimestampVectorLayout(address, 0))
                .withMessage("a timestamp vector has 1 to 16384 slots, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimestampVectorLayout(address, 16_385));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimestampVectorLayout(address + 8, 1))
                .withMessage("a timestamp vector starts at a multiple of 64, not at 0:0x48");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimestampVectorLayout(RemoteAddress.NULL, 1));
        for (int servers : new int[] {0, RemoteAddress.MAX_SERVERS}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> new TimestampVectorLayout(RemoteAddress.of(1, 0), 1, servers));
        }
    }

    /// A compute server that waits for a vector reads it while it is made.
    @Test
    void aVectorThatIsJustMadeIsFoundWholeOrNotAtAll() {
        long seed = Seeds.next();
        for (int run = 0; run < 50; run++) {
            try (VectorFixture fixture = VectorFixture.landing(4);
                    QueuePair own = fixture.connect();
                    SteppedQueuePair queuePair = new SteppedQueuePair(fixture.connect())) {
                TimestampVectorLayout layout = fixture.layout;
                for (int offset = 0; offset < 64; offset += 8) {
                    own.writeWord(layout.address() + offset, 0);
                }
                own.await();
                queuePair.wordsInAnyOrder(new Random(seed + run));
                queuePair.before(layout.address(), () -> layout.format(own));
                assertThat(TimestampVectorLayout.open(queuePair, layout.address()))
                        .as("-Dnamdb.seed=%d", seed + run)
                        .isEqualTo(layout);
            }
        }
    }
}
