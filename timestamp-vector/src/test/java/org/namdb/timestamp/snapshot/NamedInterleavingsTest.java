package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.ChainBuffer;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SharedSlot;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.VectorFixture;

/// The interleavings that `docs/testing.md` lists by name, each as a story: what goes wrong without
/// the cure, and that it does not with it. A and B, or C, have slots 0 and 1; R reads.
class NamedInterleavingsTest {
    private final VectorFixture fixture = VectorFixture.landing(4);
    private final TimestampVectorLayout layout = fixture.layout;
    private final TimestampSlot a = fixture.slot();
    private final TimestampSlot b = fixture.slot();
    private final SteppedQueuePair readersQueuePair = new SteppedQueuePair(fixture.connect());
    private final TimestampSlot reader = fixture.slot(readersQueuePair);
    private final Snapshot readers = new Snapshot();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void tornVectorByDirectRead() {
        tornVector(new DirectRead(reader));
        assertThat(readers.sees(CommitTimestamp.of(1, 1))).isTrue();
        assertThat(readers.sees(CommitTimestamp.of(0, 1))).isFalse(); // though B has seen it
    }

    @Test
    void tornVectorByChain() {
        tornVector(new SnapshotChain(reader));
        assertThat(readers.sees(CommitTimestamp.of(1, 1))).isTrue();
        assertThat(readers.sees(CommitTimestamp.of(0, 1))).isTrue();
    }

    /// R reads `V[0]`; A publishes; B begins, sees A, publishes `V[1]`; R reads `V[1]`.
    private void tornVector(SnapshotOracle oracle) {
        readersQueuePair.before(
                layout.slot(1),
                () -> {
                    VectorFixture.commit(a);
                    Snapshot bs = new Snapshot();
                    new SnapshotChain(b).acquire(bs);
                    assertThat(bs.sees(CommitTimestamp.of(0, 1))).isTrue();
                    VectorFixture.commit(b);
                });
        oracle.acquire(readers);
    }

    @Test
    void longForkByDirectRead() {
        Snapshot first = new Snapshot();
        longFork(new DirectRead(reader), new DirectRead(fixture.slot()), first);
        assertThat(first).hasToString("S0[1, 0, 0, 0]");
        assertThat(readers).hasToString("S0[0, 1, 0, 0]");
        assertThat(readers.isComparable(first)).isFalse();
    }

    @Test
    void longForkByChain() {
        Snapshot first = new Snapshot();
        longFork(new SnapshotChain(reader), new SnapshotChain(fixture.slot()), first);
        assertThat(readers.isComparable(first)).isTrue();
        assertThat(readers.dominates(first)).isTrue();
    }

    /// R reads `V[0]`; A publishes `V[0]`; R1 reads `V[0]`, `V[1]`; C publishes `V[1]`; R reads
    /// `V[1]`.
    private void longFork(SnapshotOracle oracle, SnapshotOracle othersOracle, Snapshot others) {
        readersQueuePair.before(
                layout.slot(1),
                () -> {
                    VectorFixture.commit(a);
                    othersOracle.acquire(others);
                    VectorFixture.commit(b);
                });
        oracle.acquire(readers);
    }

    /// A and C take S_0, commit, and raise their own slots on top of it to see that: a long fork.
    /// The chain's snapshot with the own commit has both commits, or comes before the other's.
    @Test
    void ownSlotShortcut() {
        SnapshotChain as = new SnapshotChain(a, Long.MAX_VALUE, () -> 0);
        SnapshotChain bs = new SnapshotChain(b, Long.MAX_VALUE, () -> 0);
        Snapshot one = new Snapshot();
        Snapshot other = new Snapshot();
        as.acquire(one);
        bs.acquire(other);
        assertThat(one.toArray()).isEqualTo(other.toArray());
        VectorFixture.commit(a);
        VectorFixture.commit(b);
        as.acquire(one);
        bs.acquire(other);
        assertThat(one.sees(CommitTimestamp.of(0, 1))).isTrue();
        assertThat(other.sees(CommitTimestamp.of(1, 1))).isTrue();
        assertThat(one.isComparable(other)).isTrue();
    }

