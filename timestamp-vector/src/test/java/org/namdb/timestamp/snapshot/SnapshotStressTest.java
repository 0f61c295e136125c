package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SharedSlot;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.VectorFixture;

/// Threads that begin, commit, publish and observe the low watermark as fast as they can, on every
/// kind of fabric. Their history is checked afterwards.
class SnapshotStressTest {
    private static final int THREADS = 4;
    private static final int TRANSACTIONS = 10_000;
    private static final int TRANSACTIONS_PER_OBSERVATION = 8;
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final History history = new History(THREADS);

    /// By slot, the last timestamp that was acknowledged.
    private final AtomicLongArray acknowledged = new AtomicLongArray(THREADS);

    static Stream<Named<IntFunction<VectorFixture>>> fabrics() {
        return Stream.of(
                Named.of("in place", VectorFixture::inPlace),
                Named.of("landing", VectorFixture::landing),
                Named.of("tearing", VectorFixture::tearing));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void everySnapshotIsFreshAndOfOneChain(IntFunction<VectorFixture> fabric) throws Exception {
        long seed = Seeds.next();
        try (VectorFixture fixture = fabric.apply(THREADS)) {
            Threads.run(
                    THREADS,
                    thread -> {
                        TimestampSlot slot = fixture.slot();
                        Session session =
                                new Session(fixture, slot.queuePair(), new SnapshotChain(slot));
                        session.run(new Random(seed + thread), () -> commit(slot));
                        session.oracle.release();
                        slot.queuePair().await();
                    });
            assertThat(history.violation()).isNull();
            assertThat(fixture.vector(THREADS)).containsOnly(TRANSACTIONS);
            assertWatermarkArrives(fixture);
        }
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void everySnapshotIsFreshAndOfOneChainWhenThreadsShareASlot(IntFunction<VectorFixture> fabric)
            throws Exception {
        long seed = Seeds.next();
        try (VectorFixture fixture = fabric.apply(THREADS)) {
            TimestampSlot slot = fixture.slot();
            SharedChain chain = new SharedChain(slot, Long.MAX_VALUE, () -> 0);
            SharedSlot shared = new SharedSlot(slot, 64);
            Threads.run(
                    THREADS,
                    thread -> {
                        QueuePair queuePair = fixture.connect();
                        Session session = new Session(fixture, queuePair, chain.session());
                        session.run(new Random(seed + thread), () -> commit(shared, queuePair));
                        session.oracle.release();
                    });
            assertThat(history.violation()).isNull();
            assertThat(fixture.word(fixture.layout.slot(0)))
                    .isEqualTo((long) THREADS * TRANSACTIONS);
            slot.queuePair().await();
            assertWatermarkArrives(fixture);
        }
    }

    private static void assertWatermarkArrives(VectorFixture fixture) {
        LowWatermark watermark =
                new LowWatermark(fixture.layout, fixture.connect(), HOUR_NANOS, System::nanoTime);
        watermark.observe();
        assertThat(watermark.snapshot().sequence())
                .isEqualTo(ChainHead.sequence(fixture.word(fixture.layout.chain())));
    }

    /// Commits; returns the commit timestamp.
    private interface Commit {
        long run();
    }

    private static long commit(TimestampSlot slot) {
        long commitTimestamp = slot.next();
        slot.publish(commitTimestamp);
        slot.queuePair().await();
        return commitTimestamp;
    }

    private static long commit(SharedSlot shared, QueuePair queuePair) {
        long commitTimestamp = shared.next();
        while (commitTimestamp == SharedSlot.NONE) {
            Threads.giveWay();
            commitTimestamp = shared.next();
        }
        shared.complete(commitTimestamp, queuePair);
        shared.awaitPublished(commitTimestamp, queuePair);
        return commitTimestamp;
    }

    private final class Session {
        private final QueuePair queuePair;
        private final SnapshotOracle oracle;
        private final LowWatermark watermark;
        private final List<History.Transaction> transactions = new ArrayList<>();
        private final Snapshot last = new Snapshot();
        private final Snapshot snapshot = new Snapshot();

        Session(VectorFixture fixture, QueuePair queuePair, SnapshotOracle oracle) {
            this.queuePair = queuePair;
            this.oracle = oracle;
            this.watermark =
                    new LowWatermark(fixture.layout, queuePair, HOUR_NANOS, System::nanoTime);
        }

        void run(Random random, Commit commit) {
            for (int n = 0; n < TRANSACTIONS; n++) {
                long[] needed = new long[THREADS];
                for (int slot = 0; slot < THREADS; slot++) {
                    needed[slot] = acknowledged.get(slot);
                }
                oracle.acquire(snapshot);
                assertThat(snapshot.dominates(last)).as("%s after %s", snapshot, last).isTrue();
                if (random.nextInt(16) == 0) {
                    Threads.giveWay();
                }
                checkWatermark();
                long commitTimestamp = commit.run();
                int slot = CommitTimestamp.slot(commitTimestamp);
                long timestamp = CommitTimestamp.timestamp(commitTimestamp);
                acknowledged.accumulateAndGet(slot, timestamp, Math::max);
                transactions.add(
                        new History.Transaction(slot, timestamp, needed, vector(snapshot)));
                last.copyFrom(snapshot);
                if (random.nextInt(64) == 0) {
                    oracle.release();
                }
                if (n % TRANSACTIONS_PER_OBSERVATION == 0) {
                    watermark.observe();
                }
            }
            history.addAll(transactions);
        }

        private long[] vector(Snapshot of) {
            return Arrays.copyOf(of.toArray(), THREADS);
        }

        private void checkWatermark() {
            long view = watermark.post();
            queuePair.await();
            assertThat(LowWatermark.hasPassed(view, snapshot)).isFalse();
            assertThat(snapshot.dominates(watermark.snapshot())).isTrue();
        }
    }
}
