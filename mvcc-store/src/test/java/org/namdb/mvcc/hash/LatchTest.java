package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;

/// Bucket latches name their holders, are waited for with a timeout, and can be released for dead
/// sessions.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LatchTest {
    private static final long HOME = RemoteAddress.of(0, 128);

    private Fabric fabric;
    private QueuePair queuePair;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        Region region = fabric.register(0, 1 << 16);
        queuePair = fabric.connect(List.of(region));
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    @Test
    void theWordNamesTheHolder() {
        Latch.acquire(queuePair, HOME, owner(0, LatchOwner.Cancellation.NEVER));
        assertThat(word()).isEqualTo(1);
        release();
        assertThat(word()).isZero();
        Latch.acquire(queuePair, HOME, owner(16383, LatchOwner.Cancellation.NEVER));
        assertThat(word()).isEqualTo(16384);
    }

    @Test
    void aWaitEndsAndNamesTheHolder() {
        Latch.acquire(queuePair, HOME, owner(7, LatchOwner.Cancellation.NEVER));
        assertThatThrownBy(() ->
                        Latch.acquire(queuePair, HOME, owner(8, LatchOwner.Cancellation.NEVER)))
                .isInstanceOfSatisfying(
                        LatchTimeoutException.class,
                        e -> {
                            assertThat(e.kind()).isEqualTo(LatchKind.BUCKET);
                            assertThat(e.address()).isEqualTo(HOME);
                            assertThat(e.holder()).isEqualTo(7);
                        })
                .hasMessageContaining("bucket")
                .hasMessageContaining("slot 7");
        assertThat(word()).as("the holder's still").isEqualTo(8);
    }

    @Test
    void aWaitIsCancelled() {
        Latch.acquire(queuePair, HOME, owner(7, LatchOwner.Cancellation.NEVER));
        LatchOwner cancelled =
                new LatchOwner(
                        8,
                        Host.MACHINE,
                        Long.MAX_VALUE,
                        () -> {
                            throw new IllegalStateException("cancelled");
                        });
        assertThatThrownBy(() -> Latch.acquire(queuePair, HOME, cancelled)).hasMessage("cancelled");
    }

    @Test
    void onlyTheDeadLoseTheirLatches() {
        Latch.acquire(queuePair, HOME, owner(7, LatchOwner.Cancellation.NEVER));
        assertThat(Latch.repair(queuePair, HOME, DeadSlots.of(6, 8))).isFalse();
        assertThat(word()).isEqualTo(8);
        assertThat(Latch.repair(queuePair, HOME, DeadSlots.of(6, 7))).isTrue();
        assertThat(word()).isZero();
        assertThat(Latch.repair(queuePair, HOME, DeadSlots.of(0, 7))).as("free").isFalse();
    }

    private static LatchOwner owner(int slot, LatchOwner.Cancellation cancellation) {
        return new LatchOwner(slot, Host.MACHINE, Duration.ofMillis(20).toNanos(), cancellation);
    }

    private void release() {
        Latch.postRelease(queuePair, HOME);
        queuePair.await();
    }

    private long word() {
        long view = queuePair.read(HOME + BucketLayout.LATCH_OFFSET, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }
}
