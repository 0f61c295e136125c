package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;

/// An upgrade that times out when a connection to a memory server was lost on the way.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostUpgradeTest {
    private static final Duration LIMIT = Duration.ofMillis(50);
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(512).withFrames(16);

    /// Reads of the stations until one is lost: 0 for none.
    private final AtomicInteger untilLost = new AtomicInteger();

    /// ```
    /// one                                        other, which shares the line, and then leaves
    /// upgrades: requests the line of the sharer, which is gone
    /// READ stations: the connection is lost; FAA - bit on the next one, which takes too long
    /// times out
    /// ```
    @Test
    void aLineWhoseUpgradeTimedOutIsAcquiredAgain() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 0)) {
            PeerFabric otherPeers = caches.joinPeers(1);
            LineCache first =
                    caches.join(OPTIONS.withWaitLimit(LIMIT), caches.joinPeers(0), this::losing);
            try (LineCache second = caches.join(OPTIONS, otherPeers, actual -> actual);
                    LineSession one = first.open();
                    LineSession other = second.open()) {
                long line = one.allocate();
                one.shared(line).close();
                other.shared(line).close();
                otherPeers.close();
                untilLost.set(2);
                assertThatExceptionOfType(LineTimeoutException.class)
                        .isThrownBy(() -> one.exclusive(line));
                assertThat(untilLost).hasValue(0);
                assertThat(first.state(line)).isEqualTo(State.INVALID);
                assertThatExceptionOfType(LineTimeoutException.class)
                        .isThrownBy(() -> one.exclusive(line));
                one.shared(line).close();
                assertThat(first.state(line)).isEqualTo(State.SHARED);
            }
            first.close();
        }
    }

    private Fabric losing(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                Host.MACHINE.sleep(2 * LIMIT.toNanos());
                return losing(actual.connect(regions));
            }
        };
    }

    private QueuePair losing(QueuePair queuePair) {
        return new ForwardingQueuePair(queuePair) {
            private boolean isStations;

            @Override
            protected long postRead(long address, int bytes) {
                isStations |= bytes == Stations.MAX * Long.BYTES;
                return super.postRead(address, bytes);
            }

            @Override
            protected void awaitCompletions() {
                super.awaitCompletions();
                boolean isLost = isStations && untilLost.get() > 0;
                isStations = false;
                if (isLost && untilLost.decrementAndGet() == 0) {
                    throw new FabricException(FabricException.Kind.CONNECTION_LOST, "is lost");
                }
            }
        };
    }
}
