package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.VectorFixture;

class LowWatermarkTest {
    private static final long E = 1_000;

    private final VectorFixture fixture = VectorFixture.landing(4);
    private final AtomicLong clock = new AtomicLong();
    private final TimestampSlot writer = fixture.slot();
    private final SnapshotChain writersChain = new SnapshotChain(writer);
    private final TimestampSlot reader = fixture.slot();
    private final SnapshotChain readersChain = new SnapshotChain(reader);
    private final SteppedQueuePair observersQueuePair = new SteppedQueuePair(fixture.connect());
    private final LowWatermark observer = observer(observersQueuePair);
    private final Snapshot snapshot = new Snapshot();

    @AfterEach
    void close() {
        fixture.close();
    }

    private LowWatermark observer(QueuePair queuePair) {
        return new LowWatermark(fixture.layout, queuePair, E, clock::get);
    }

    /// A new member of the chain.
    private void append() {
        VectorFixture.commit(writer);
        writersChain.refresh(new Snapshot());
    }

    @Test
    void atFirstItSeesNothing() {
        assertThat(observer.observe()).isFalse();
        assertThat(observer.snapshot()).hasToString("S0[]");
    }

    @Test
    void itFollowsTheHeadWhileNoTransactionRuns() {
        append();
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot()).hasToString("S1[1, 0]");
        assertThat(observer.observe()).isFalse();
        append();
        append();
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot()).hasToString("S3[3, 0]");
    }

    @Test
    void itWaitsForTheTransactionsThatMayUseAnOlderMember() {
        append();
        readersChain.acquire(snapshot);
        append();
        assertThat(observer.observe()).isFalse();
        readersChain.release();
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot().sequence()).isEqualTo(2);
    }

    @Test
    void aSlotWithoutReleaseGoesOnWithItsNextTransaction() {
        append();
        readersChain.acquire(snapshot);
        assertThat(observer.observe()).isFalse(); // 0 was announced, 1 chosen
        readersChain.acquire(snapshot);
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot().sequence()).isEqualTo(1);
    }

    /// The row *E passed*.
    @Test
    void aTransactionThatIsOlderThanEIsPassedAndFindsOut() {
        readersChain.acquire(snapshot);
        append();
        assertThat(observer.observe()).isFalse();
        clock.addAndGet(E);
        assertThat(observer.observe()).isFalse();
        assertThat(hasPassed()).isFalse();
        clock.addAndGet(1);
        assertThat(observer.observe()).isTrue();
        assertThat(hasPassed()).isTrue();
        readersChain.acquire(snapshot);
        assertThat(hasPassed()).isFalse();
    }

    /// A transaction checks the low watermark when it is older than E / 2 by its own clock. The
    /// clocks' zeros don't matter, only that the observer's does not run twice as fast.
    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.5, 1, 1.5, 2})
    void aReaderYoungerThanHalfOfEByItsOwnClockIsNotPassed(double rate) {
        assertThat(isPassedWithinHalfOfE(rate)).isFalse();
    }

    @Test
    void anObserversClockOfMoreThanTwiceTheRateIsNotBorne() {
        assertThat(isPassedWithinHalfOfE(2.1)).isTrue();
    }

    /// @param rate how fast the observer's clock runs by the reader's
    private boolean isPassedWithinHalfOfE(double rate) {
        long zero = Long.MAX_VALUE - 10;
        clock.set(zero);
        readersChain.acquire(snapshot);
        append();
        for (long age = 0; age < E / 2; age++) {
            clock.set(zero + (long) (rate * age));
            observer.observe();
            if (hasPassed()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void oneDeadThreadBlocksNoLaterCandidate() {
        readersChain.acquire(snapshot);
        append();
        observer.observe();
        clock.addAndGet(E + 1);
        for (int n = 0; n < 3; n++) {
            assertThat(observer.observe()).isTrue();
            append();
        }
    }

    @Test
    void manyShortTransactionsAreNotOneLongOne() {
        append();
        // Reads from the same member all the time, which a stale oracle may.
        SnapshotChain stale = new SnapshotChain(reader, Long.MAX_VALUE, () -> 0);
        stale.acquire(snapshot);
        append();
        for (int n = 0; n < 10; n++) {
            assertThat(observer.observe()).isFalse();
            clock.addAndGet(E);
            stale.acquire(snapshot);
            reader.queuePair().await();
            assertThat(snapshot.sequence()).isEqualTo(1);
        }
        assertThat(hasPassed()).isFalse();
    }

    @Test
    void anAnnouncementIsNeverTakenForOlderThanItIs() {
        // The observer is descheduled between reading the clock and reading the announcement.
        append();
        observersQueuePair.before(
                fixture.layout.announcement(1),
                () -> {
                    clock.addAndGet(10 * E);
                    reader.announcement().announce(0);
                    reader.queuePair().await();
                });
        assertThat(observer.observe()).isFalse();
        clock.addAndGet(E);
        assertThat(observer.observe()).isFalse();
        clock.addAndGet(1);
        assertThat(observer.observe()).isTrue();
    }

    @Test
    void anObservationThatFailsHalfwayIsIgnored() {
        append();
        readersChain.acquire(snapshot);
        append();
        observersQueuePair.before(
                fixture.layout.announcement(1),
                () -> {
                    throw new FabricException(FabricException.Kind.PEER_GONE, "gone");
                });
        assertThatExceptionOfType(FabricException.class).isThrownBy(observer::observe);
        assertThat(observer.observe()).isFalse();
        assertThat(hasPassed()).isFalse();
        readersChain.release();
        assertThat(observer.observe()).isTrue();
    }

    @Test
    void allObserversShareARaisedWatermark() {
        LowWatermark other = observer(fixture.connect());
        readersChain.acquire(snapshot);
        append();
        assertThat(observer.observe()).isFalse();
        readersChain.release();
        assertThat(other.observe()).isTrue();
        readersChain.acquire(snapshot);
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot().toArray()).isEqualTo(other.snapshot().toArray());
    }

    @Test
    void theLowWatermarkNeverFalls() {
        LowWatermark other = observer(fixture.connect());
        append();
        // A later candidate wins while this observer is about to raise to its own.
        observersQueuePair.before(
                fixture.layout.announcement(1),
                () -> {
                    append();
                    assertThat(other.observe()).isTrue();
                });
        assertThat(observer.observe()).isTrue();
        assertThat(observer.snapshot().sequence()).isEqualTo(1);
        assertThat(fixture.word(fixture.layout.watermark())).isEqualTo(2);
    }

    @Test
    void aSlotThatComesIntoUseLaterIsNotPassed() {
        append();
        AtomicInteger late = new AtomicInteger();
        observersQueuePair.before(
                fixture.layout.announcement(0),
                () -> {
                    TimestampSlot third = fixture.slot();
                    late.set(third.number());
                    new SnapshotChain(third).acquire(snapshot);
                });
        assertThat(observer.observe()).isTrue();
        assertThat(late.get()).isEqualTo(2);
        assertThat(hasPassed()).isFalse();
    }

    /// A slot is taken after the observer has read how many there are, and its transaction uses an
    /// older member than the observer's last one did.
    @Test
    void aSlotThatWasTakenBeforeTheThreadsMemberIsNotPassed() {
        append();
        assertThat(observer.observe()).isTrue();
        SnapshotChain third = new SnapshotChain(fixture.slot());
        third.acquire(snapshot);
        append();
        Snapshot used = ofWriter();
        assertThat(used.sequence()).isEqualTo(2);
        assertThat(observer.observe(used)).isFalse();
        assertThat(hasPassed()).isFalse();
        third.release();
        assertThat(observer.observe(used)).isTrue();
        assertThat(observer.snapshot().sequence()).isEqualTo(2);
    }

    @Test
    void aMemberThatTheThreadHasCostsNoReadOfIt() {
        append();
        assertThat(observer.observe()).isTrue();
        append();
        Snapshot used = ofWriter();
        append();
        long roundTrips = observersQueuePair.counters().roundTrips();
        assertThat(observer.observe(used)).isTrue();
        assertThat(observersQueuePair.counters().roundTrips() - roundTrips).isEqualTo(2);
        assertThat(observer.snapshot().toArray()).isEqualTo(used.toArray());
        assertThat(observer.observe(used)).isTrue(); // to the head
        assertThat(observer.snapshot().sequence()).isEqualTo(3);
        assertThat(observer.observe(used)).isFalse();
    }

    /// The snapshot of a transaction of the writer, which has ended.
    private Snapshot ofWriter() {
        Snapshot used = new Snapshot();
        writersChain.acquire(used);
        writersChain.release();
        writer.queuePair().await();
        return used;
    }

    /// The READ of `V[1]` comes before the announcement, which goes to another server; in between
    /// slot 1 publishes, and the low watermark rises over that.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itPassesNoSlotThatIsReadBeforeTheHead(boolean isDirect) {
        try (VectorFixture parts = VectorFixture.landing(4, 2)) {
            LowWatermark ofParts = new LowWatermark(parts.layout, parts.connect(), E, clock::get);
            SteppedQueuePair queuePair = new SteppedQueuePair(parts.connect());
            TimestampSlot own = parts.slot(queuePair);
            TimestampSlot publisher = parts.slot();
            SnapshotOracle oracle = isDirect ? new DirectRead(own) : new SnapshotChain(own);
            oracle.acquire(snapshot);
            oracle.release();
            queuePair.await();
            queuePair.serversInAnyOrder(new LastFirst());
            queuePair.before(
                    parts.layout.announcement(0),
                    () -> {
                        VectorFixture.commit(publisher);
                        new SnapshotChain(publisher).refresh(new Snapshot());
                        assertThat(ofParts.observe()).isTrue();
                    });
            oracle.acquire(snapshot);
            assertThat(ofParts.snapshot().sequence()).isEqualTo(1);
            assertThat(snapshot.dominates(ofParts.snapshot())).isTrue();
        }
    }

    /// All of the last server's turns, and then one by one.
    private static final class LastFirst extends Random {
        private static final long serialVersionUID = 1L;

        private int turns;

        @Override
        public int nextInt(int bound) {
            return turns++ < 4 ? bound - 1 : turns % bound;
        }
    }

    @Test
    void anObservationCostsOneToFourRoundTrips() {
        append();
        long roundTrips = observersQueuePair.counters().roundTrips();
        assertThat(observer.observe()).isTrue();
        // Head; member; low watermark and announcements; CAS.
        assertThat(observersQueuePair.counters().roundTrips() - roundTrips).isEqualTo(4);
        roundTrips = observersQueuePair.counters().roundTrips();
        assertThat(observer.observe()).isFalse();
        assertThat(observersQueuePair.counters().roundTrips() - roundTrips).isEqualTo(1);
    }

    private boolean hasPassed() {
        QueuePair queuePair = reader.queuePair();
        LowWatermark readers = observer(queuePair);
        long view = readers.post();
        queuePair.await();
        return LowWatermark.hasPassed(view, snapshot);
    }
}
