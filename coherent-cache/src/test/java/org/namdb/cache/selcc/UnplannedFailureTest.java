package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;

/// A cache that meets an unexpected failure.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnplannedFailureTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT
                    .withLineBytes(512)
                    .withFrames(16)
                    .withWaitLimit(Duration.ofMillis(50));

    private final AtomicBoolean isFailing = new AtomicBoolean();
    private boolean isInvariant;

    /// The size of a READ that fails, however often it is tried; 0 for none.
    private volatile int failingBytes;

    /// Which verbs took effect is unknown to the session: the latch word shows it.
    @Test
    void whatNobodyPlannedForIsAsALostConnection() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0)) {
            LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::failing);
            LineCache second = caches.join(OPTIONS, 1);
            LineSession one = first.open();
            LineSession other = second.open();
            long line = one.allocate();
            one.exclusive(line).close();
            isFailing.set(true);
            other.exclusive(line).close();
            one.exclusive(line).close();
        }
    }

    @Test
    void theCacheFailsAndOthersWaitNoLongerThanTheirLimit() {
        isInvariant = true;
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0)) {
            LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::failing);
            LineCache second = caches.join(OPTIONS, 1);
            LineSession one = first.open();
            LineSession other = second.open();
            long line = one.allocate();
            one.exclusive(line).close();
            isFailing.set(true);
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(LineTimeoutException.class)
                        .isThrownBy(() -> other.exclusive(line));
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> one.shared(line))
                        .withMessageContaining("the cache of lines has failed");
            }
        }
    }

    /// All but the READ of the line works: what its attempts have done is always found out.
    @Test
    void theCacheFailsWhereNothingHelps() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                LineCache first = caches.join(OPTIONS, caches.joinPeers(0), this::failing);
                LineCache second = caches.join(OPTIONS, 1)) {
            LineSession one = first.open();
            long line = one.allocate();
            failingBytes = OPTIONS.lineBytes();
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> one.shared(line))
                    .withMessageContaining("8 attempts in a row have failed")
                    .withStackTraceContaining("this READ fails");
            assertThat(first.hasFailed()).isTrue();
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> one.shared(line))
                    .withMessageContaining("the cache of lines has failed");
            second.open().exclusive(line).close();
        }
    }

    private Fabric failing(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                return new ForwardingQueuePair(actual.connect(regions)) {
                    @Override
                    protected long postRead(long address, int bytes) {
                        if (bytes == failingBytes) {
                            throw new IllegalStateException("this READ fails");
                        }
                        return super.postRead(address, bytes);
                    }

                    @Override
                    protected long postFetchAndAdd(long address, long delta) {
                        if (isFailing.getAndSet(false)) {
                            if (isInvariant) {
                                throw new AssertionError("unplanned");
                            }
                            throw new IllegalStateException("unplanned");
                        }
                        return super.postFetchAndAdd(address, delta);
                    }
                };
            }
        };
    }
}
