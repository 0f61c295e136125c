package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.namdb.cache.frame.LineStamp;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.fabric.Host;
import org.namdb.fabric.peer.PeerFabric;

/// What a compute server leaves that ends without a word, and what is known of a line without a
/// request.
class DeadStationTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT
                    .withLineBytes(512)
                    .withFrames(16)
                    .withWaitLimit(Duration.ofSeconds(5));
    private static final LineArea LAYOUT = new LineArea(512);

    private static long get(LineSession session, long line) {
        try (LineGuard guard = session.shared(line)) {
            return guard.longAt(0);
        }
    }

    private static void put(LineSession session, long line, long value) {
        try (LineGuard guard = session.exclusive(line)) {
            guard.putLong(0, value);
        }
    }

    private static void awaitClear(LineCache cache, int dead) {
        while (!cache.clear(Set.of(dead))) {
            Host.MACHINE.sleep(1_000_000); // the test's limit ends it
        }
    }

    @Test
    void whatTheDeadHoldIsClearedAway() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 3)) {
            PeerFabric peers = caches.joinPeers(7);
            LineCache dead = caches.join(OPTIONS, peers, actual -> actual);
            long owned;
            long read;
            try (LineSession session = dead.open()) {
                owned = session.allocate();
                read = session.allocate();
                put(session, owned, 5);
                assertThat(get(session, read)).isZero();
            }
            peers.close(); // and it is never used again
            try (LineSession session = caches.cache(1).open()) {
                assertThat(session.tryStamp(owned)).isNull();
                awaitClear(caches.cache(0), 7);
                awaitClear(caches.cache(2), 7);
                assertThat(caches.memory(LAYOUT.latch(owned))).isEqualTo(LatchWord.FREE);
                assertThat(caches.memory(LAYOUT.latch(read))).isEqualTo(LatchWord.FREE);
                put(session, read, 6);
                assertThat(get(session, owned)).isEqualTo(5);
            }
            try (LineCache next = caches.join(OPTIONS, 8)) {
                assertThat(next.station()).isEqualTo(dead.station());
            }
        }
    }

    /// One that does not answer may be just about to hand a line over.
    @Test
    void aSilentCacheHoldsTheClearingUp() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            PeerFabric first = caches.joinPeers(7);
            PeerFabric second = caches.joinPeers(8);
            LineCache _ = caches.join(OPTIONS, first, actual -> actual);
            LineCache _ = caches.join(OPTIONS, second, actual -> actual);
            first.close();
            second.close();
            assertThat(caches.cache(0).clear(Set.of(7))).isFalse();
            assertThat(caches.cache(0).clear(Set.of(7, 8))).isTrue();
            assertThat(caches.cache(0).clear(Set.of(7, 8))).isTrue();
        }
    }

    @Test
    void aForgottenProcessIsHandedNothing() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            put(one, line, 1);
            awaitClear(caches.cache(0), 1);
            assertThat(other.tryStamp(line)).isNull();
            assertThat(get(one, line)).isEqualTo(1);
        }
    }

    @Test
    void aStampLastsUntilTheLineIsChanged() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            assertThat(caches.cache(0).stamp(line)).isNull();
            LineStamp stamp = one.tryStamp(line);
            assertThat(stamp).isNotNull();
            assertThat(get(one, line)).isZero();
            assertThat(get(other, line)).isZero();
            assertThat(stamp.isValid()).isTrue();
            assertThat(caches.cache(0).stamp(line).isValid()).isTrue();
            put(other, line, 1);
            assertThat(stamp.isValid()).isFalse();
            assertThat(caches.cache(0).stamp(line)).isNull();

            LineStamp again = one.tryStamp(line);
            assertThat(again.isValid()).isTrue();
            assertThat(stamp.isValid()).isFalse();
            put(one, line, 2); // by its own threads, too
            assertThat(again.isValid()).isFalse();
            assertThat(caches.cache(0).stamp(line).isValid()).isTrue();
        }
    }

    @Test
    void aStampIsNotWaitedFor() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            try (LineGuard guard = other.exclusive(line)) {
                long begin = Host.MACHINE.nanoTime();
                assertThat(one.tryStamp(line)).isNull();
                assertThat(Host.MACHINE.nanoTime() - begin)
                        .isLessThan(OPTIONS.waitLimit().toNanos());
                guard.putLong(0, 3);
            }
            assertThat(one.tryStamp(line)).isNotNull();
            assertThat(caches.cache(0).firstArea()).isEqualTo(caches.cache(1).firstArea());
        }
    }
}
