package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;

/// Guards that are there at once or not at all, and those that become exclusive.
class NoWaitTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(512).withFrames(16);
    private static final LineArea LAYOUT = new LineArea(512);

    @Test
    void aLineInUseIsNotWaitedFor() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession same = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            try (LineGuard _ = one.exclusive(line)) {
                for (LineSession session : new LineSession[] {same, other}) {
                    assertThat(session.tryShared(line)).isNull();
                    assertThat(session.tryExclusive(line)).isNull();
                }
            }
            other.shared(line).close(); // no station is its writer any more
            try (LineGuard _ = one.shared(line)) {
                assertThat(same.tryExclusive(line)).isNull();
                assertThat(other.tryExclusive(line)).isNull();
                try (LineGuard second = other.tryShared(line)) {
                    assertThat(second).isNotNull();
                }
            }
            try (LineGuard guard = other.tryExclusive(line)) {
                guard.putLong(8, 5);
            }
            try (LineGuard guard = same.tryShared(line)) {
                assertThat(guard.longAt(8)).isEqualTo(5);
            }
        }
    }

    @Test
    void anUpgradeTakesOtherCopiesAwayThatAreNotInUse() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 3);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open();
                LineSession third = caches.cache(2).open()) {
            long line = one.allocate();
            other.shared(line).close();
            third.shared(line).close();
            try (LineGuard guard = one.shared(line)) {
                assertThat(one.tryUpgrade(guard)).isTrue();
                assertThat(one.tryUpgrade(guard)).isTrue();
                guard.putLong(0, 1);
                assertThat(other.tryShared(line)).isNull();
            }
            assertThat(caches.memory(LAYOUT.latch(line)))
                    .isEqualTo(LatchWord.writer(caches.cache(0).station()));
            try (LineGuard guard = other.shared(line)) {
                assertThat(guard.longAt(0)).isEqualTo(1);
            }
        }
    }

    @Test
    void anUpgradeThatFailsClosesTheGuard() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession same = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = one.allocate();
            for (LineSession reader : new LineSession[] {same, other}) {
                try (LineGuard _ = reader.shared(line)) {
                    LineGuard guard = one.shared(line);
                    assertThat(one.tryUpgrade(guard)).isFalse();
                    guard.close(); // for nothing
                }
                assertThat(caches.cache(0).state(line)).isEqualTo(State.SHARED);
                try (LineGuard guard = one.tryExclusive(line)) {
                    guard.putLong(0, guard.longAt(0) + 1);
                }
            }
            try (LineGuard guard = other.shared(line)) {
                assertThat(guard.longAt(0)).isEqualTo(2);
            }
        }
    }
}
