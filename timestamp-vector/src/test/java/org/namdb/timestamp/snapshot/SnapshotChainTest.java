package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbCounters;
import org.namdb.timestamp.ChainBuffer;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.VectorFixture;

class SnapshotChainTest {
    private final VectorFixture fixture = VectorFixture.landing(4);
    private final SteppedQueuePair queuePair = new SteppedQueuePair(fixture.connect());
    private final TimestampSlot slot = fixture.slot(queuePair);
    private final SnapshotChain chain = new SnapshotChain(slot);
    private final Snapshot snapshot = new Snapshot();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void anEmptyVectorIsSeenAsMemberZero() {
        chain.acquire(snapshot);
        assertThat(snapshot.sequence()).isZero();
        assertThat(snapshot.sees(CommitTimestamp.of(0, 1))).isFalse();
    }

    @Test
    void everyPublishedCommitIsSeen() {
        TimestampSlot other = fixture.slot();
        VectorFixture.commit(slot);
        VectorFixture.commit(other);
        VectorFixture.commit(other);
        chain.acquire(snapshot);
        assertThat(snapshot).hasToString("S1[1, 2]");
        VectorFixture.commit(slot);
        chain.acquire(snapshot);
        assertThat(snapshot).hasToString("S2[2, 2]");
    }

    @Test
    void aBeginReturnsTheWordsBesideTheHead() {
        for (SnapshotOracle oracle :
                List.of(
                        chain,
                        new DirectRead(fixture.slot()),
                        new SharedChain(fixture.slot(), Long.MAX_VALUE, () -> 0).session())) {
            queuePair.writeWord(fixture.layout.schemaEpoch(), 17);
            queuePair.writeWord(fixture.layout.recovery(), 3);
            queuePair.await();
            oracle.acquire(snapshot);
            oracle.release();
            assertThat(oracle.schemaEpoch()).isEqualTo(17);
            assertThat(oracle.recovery()).isEqualTo(3);
            queuePair.writeWord(fixture.layout.schemaEpoch(), 18);
            queuePair.await();
            oracle.acquire(snapshot);
            oracle.release();
            assertThat(oracle.schemaEpoch()).isEqualTo(18);
        }
    }

    @Test
    void anExpiredSnapshotIsNotUsedAgain() {
        SnapshotChain stale = new SnapshotChain(slot, 1_000, () -> 0);
        TimestampSlot other = fixture.slot();
        stale.acquire(snapshot);
        VectorFixture.commit(other);
        stale.acquire(snapshot);
        assertThat(snapshot.sees(CommitTimestamp.of(1, 1))).isFalse();
        stale.expire();
        stale.acquire(snapshot);
        assertThat(snapshot.sees(CommitTimestamp.of(1, 1))).isTrue();
    }

    @Test
    void whatIsNotPublishedIsNotSeen() {
        long commitTimestamp = slot.next();
        chain.acquire(snapshot);
        assertThat(snapshot.sees(commitTimestamp)).isFalse();
    }

    @Test
    void aSnapshotDoesNotChangeWhenOthersCommit() {
        TimestampSlot other = fixture.slot();
        chain.acquire(snapshot);
        VectorFixture.commit(other);
        new SnapshotChain(other).acquire(new Snapshot());
        assertThat(snapshot.sees(CommitTimestamp.of(1, 1))).isFalse();
    }

    @Test
    void aSlotThatIsTakenLaterIsSeen() {
        chain.acquire(snapshot);
        for (int count = 1; count < 4; count++) {
            TimestampSlot other = fixture.slot();
            VectorFixture.commit(other);
            chain.acquire(snapshot);
            assertThat(snapshot.timestamp(other.number())).isEqualTo(1);
        }
        assertThat(snapshot).hasToString("S3[0, 1, 1, 1]");
    }

