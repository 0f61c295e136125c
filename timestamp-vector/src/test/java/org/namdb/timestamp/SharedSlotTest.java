package org.namdb.timestamp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;

class SharedSlotTest {
    private static final int CAPACITY = 16;

    private final VectorFixture fixture = VectorFixture.landing(2);
    private final SharedSlot shared = new SharedSlot(fixture.slot(), CAPACITY);
    private final SteppedQueuePair queuePair = new SteppedQueuePair(fixture.connect());

    @AfterEach
    void close() {
        fixture.close();
    }

    private long published() {
        return fixture.word(fixture.layout.slot(shared.number()));
    }

    @Test
    void publicationIsInOrderWhateverTheOrderOfCompletion() {
        Random random = new Random(Seeds.next());
        for (int round = 0; round < 100; round++) {
            long first = published() + 1;
            long[] timestamps = new long[CAPACITY];
            for (int n = 0; n < CAPACITY; n++) {
                timestamps[n] = shared.next();
            }
            boolean[] complete = new boolean[CAPACITY];
            for (int n = 0; n < CAPACITY; n++) {
                int one = random.nextInt(CAPACITY);
                while (complete[one]) {
                    one = (one + 1) % CAPACITY;
                }
                complete[one] = true;
                shared.complete(timestamps[one], queuePair);
                int inOrder = 0;
                while (inOrder < CAPACITY && complete[inOrder]) {
                    inOrder++;
                }
                assertThat(published()).isEqualTo(first + inOrder - 1);
            }
        }
    }

    @Test
    void aCompletionThatPublishesCostsOneWriteAndOthersNothing() {
        long one = shared.next();
        long two = shared.next();
        shared.complete(two, queuePair);
        assertThat(queuePair.counters().verbs()).isZero();
        shared.complete(one, queuePair);
        assertThat(queuePair.counters().verbs()).isEqualTo(1);
        assertThat(queuePair.counters().roundTrips()).isEqualTo(1);
        assertThat(published()).isEqualTo(2);
    }

    @Test
    void noMoreThanTheCapacityAreUnderWay() {
        long first = shared.next();
        for (int n = 1; n < CAPACITY; n++) {
            assertThat(shared.next()).isNotEqualTo(SharedSlot.NONE);
        }
        assertThat(shared.next()).isEqualTo(SharedSlot.NONE);
        shared.complete(first, queuePair);
        assertThat(shared.next()).isEqualTo(CommitTimestamp.of(0, CAPACITY + 1));
        assertThat(shared.next()).isEqualTo(SharedSlot.NONE);
    }

    @Test
    void aThreadLeavesItsPublicationToOneThatIsPublishing() {
        QueuePair others = fixture.connect();
        long one = shared.next();
        long two = shared.next();
        queuePair.before(
                fixture.layout.slot(0),
                () -> {
                    shared.complete(two, others);
                    assertThat(others.counters().verbs()).isZero();
                    assertThat(shared.isPublished(two)).isFalse();
                });
        shared.complete(one, queuePair);
        assertThat(shared.isPublished(two)).isTrue();
        assertThat(published()).isEqualTo(2);
    }

    @Test
    void aPublicationThatFailsIsMadeUpByTheNextThread() {
        long one = shared.next();
        queuePair.before(
                fixture.layout.slot(0),
                () -> {
                    throw new FabricException(FabricException.Kind.PEER_GONE, "gone");
                });
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> shared.complete(one, queuePair));
        assertThat(shared.isPublished(one)).isFalse();
        shared.awaitPublished(one, fixture.connect());
        assertThat(published()).isEqualTo(1);
    }

    @Test
    void theCounterContinuesAfterRelease() {
        for (int n = 0; n < 5; n++) {
            shared.complete(shared.next(), queuePair);
        }
        shared.release();
        assertThat(fixture.slot().next()).isEqualTo(CommitTimestamp.of(0, 6));
    }

    @Test
    void noTimestampIsHandedOutThatIsNotReserved() {
        long reservation = fixture.layout.reservation(0);
        try (QueuePair own = fixture.connect()) {
            for (long t = 1; t < 3 * TimestampSlot.RESERVED_BLOCK; t++) {
                assertThat(shared.next()).isEqualTo(CommitTimestamp.of(0, t));
                if (t % 10_000 == 0 || t % TimestampSlot.RESERVED_BLOCK < 2) {
                    assertThat(fixture.word(reservation)).isGreaterThanOrEqualTo(t);
                }
                shared.complete(CommitTimestamp.of(0, t), own);
            }
        }
    }

    @Test
    void theCapacityIsAPowerOfTwo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SharedSlot(fixture.slot(), 12))
                .withMessage("the capacity of a shared slot is a power of two, not 12");
    }

    @Test
    void nothingIsPublishedThatIsNotInstalledUnderConcurrency() throws Exception {
        int threads = 4;
        int commits = 20_000;
        AtomicLongArray installed = new AtomicLongArray(threads * commits + 1);
        AtomicBoolean running = new AtomicBoolean(true);
        Threads.run(
                threads + 1,
                thread -> {
                    if (thread == threads) {
                        checkPrefixes(installed, running);
                    } else {
                        commit(installed, commits);
                        if (published() == (long) threads * commits) {
                            running.set(false);
                        }
                    }
                });
        assertThat(published()).isEqualTo((long) threads * commits);
    }

    private void commit(AtomicLongArray installed, int commits) {
        try (QueuePair own = fixture.connect()) {
            for (int n = 0; n < commits; n++) {
                long commitTimestamp = shared.next();
                while (commitTimestamp == SharedSlot.NONE) {
                    Threads.giveWay();
                    commitTimestamp = shared.next();
                }
                long timestamp = CommitTimestamp.timestamp(commitTimestamp);
                if (n % 64 == 0) {
                    Threads.giveWay();
                }
                installed.set((int) timestamp, timestamp);
                shared.complete(commitTimestamp, own);
                shared.awaitPublished(commitTimestamp, own);
                assertThat(published()).isGreaterThanOrEqualTo(timestamp);
            }
        }
    }

    /// Everything up to `V[slot]` is installed, and `V[slot]` only rises.
    private void checkPrefixes(AtomicLongArray installed, AtomicBoolean running) {
        long checked = 0;
        while (running.get() && Threads.goOn()) {
            long now = published();
            assertThat(now).isGreaterThanOrEqualTo(checked);
            for (; checked < now; checked++) {
                assertThat(installed.get((int) checked + 1)).isEqualTo(checked + 1);
            }
            Threads.giveWay();
        }
    }
}
