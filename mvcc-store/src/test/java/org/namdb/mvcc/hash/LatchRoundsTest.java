package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.owner.LatchOwner;

/// The latches of more buckets than fit into a batch, some of them held by another session.
class LatchRoundsTest {
    private static final int SLOT = 3;
    private static final int OTHER = 7;
    private static final int BUCKETS = 200;
    private static final int BUCKET_BYTES = 64;
    private static final int LANDING_BYTES = 8 << 10;

    private final ShmFabric fabric =
            new ShmFabric(new ShmFabric.Options(false, LANDING_BYTES, null));
    private final Region region = fabric.register(0, 1 << 16);
    private final QueuePair queuePair = fabric.connect(List.of(region));
    private final QueuePair other = fabric.connect(List.of(region));
    private final List<Integer> done = new ArrayList<>();
    private int waits;

    private final LatchRounds rounds =
            new LatchRounds(
                    queuePair,
                    new LatchOwner(
                            SLOT, Host.MACHINE, Duration.ofSeconds(10).toNanos(), this::onWait));

    @AfterEach
    void close() {
        other.close();
        queuePair.close();
        fabric.close();
    }

    private static long home(int bucket) {
        return RemoteAddress.of(0, 64L * BUCKET_BYTES + (long) bucket * BUCKET_BYTES);
    }

    private long latch(int bucket) {
        return other.readWord(home(bucket) + BucketLayout.LATCH_OFFSET);
    }

    private void setLatch(int bucket, long word) {
        other.writeWord(home(bucket) + BucketLayout.LATCH_OFFSET, word);
        other.await();
    }

    /// The session waits for a latch, or checks between two rounds whether it is cancelled: then it
    /// holds none. The other one releases its latches.
    private void onWait() {
        waits++;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            assertThat(latch(bucket)).isIn(0L, OTHER + 1L);
            setLatch(bucket, 0);
        }
    }

    private void addAll() {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            rounds.add(bucket, home(bucket), BUCKET_BYTES);
        }
    }

    private boolean work(int bucket, long view) {
        assertThat(view).isNotZero();
        assertThat(latch(bucket)).as("held").isEqualTo(SLOT + 1L);
        done.add(bucket);
        return true;
    }

    private void assertNoneIsHeld() {
        queuePair.await();
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            assertThat(latch(bucket)).isZero();
        }
    }

    @Test
    void workIsDoneOnceUnderEachLatch() {
        addAll();
        long landed = queuePair.landed();
        assertThat(rounds.run(this::work)).isTrue();
        assertThat(done).containsExactlyElementsOf(IntStream.range(0, BUCKETS).boxed().toList());
        assertThat(rounds.count()).isZero();
        assertThat(queuePair.landed()).isEqualTo(landed);
        assertNoneIsHeld();
    }

    @Test
    void aWaiterForALatchHoldsNone() {
        addAll();
        setLatch(2, OTHER + 1L);
        setLatch(BUCKETS - 1, OTHER + 1L);
        assertThat(rounds.run(this::work)).isTrue();
        assertThat(waits).isPositive();
        assertThat(done).hasSize(BUCKETS).doesNotHaveDuplicates();
        assertNoneIsHeld();
    }

    @Test
    void aRunThatEndsEarlyHoldsNone() {
        addAll();
        assertThat(rounds.run((bucket, view) -> work(bucket, view) && bucket < 4)).isFalse();
        assertThat(done).containsExactly(0, 1, 2, 3, 4);
        assertNoneIsHeld();
    }

    @Test
    void aRunThatFailsHoldsNone() {
        addAll();
        LatchRounds.Work failing =
                (bucket, view) -> {
                    if (bucket == 4) {
                        throw new IllegalStateException("planned");
                    }
                    return work(bucket, view);
                };
        assertThatThrownBy(() -> rounds.run(failing)).hasMessage("planned");
        assertThat(done).containsExactly(0, 1, 2, 3);
        assertNoneIsHeld();
    }

    /// A queue pair of which a server goes: verbs to it can be posted for a while, then not any
    /// more, and the await says that those before have failed.
    private static final class Going extends ForwardingQueuePair {
        private int readsLeft = Integer.MAX_VALUE;
        private boolean isGone;

        Going(QueuePair actual) {
            super(actual);
        }

        @Override
        protected long postRead(long address, int bytes) {
            if (readsLeft-- == 0) {
                isGone = true;
                throw gone();
            }
            return super.postRead(address, bytes);
        }

        @Override
        protected void awaitCompletions() {
            super.awaitCompletions();
            if (isGone) {
                isGone = false;
                throw gone();
            }
        }

        private static FabricException gone() {
            return new FabricException(FabricException.Kind.PEER_GONE, "planned");
        }
    }

    private LatchRounds roundsOf(Going going) {
        LatchOwner owner =
                new LatchOwner(SLOT, Host.MACHINE, Duration.ofSeconds(10).toNanos(), this::onWait);
        LatchRounds goingRounds = new LatchRounds(going, owner);
        goingRounds.add(0, home(0), BUCKET_BYTES);
        goingRounds.add(1, home(1), BUCKET_BYTES);
        return goingRounds;
    }

    @Test
    void aRunThatFailsWhileReadingAheadHoldsNone() {
        Going going = new Going(queuePair);
        LatchRounds.Work ahead =
                new LatchRounds.Work() {
                    @Override
                    public void readAhead(LatchRounds round) {
                        going.readsLeft = 1;
                        going.read(home(2), BUCKET_BYTES);
                        going.read(home(3), BUCKET_BYTES);
                    }

                    @Override
                    public boolean run(int first, long view) {
                        return true;
                    }
                };
        assertThatThrownBy(() -> roundsOf(going).run(ahead)).hasMessage("planned");
        assertNoneIsHeld();
    }

    /// A CAS is posted, and the READ behind it can't be.
    @Test
    void aRunThatFailsWhileTakingHoldsNone() {
        Going going = new Going(queuePair);
        going.readsLeft = 1;
        assertThatThrownBy(() -> roundsOf(going).run((first, view) -> true)).hasMessage("planned");
        assertNoneIsHeld();
    }
}