    /// The member is longer than the number in use that the reader had when it posted the READ.
    @Test
    void aMemberThatBecomesLongerBetweenTheReadsIsReadWhole() {
        queuePair.before(
                fixture.layout.chain(),
                () -> {
                    TimestampSlot other = fixture.slot();
                    VectorFixture.commit(other);
                    new SnapshotChain(other).acquire(new Snapshot());
                });
        chain.acquire(snapshot);
        assertThat(snapshot).hasToString("S1[0, 1]");
    }

    @Test
    void beginCostsOneOrTwoRoundTrips() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        VectorFixture.commit(slot);
        chain.acquire(snapshot);

        // Nothing new: announcement; head, slots.
        assertCost(1, "READ 2, WRITE 1, CAS 0");
        // Something new: buffer in three WRITEs, head.
        VectorFixture.commit(slot);
        assertCost(2, "READ 2, WRITE 4, CAS 1");
        // Another thread has appended: that member is not read.
        VectorFixture.commit(other);
        othersChain.acquire(new Snapshot());
        assertCost(2, "READ 2, WRITE 4, CAS 1");
        // Both.
        VectorFixture.commit(other);
        othersChain.acquire(new Snapshot());
        VectorFixture.commit(slot);
        assertCost(2, "READ 2, WRITE 4, CAS 1");
        // Another thread has appended what this thread has.
        othersChain.acquire(new Snapshot());
        chain.acquire(snapshot);
        assertCost(1, "READ 2, WRITE 1, CAS 0");
    }

    @Test
    void theCasIsAwaitedByTheCaller() {
        chain.acquire(snapshot);
        VectorFixture.commit(slot);
        long before = queuePair.counters().roundTrips();
        assertThat(chain.start(snapshot)).isFalse();
        assertThat(queuePair.counters().roundTrips() - before).isEqualTo(1);
        queuePair.await();
        assertThat(chain.settle(snapshot)).isTrue();
        assertThat(snapshot).hasToString("S1[1]");
        assertThat(queuePair.counters().roundTrips() - before).isEqualTo(2);
    }

    @Test
    void aFailedCasTakesOneMoreRoundTripIfTheHeadHasMovedTwice() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        othersChain.acquire(snapshot);
        VectorFixture.commit(slot);
        beforeCas(() -> {
            othersChain.acquire(new Snapshot());
            VectorFixture.commit(other);
            othersChain.acquire(new Snapshot());
        });
        assertThat(chain.start(snapshot)).isFalse();
        queuePair.await();
        assertThat(chain.settle(snapshot)).isFalse();
        long before = queuePair.counters().roundTrips();
        queuePair.await();
        assertThat(chain.settle(snapshot)).isTrue();
        assertThat(queuePair.counters().roundTrips() - before).isEqualTo(1);
        assertThat(snapshot).hasToString("S2[1, 1]");
    }

    /// Then what is read is read together with the member that is used instead, and once only.
    @Test
    void afterTwoFailuresTheCasIsAwaitedAlone() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        for (int lost = 0; lost < 2; lost++) {
            VectorFixture.commit(slot);
            beforeCas(() -> appendTwice(other, othersChain));
            assertThat(chain.start(snapshot)).isFalse();
            queuePair.await();
            assertThat(chain.settle(snapshot)).isFalse();
            queuePair.await();
            assertThat(chain.settle(snapshot)).isTrue();
        }
        VectorFixture.commit(slot);
        beforeCas(() -> appendTwice(other, othersChain));
        assertThat(chain.start(snapshot)).isFalse();
        queuePair.await();
        assertThat(chain.settle(snapshot)).isTrue();
        for (int won = 0; won < 2; won++) {
            VectorFixture.commit(slot);
            assertThat(chain.start(snapshot)).isTrue(); // no other thread has appended
        }
        VectorFixture.commit(slot);
        assertThat(chain.start(snapshot)).isFalse();
    }

    /// The buffer of the member that was to be used instead is overwritten before it is read.
    @Test
    void aMemberThatIsGoneIsNotUsed() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        VectorFixture.commit(slot);
        beforeCas(() -> appendTwice(other, othersChain));
        assertThat(chain.start(snapshot)).isFalse();
        queuePair.await();
        appendTwice(other, othersChain);
        assertThat(chain.settle(snapshot)).isFalse();
        queuePair.await();
        while (!chain.settle(snapshot)) {
            queuePair.await();
        }
        assertThat(snapshot).hasToString("S5[1, 4]");
    }

    private static void appendTwice(TimestampSlot other, SnapshotChain othersChain) {
        for (int count = 0; count < 2; count++) {
            VectorFixture.commit(other);
            othersChain.acquire(new Snapshot());
        }
    }

    /// A transaction ends before it has read the result of its CAS.
    @Test
    void aCasWhoseResultWasNotReadIsFoundByTheNextBegin() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        VectorFixture.commit(slot);
        assertThat(chain.start(snapshot)).isFalse();
        chain.release();
        queuePair.await();
        assertThat(chain.start(snapshot)).isTrue();
        assertThat(snapshot).hasToString("S1[1, 0]");

        VectorFixture.commit(slot);
        beforeCas(() -> appendTwice(other, othersChain));
        assertThat(chain.start(snapshot)).isFalse();
        chain.release();
        queuePair.await();
        chain.acquire(snapshot);
        assertThat(snapshot).hasToString("S4[2, 2]");
    }

    private void assertCost(int roundTrips, String verbs) {
        VerbCounters counters = queuePair.counters();
        long before = counters.roundTrips();
        long reads = counters.reads();
        long writes = counters.writes();
        long swaps = counters.compareAndSwaps();
        chain.acquire(snapshot);
        String cost =
                "READ %d, WRITE %d, CAS %d"
                        .formatted(
                                counters.reads() - reads,
                                counters.writes() - writes,
                                counters.compareAndSwaps() - swaps);
        assertThat(cost).isEqualTo(verbs);
        assertThat(counters.roundTrips() - before).isEqualTo(roundTrips);
    }

    @Test
    void aCasThatFailsOnceIsRetriedWithANewCollection() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        VectorFixture.commit(slot);
        beforeCas(() -> othersChain.acquire(new Snapshot()));
        long swaps = queuePair.counters().compareAndSwaps();
        chain.acquire(snapshot);
        // The other's collection was complete: nothing was left to append.
        assertThat(queuePair.counters().compareAndSwaps() - swaps).isEqualTo(1);
        assertThat(snapshot).hasToString("S1[1, 0]");

        VectorFixture.commit(slot);
        beforeCas(() -> {
            othersChain.acquire(new Snapshot());
            VectorFixture.commit(other);
        });
        chain.acquire(snapshot);
        assertThat(queuePair.counters().compareAndSwaps() - swaps).isEqualTo(3);
        assertThat(snapshot).hasToString("S3[2, 1]");
    }

    @Test
    void whenTheHeadHasMovedTwiceItIsUsedAsItIs() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        VectorFixture.commit(slot);
        beforeCas(() -> {
            othersChain.acquire(new Snapshot());
            VectorFixture.commit(other);
            othersChain.acquire(new Snapshot());
            VectorFixture.commit(other); // after the transaction began: need not be seen
        });
        chain.acquire(snapshot);
        assertThat(snapshot).hasToString("S2[1, 1]");
    }

    /// The first access to the head is its READ, the second the CAS.
    private void beforeCas(Runnable action) {
        long head = fixture.layout.chain();
        queuePair.before(head, () -> queuePair.before(head, action));
    }

    @Test
    void aThreadThatStopsInTheMiddleOfAnAppendBlocksNoOther() {
        chain.acquire(snapshot);
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        for (int buffer = 0; buffer < 2; buffer++) {
            VectorFixture.commit(slot);
            queuePair.before(
                    fixture.layout.chainBuffer(0, buffer) + ChainBuffer.VECTOR_OFFSET + 8,
                    () -> {
                        throw new FabricException(FabricException.Kind.PEER_GONE, "stops");
                    });
            // It stops when it gets to that buffer.
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> {
                        chain.acquire(snapshot);
                        VectorFixture.commit(slot);
                        chain.acquire(snapshot);
                    });
            othersChain.acquire(snapshot);
            assertThat(snapshot.timestamp(0)).isEqualTo(slot.published());
            chain.acquire(snapshot);
            assertThat(snapshot.timestamp(0)).isEqualTo(slot.published());
        }
    }

    @Test
    void aSlotThatIsTakenOverLeavesTheHeadsBufferAlone() {
        TimestampSlot other = fixture.slot();
        SnapshotChain othersChain = new SnapshotChain(other);
        for (int n = 0; n < 4; n++) {
            TimestampSlot third = fixture.slot();
            VectorFixture.commit(third);
            SnapshotChain thirdsChain = new SnapshotChain(third);
            thirdsChain.acquire(snapshot);
            third.release();
            long head = fixture.word(fixture.layout.chain());
            assertThat(ChainHead.slot(head)).isEqualTo(third.number());
            Snapshot read = new Snapshot();
            othersChain.acquire(read);
            assertThat(read.toArray()).isEqualTo(snapshot.toArray());
        }
    }

    @Test
    void aSnapshotThatIsFreshEnoughIsUsedAgainWithoutCommunication() {
        AtomicLong clock = new AtomicLong(1_000);
        TimestampSlot other = fixture.slot();
        SnapshotChain stale = new SnapshotChain(slot, 100, clock::get);
        stale.acquire(snapshot);
        VectorFixture.commit(other);
        clock.addAndGet(99);
        long roundTrips = queuePair.counters().roundTrips();
        stale.acquire(snapshot);
        assertThat(snapshot.timestamp(1)).isZero();
        assertThat(queuePair.counters().roundTrips()).isEqualTo(roundTrips);
        clock.addAndGet(1);
        stale.acquire(snapshot);
        assertThat(snapshot.timestamp(1)).isEqualTo(1);
    }

    @Test
    void aStaleSnapshotNeverMissesTheThreadsOwnCommits() {
        AtomicLong clock = new AtomicLong(1_000);
        SnapshotChain stale = new SnapshotChain(slot, 100, clock::get);
        stale.acquire(snapshot);
        VectorFixture.commit(slot);
        stale.acquire(snapshot);
        assertThat(snapshot.sees(CommitTimestamp.of(0, 1))).isTrue();
    }

    @Test
    void aStaleSnapshotIsNotUsedAgainOnceItsAnnouncementWasWithdrawn() {
        AtomicLong clock = new AtomicLong(1_000);
        TimestampSlot other = fixture.slot();
        SnapshotChain stale = new SnapshotChain(slot, 100, clock::get);
        stale.acquire(snapshot);
        VectorFixture.commit(other);
        stale.release();
        stale.acquire(snapshot);
        assertThat(snapshot.timestamp(1)).isZero();
        slot.announcement().withdraw();
        stale.acquire(snapshot);
        assertThat(snapshot.timestamp(1)).isEqualTo(1);
    }

    @Test
    void nothingIsAllocatedInTheSteadyState() {
        for (VectorFixture each :
                new VectorFixture[] {VectorFixture.inPlace(8), VectorFixture.landing(8)}) {
            try (each) {
                TimestampSlot own = each.slot();
                SnapshotChain ownChain = new SnapshotChain(own);
                SnapshotChain othersChain = new SnapshotChain(each.slot());
                DirectRead direct = new DirectRead(own);
                LowWatermark watermark =
                        new LowWatermark(each.layout, own.queuePair(), 1 << 30, System::nanoTime);
                QueuePair ownQueuePair = own.queuePair();
                assertAllocationFree(() -> {
                    othersChain.acquire(snapshot);
                    ownChain.acquire(snapshot);
                    long commitTimestamp = own.next();
                    own.publish(commitTimestamp);
                    ownQueuePair.await();
                    direct.acquire(snapshot);
                    watermark.observe();
                    ownChain.release();
                });
            }
        }
    }

    /// Once it is compiled: some window of a thousand calls allocates nothing.
    private static void assertAllocationFree(Runnable body) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int window = 0; window < 300 && least > 0; window++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < 1_000; call++) {
                body.run();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }
}
