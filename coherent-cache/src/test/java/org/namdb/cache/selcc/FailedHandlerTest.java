package org.namdb.cache.selcc;

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

/// A cache whose request handler meets an unexpected failure.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedHandlerTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT
                    .withLineBytes(512)
                    .withFrames(16)
                    .withWaitLimit(Duration.ofMillis(50));

    private final AtomicBoolean isFailing = new AtomicBoolean();
    private boolean isInvariant;

    /// As nobody knows what was done, the latch word says it.
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

    private Fabric failing(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                return new ForwardingQueuePair(actual.connect(regions)) {
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
