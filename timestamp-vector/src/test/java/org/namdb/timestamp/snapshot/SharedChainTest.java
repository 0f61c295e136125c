package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.VectorFixture;

class SharedChainTest {
    private static final long E = 800;

    private final VectorFixture fixture = VectorFixture.landing(3);
    private final SteppedQueuePair queuePair = new SteppedQueuePair(fixture.connect());
    private final TimestampSlot slot = fixture.slot(queuePair);
    private final TimestampSlot other = fixture.slot();
    private final SnapshotChain othersChain = new SnapshotChain(other);
    private final LowWatermark watermark =
            new LowWatermark(fixture.layout, fixture.connect(), E, this::now);
    private final HookedLatch latch = new HookedLatch();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - E);
    private final SharedChain chain = new SharedChain(slot, E, clock::get, latch);
    private final Snapshot snapshot = new Snapshot();

    @AfterEach
    void close() {
        fixture.close();
    }

    /// Runs an action once, before it is taken.
    private static final class HookedLatch extends ReentrantLock {
        private static final long serialVersionUID = 1L;

        private transient Runnable before = () -> {};

        @Override
        public void lock() {
            Runnable action = before;
            before = () -> {};
            action.run();
            super.lock();
        }
    }

    /// A new member of the chain.
    private void append() {
        VectorFixture.commit(other);
        othersChain.refresh(new Snapshot());
    }

    private long now() {
        return clock.get();
    }

    private long raisedWatermark() {
        queuePair.await();
        watermark.observe();
        watermark.observe();
        return fixture.word(fixture.layout.watermark());
    }

    @Test
    void everySessionSeesWhatWasPublishedBeforeItBegan() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        VectorFixture.commit(other);
        one.acquire(snapshot);
        assertThat(snapshot).hasToString("S1[0, 1]");
        VectorFixture.commit(other);
        two.acquire(snapshot);
        assertThat(snapshot).hasToString("S2[0, 2]");
    }

    @Test
    void aRefreshServesAllThatBeganBeforeIt() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        VectorFixture.commit(other);
        latch.before = () -> one.acquire(new Snapshot());
        long[] roundTrips = new long[1];
        two.acquire(snapshot);
        assertThat(snapshot).hasToString("S1[0, 1]");
        roundTrips[0] = queuePair.counters().roundTrips();
        latch.before =
                () -> {
                    one.acquire(new Snapshot());
                    roundTrips[0] = queuePair.counters().roundTrips();
                };
        two.acquire(snapshot);
        assertThat(queuePair.counters().roundTrips()).isEqualTo(roundTrips[0]);
    }

    @Test
    void aRefreshIsNotUsedOnceItsSnapshotIsNotAnnounced() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        latch.before =
                () -> {
                    one.acquire(new Snapshot());
                    one.release();
                    append();
                    assertThat(raisedWatermark()).isEqualTo(1);
                };
        two.acquire(snapshot);
        assertThat(snapshot.sequence()).isEqualTo(2); // after the other's
    }

    @Test
    void theAnnouncementFollowsTheOldestTransaction() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        SnapshotOracle three = chain.session();
        append(); // S1
        one.acquire(snapshot); // S2, with 0 announced
        append();
        two.acquire(snapshot); // S4
        append();
        three.acquire(snapshot); // S6
        assertThat(snapshot.sequence()).isEqualTo(6);
        assertThat(raisedWatermark()).isZero();
        one.release();
        append();
        assertThat(raisedWatermark()).isLessThanOrEqualTo(4);
        two.acquire(snapshot); // S8
        assertThat(raisedWatermark()).isLessThanOrEqualTo(6);
        three.release();
        two.release();
        append();
        assertThat(raisedWatermark()).isEqualTo(9);
    }

    @Test
    void overlappingTransactionsDoNotHoldBackTheLowWatermark() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        for (int n = 0; n < 10; n++) {
            append();
            one.acquire(snapshot);
            append();
            two.acquire(snapshot);
            raisedWatermark();
        }
        assertThat(raisedWatermark()).isGreaterThan(10);
    }

    @Test
    void aFailedRefreshIsNotUsed() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        VectorFixture.commit(other);
        latch.before =
                () -> {
                    queuePair.before(
                            fixture.layout.chain(),
                            () -> {
                                throw new FabricException(FabricException.Kind.PEER_GONE, "gone");
                            });
                    assertThatExceptionOfType(FabricException.class)
                            .isThrownBy(() -> one.acquire(new Snapshot()));
                };
        two.acquire(snapshot);
        assertThat(snapshot).hasToString("S1[0, 1]");
    }

    /// A transaction of the older generation stays open. One that begins while it is open, at any
    /// time, is not passed before it checks for itself, at half of E.
    @Test
    void aBeginBesideAnOldTransactionIsNotPassedWhileItIsYoung() {
        for (long later = 0; later <= 3 * E; later += E / 16) {
            SnapshotOracle old = chain.session();
            SnapshotOracle young = chain.session();
            append();
            old.acquire(new Snapshot());
            append();
            raisedWatermark();
            clock.addAndGet(later);
            young.acquire(snapshot);
            append();
            for (long age = 0; age < E / 2; age += E / 16) {
                assertThat(raisedWatermark())
                        .as("%d after the first one, aged %d", later, age)
                        .isLessThanOrEqualTo(snapshot.sequence());
                clock.addAndGet(E / 16);
            }
            young.release();
            old.release();
            assertThat(raisedWatermark()).isGreaterThan(snapshot.sequence());
        }
    }

    /// However many others begin meanwhile.
    @Test
    void aTransactionIsNotPassedBeforeEAndHoldsNothingBackForLongAfterIt() {
        SnapshotOracle old = chain.session();
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        append();
        old.acquire(snapshot);
        for (long age = 0; age < E; age += E / 16) {
            append();
            one.acquire(new Snapshot());
            two.acquire(new Snapshot());
            assertThat(raisedWatermark()).isLessThanOrEqualTo(snapshot.sequence());
            clock.addAndGet(E / 16);
        }
        for (long age = E; age < 2 * E; age += E / 16) {
            append();
            one.acquire(new Snapshot());
            two.acquire(new Snapshot());
            raisedWatermark();
            clock.addAndGet(E / 16);
        }
        assertThat(raisedWatermark()).isGreaterThan(snapshot.sequence());
        old.release(); // it counts for nothing any more
        one.release();
        two.release();
        append();
        assertThat(raisedWatermark())
                .isEqualTo(ChainHead.sequence(fixture.word(fixture.layout.chain())));
    }

    @Test
    void aTransactionThatCouldNotBeginIsNotWaitedFor() {
        SnapshotOracle one = chain.session();
        SnapshotOracle two = chain.session();
        queuePair.before(
                fixture.layout.chain(),
                () -> {
                    throw new FabricException(FabricException.Kind.PEER_GONE, "gone");
                });
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> one.acquire(new Snapshot()));
        two.acquire(snapshot);
        append();
        two.acquire(snapshot);
        two.release();
        append();
        assertThat(raisedWatermark()).isGreaterThan(snapshot.sequence());
    }
}
