package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.mvcc.owner.LatchOwner.Cancellation;

/// A cache that has a line receives requests, and answers them late.
/// ```
/// one, has the line               other
///                                 requests the line; waits for its limit; is done without it
/// handles the request, may grant
/// the line
///                                 needs it again: has it, or requests it
/// ```
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentPeerTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT
                    .withLineBytes(512)
                    .withFrames(16)
                    .withWaitLimit(Duration.ofSeconds(50));
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private volatile CountDownLatch isOver = new CountDownLatch(0);

    @Test
    void aReaderDoesNotWaitLong() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::stalling);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession one = first.open();
                LineSession other = second.open()) {
            long line = one.allocate();
            one.exclusive(line).close();
            isOver = new CountDownLatch(1);
            assertThat(other.tryStamp(line)).isNull();
            isOver.countDown();
            count(other, line, 1);
            count(one, line, 2);
        }
    }

    @Test
    void aWriterWaitsForItsLimit() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::stalling);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession one = first.open();
                LineSession other = second.open()) {
            long line = one.allocate();
            count(one, line, 1);
            for (int i = 2; i < 10; i += 2) {
                isOver = new CountDownLatch(1);
                assertThatExceptionOfType(LineTimeoutException.class)
                        .isThrownBy(() -> other.exclusive(line, LIMIT_NANOS, Cancellation.NEVER));
                isOver.countDown();
                count(other, line, i);
                count(one, line, i + 1);
            }
        }
    }

    /// No longer than until the request is handled.
    @Test
    void aGrantIsPossibleWhileARequestHasNoAnswer() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::stalling);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession one = first.open();
                LineSession other = second.open()) {
            long line = one.allocate();
            long next = one.allocate();
            count(one, line, 1);
            count(one, next, 1);
            isOver = new CountDownLatch(1);
            assertThatExceptionOfType(LineTimeoutException.class)
                    .isThrownBy(() -> other.exclusive(line, LIMIT_NANOS, Cancellation.NEVER));
            assertThat(second.isGrantPossible(line)).isTrue();
            assertThat(second.isGrantPossible(next)).isFalse();
            isOver.countDown();
            count(other, next, 2); // its answer comes after that
            assertThat(second.isGrantPossible(line)).isFalse();
            count(other, line, 2);
        }
    }

    @Test
    void theDeadGrantNothing() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession other = second.open()) {
            PeerFabric peers = caches.joinPeers(0);
            LineCache first = caches.join(OPTIONS, peers, this::stalling);
            long line;
            try (LineSession one = first.open()) {
                line = one.allocate();
                count(one, line, 1);
            }
            isOver = new CountDownLatch(1);
            assertThatExceptionOfType(LineTimeoutException.class)
                    .isThrownBy(() -> other.exclusive(line, LIMIT_NANOS, Cancellation.NEVER));
            assertThat(second.isGrantPossible(line)).isTrue();
            second.forget(0);
            assertThat(second.isGrantPossible(line)).isFalse();
            isOver.countDown();
            peers.close(); // and its cache is never used again
        }
    }

    /// It holds the line together with the silent one, and wants it for itself.
    @Test
    void aSharerThatUpgradesWaitsForItsLimitAndStaysASharer() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::stalling);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession one = first.open();
                LineSession other = second.open()) {
            long line = one.allocate();
            one.shared(line).close();
            other.shared(line).close();
            isOver = new CountDownLatch(1);
            assertThatExceptionOfType(LineTimeoutException.class)
                    .isThrownBy(() -> other.exclusive(line, LIMIT_NANOS, Cancellation.NEVER));
            assertThat(second.isGrantPossible(line)).isFalse(); // sharers grant nothing
            other.shared(line).close();
            isOver.countDown();
            count(other, line, 1);
            count(one, line, 2);
        }
    }

    @Test
    void aWaitIsCancelled() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::stalling);
                LineCache second = caches.join(OPTIONS, 1);
                LineSession one = first.open();
                LineSession other = second.open()) {
            long line = one.allocate();
            count(one, line, 1);
            isOver = new CountDownLatch(1);
            AtomicInteger checks = new AtomicInteger();
            assertThatExceptionOfType(Stop.class)
                    .isThrownBy(() ->
                            other.exclusive(
                                    line,
                                    Long.MAX_VALUE,
                                    () -> {
                                        if (checks.incrementAndGet() == 3) {
                                            throw new Stop();
                                        }
                                    }));
            isOver.countDown();
            count(other, line, 2);
            count(one, line, 3);
        }
    }

    private static void count(LineSession session, long line, long expected) {
        try (LineGuard guard = session.exclusive(line)) {
            assertThat(guard.longAt(0) + 1).isEqualTo(expected);
            guard.putLong(0, expected);
        }
    }

    /// The thread that handles requests waits before it releases a line.
    private Fabric stalling(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                return new ForwardingQueuePair(actual.connect(regions)) {
                    @Override
                    protected long postFetchAndAdd(long address, long delta) {
                        if (Thread.currentThread().getName().startsWith("peers of")) {
                            awaitEnd();
                        }
                        return super.postFetchAndAdd(address, delta);
                    }
                };
            }
        };
    }

    private void awaitEnd() {
        try {
            isOver.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
