package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LandingRingTest {
    private static final int LANDING_BYTES = 256;

    private final Arena arena = Arena.ofConfined();
    private final LandingRing ring = new LandingRing(arena, LANDING_BYTES);

    /// A view, and what had landed with it.
    private record Landed(long view, int bytes, long landedBytes) {
        boolean overlaps(Landed other) {
            return view < other.view + other.bytes && other.view < view + bytes;
        }
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void noViewOverlapsOneThatMustStillBeWhole() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        ArrayDeque<Landed> whole = new ArrayDeque<>();
        long landedBytes = 0;
        for (int i = 0; i < 100_000; i++) {
            int bytes =
                    8 * random.nextInt(1, (random.nextInt(3) == 0 ? LANDING_BYTES : 32) / 8 + 1);
            landedBytes += bytes;
            Landed next = new Landed(ring.land(bytes), bytes, landedBytes);
            ring.endBatch();
            while (!whole.isEmpty() && landedBytes - whole.getFirst().landedBytes > LANDING_BYTES) {
                whole.removeFirst();
            }
            assertThat(whole).noneMatch(next::overlaps);
            whole.add(next);
        }
    }

    @Test
    void whatIsGivenUpDoesNotCountUnlessTheTurnHasEnded() {
        long first = ring.land(64);
        long mark = ring.landed();
        long given = ring.land(128);
        ring.endBatch();
        ring.giveUp(mark);
        assertThat(ring.landed()).isEqualTo(mark).isEqualTo(64);
        assertThat(ring.land(8)).isEqualTo(given).isEqualTo(first + 64);
        ring.endBatch();
        long beforeTheTurn = ring.landed();
        for (int i = 0; i < 5; i++) {
            ring.land(LANDING_BYTES / 2);
            ring.endBatch();
        }
        long landed = ring.landed();
        ring.giveUp(beforeTheTurn);
        assertThat(ring.landed()).isEqualTo(landed);
    }

    @Test
    void viewsAreAlignedToWords() {
        assertThat(ring.land(8) % 64).isZero();
        assertThat(ring.land(24) % 8).isZero();
    }

    @Test
    void aBatchMayLandAsMuchAsTheRingSays() {
        assertThat(ring.landingBytes()).isEqualTo(LANDING_BYTES);
        for (int batch = 0; batch < 10; batch++) {
            ring.land(LANDING_BYTES - 8);
            ring.land(8);
            assertTooLarge(8);
            assertTooLarge(Integer.MAX_VALUE - 7);
            ring.endBatch();
        }
        assertTooLarge(LANDING_BYTES + 8);
    }

    private void assertTooLarge(int bytes) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> ring.land(bytes))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.TOO_LARGE));
    }
}
