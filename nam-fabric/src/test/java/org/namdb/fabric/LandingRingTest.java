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
    void whatIsGivenUpDoesNotCountBeforeTheTurnEnds() {
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
        ring.giveUp(beforeTheTurn);
        assertThat(ring.landed())
                .as("the turn of two")
                .isEqualTo(beforeTheTurn + 2 * LANDING_BYTES);
    }

    @Test
    void aViewOutlivesTriesThatBeginInOneTurnAndGoOnInTheNext() {
        for (int start = 0; start < 4 * LANDING_BYTES; start += 8) {
            Landed lasting = new Landed(ring.land(8), 8, 0);
            ring.endBatch();
            long mark = ring.landed();
            for (int tries = 0; tries < 100; tries++) {
                long one = ring.land(LANDING_BYTES / 4);
                long other = ring.land(LANDING_BYTES / 4);
                ring.endBatch();
                assertThat(new Landed(one, LANDING_BYTES / 4, 0).overlaps(lasting)).isFalse();
                assertThat(new Landed(other, LANDING_BYTES / 4, 0).overlaps(lasting)).isFalse();
                ring.giveUp(mark);
            }
        }
    }

    @Test
    void aPoisoningRingOverwritesWhatIsGivenUpAndNothingElse() {
        try (Arena own = Arena.ofConfined()) {
            LandingRing poisoning = LandingRing.poisoning(own, LANDING_BYTES);
            long kept = poisoning.land(16);
            LocalMemory.putLong(kept + 8, 1);
            long mark = poisoning.landed();
            long given = poisoning.land(24);
            LocalMemory.putLong(given, 2);
            LocalMemory.putLong(given + 16, 3);
            poisoning.endBatch();
            poisoning.giveUp(mark);
            assertThat(LocalMemory.longAt(kept + 8)).isEqualTo(1);
            assertThat(LocalMemory.longAt(given)).isEqualTo(LandingRing.POISON);
            assertThat(LocalMemory.longAt(given + 16)).isEqualTo(LandingRing.POISON);
            assertThat(LocalMemory.longAt(given + 24)).isZero();
        }
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