    /// R reads the head; A refreshes twice, so that the buffer holds a later member; R reads the
    /// buffer.
    @Test
    void chainBuffer() {
        SnapshotChain as = new SnapshotChain(a);
        SnapshotChain rs = new SnapshotChain(reader);
        VectorFixture.commit(a);
        as.acquire(new Snapshot());
        long head = fixture.word(layout.chain());
        long buffer = layout.chainBuffer(0, ChainHead.buffer(head));

        // A is in the middle of reusing it when R has read one word of two.
        readersQueuePair.before(
                buffer + ChainBuffer.VECTOR_OFFSET + 8,
                () -> {
                    VectorFixture.commit(a);
                    VectorFixture.commit(b);
                    as.acquire(new Snapshot());
                    VectorFixture.commit(a);
                    as.acquire(new Snapshot());
                });
        long view = readersQueuePair.read(buffer, ChainBuffer.bytes(2));
        readersQueuePair.await();
        // Without a check of the guard: S_1's slot 0 and S_3's slot 1, a vector that never was.
        assertThat(LocalMemory.longAt(view + ChainBuffer.VECTOR_OFFSET)).isEqualTo(1);
        assertThat(LocalMemory.longAt(view + ChainBuffer.VECTOR_OFFSET + 8)).isEqualTo(1);

        head = fixture.word(layout.chain());
        buffer = layout.chainBuffer(0, ChainHead.buffer(head));
        readersQueuePair.before(
                buffer + ChainBuffer.VECTOR_OFFSET + 8,
                () -> {
                    VectorFixture.commit(a);
                    VectorFixture.commit(b);
                    as.acquire(new Snapshot());
                    VectorFixture.commit(a);
                    as.acquire(new Snapshot());
                });
        rs.acquire(readers);
        assertThat(readers).hasToString("S5[5, 2, 0]");
    }

    /// 6 is installed while 5 is not yet: neither is seen, then both.
    @Test
    void sharedSlot() {
        SharedSlot shared = new SharedSlot(fixture.slot(), 8);
        QueuePair five = fixture.connect();
        QueuePair six = fixture.connect();
        long t5 = shared.next();
        long t6 = shared.next();
        SnapshotChain chain = new SnapshotChain(reader);

        shared.complete(t6, six);
        assertThat(shared.isPublished(t6)).isFalse();
        chain.acquire(readers);
        assertThat(readers.sees(t5) || readers.sees(t6)).isFalse();

        shared.complete(t5, five);
        assertThat(shared.isPublished(t6)).isTrue();
        chain.acquire(readers);
        assertThat(readers.sees(t5) && readers.sees(t6)).isTrue();
    }

    /// R reads the head, announces it, and loses it in between: what an oracle that chooses first
    /// would do.
    @Test
    void watermarkPassesASnapshotThatWasChosenBeforeItWasAnnounced() {
        LowWatermark watermark = watermark();
        SnapshotChain chain = new SnapshotChain(reader);
        chain.refresh(readers);
        raiseWatermark(watermark);
        reader.announcement().announce(readers.sequence());
        assertThat(hasPassed()).isTrue();
    }

    @Test
    void watermarkWaitsForASnapshotThatWasAnnouncedFirst() {
        LowWatermark watermark = watermark();
        SnapshotChain chain = new SnapshotChain(reader);
        // In the middle of the collection: announced, and the head has been read.
        readersQueuePair.before(layout.slot(1), () -> raiseWatermark(watermark));
        chain.acquire(readers);
        assertThat(hasPassed()).isFalse();
        raiseWatermark(watermark);
        assertThat(hasPassed()).isFalse();
        chain.release();
        readersQueuePair.await();
        raiseWatermark(watermark);
        assertThat(hasPassed()).isTrue();
    }

    /// The observer has read R's slot before R announces: R gets the candidate or a later member.
    @Test
    void watermarkDoesNotPassASnapshotChosenAfterTheObservation() {
        LowWatermark watermark = watermark();
        SnapshotChain chain = new SnapshotChain(reader);
        readersQueuePair.before(layout.announcement(2), () -> raiseWatermark(watermark));
        chain.acquire(readers);
        assertThat(watermark.snapshot().sequence()).isPositive();
        assertThat(hasPassed()).isFalse();
    }

    private LowWatermark watermark() {
        return new LowWatermark(layout, fixture.connect(), 1_000, () -> 0);
    }

    /// A commits and appends to the chain; the observer does what it can.
    private void raiseWatermark(LowWatermark watermark) {
        VectorFixture.commit(a);
        new SnapshotChain(a).refresh(new Snapshot());
        for (int step = 0; step < 3; step++) {
            watermark.observe();
        }
    }

    private boolean hasPassed() {
        return fixture.word(layout.watermark()) > readers.sequence();
    }
}
