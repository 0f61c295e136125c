package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// How long views last, and how much can be read at once.
public interface LandingCases extends FabricCase {
    /// A view of words with known values: word `i` of the region is `i`.
    record LandedView(long view, int firstWord, int words, long landedBefore) {
        boolean isWhole() {
            for (int i = 0; i < words; i++) {
                if (LocalMemory.longAt(view + 8L * i) != firstWord + i) {
                    return false;
                }
            }
            return true;
        }
    }

    @Test
    default void aViewLastsUntilLandingBytesFurtherBytesHaveBeenRead() {
        int regionWords = numberWords();
        SplittableRandom random = new SplittableRandom(Seeds.next());
        ArrayDeque<LandedView> views = new ArrayDeque<>();
        long landed = 0;
        for (int batch = 0; batch < 500; batch++) {
            int capacity = LANDING_BYTES / 8;
            for (int verbs = random.nextInt(1, 20); verbs > 0 && capacity > 0; verbs--) {
                int words =
                        random.nextInt(4) > 0
                                ? 1 + random.nextInt(Math.min(capacity, 50))
                                : 1 + random.nextInt(capacity);
                int firstWord = random.nextInt(regionWords - words);
                capacity -= words;
                landed += 8L * words;
                long view =
                        words == 1
                                ? queuePair().compareAndSwap(address(0, 8L * firstWord), -1, -2)
                                : queuePair().read(address(0, 8L * firstWord), 8 * words);
                views.add(new LandedView(view, firstWord, words, landed));
            }
            queuePair().await();
            while (landed - views.getFirst().landedBefore > LANDING_BYTES) {
                views.removeFirst();
            }
            assertThat(views).allMatch(LandedView::isWhole);
        }
    }

    @Test
    default void aViewOutlivesAnyNumberOfTriesThatGiveTheirViewsUp() {
        numberWords();
        int words = LANDING_BYTES / 16 / 8;
        for (int round = 0; round < 20; round++) {
            LandedView lasting =
                    new LandedView(queuePair().read(address(0, 800), 8 * words), 100, words, 0);
            try (ViewScope views = queuePair().openViews()) {
                for (int tries = 0; tries < 200; tries++) {
                    long view = queuePair().read(address(0, 8L * tries), 8 * words);
                    queuePair().compareAndSwap(address(0, 0), -1, -2);
                    queuePair().await();
                    assertThat(new LandedView(view, tries, words, 0).isWhole()).isTrue();
                    views.giveUp();
                }
            }
            assertThat(lasting.isWhole()).isTrue();
        }
    }

    @Test
    default void singleWordReadsAndCasLandNothing() {
        writeWord(address(0, 8), 5);
        long view = queuePair().read(address(0, 8), 8);
        queuePair().await();
        long before = queuePair().landed();
        long word = address(1, 16);
        for (int round = 1; round <= LANDING_BYTES / Long.BYTES; round++) { // three times as much
            assertThat(queuePair().casWord(word, round - 1, round)).isEqualTo(round - 1);
            assertThat(queuePair().casWord(word, round - 1, -1)).isEqualTo(round);
            assertThat(queuePair().readWord(word)).isEqualTo(round);
        }
        assertThat(queuePair().landed()).isEqualTo(before);
        assertThat(LocalMemory.longAcquire(view)).isEqualTo(5);
    }

    @Test
    default void aWordThatIsReadAloneSeesWhatWasPostedBefore() {
        queuePair().writeWord(address(0, 8), 7);
        assertThat(queuePair().readWord(address(0, 8))).isEqualTo(7);
        long added = queuePair().fetchAndAdd(address(0, 8), 1);
        assertThat(queuePair().casWord(address(0, 8), 8, 9)).isEqualTo(8);
        assertThat(LocalMemory.longAt(added)).isEqualTo(7);
    }

    @Test
    default void aScopeCostsItsCallerNothingButWhatItKeeps() {
        long before = queuePair().landed();
        try (ViewScope outer = queuePair().openViews()) {
            long _ = queuePair().compareAndSwap(address(0, 8), 0, 1);
            queuePair().await();
            assertThat(outer.landed()).isEqualTo(8);
            outer.keep();
            try (ViewScope inner = queuePair().openViews()) {
                long _ = queuePair().fetchAndAdd(address(0, 8), 1);
                queuePair().await();
                assertThat(inner.landed()).isEqualTo(8);
            }
            assertThat(outer.landed()).isZero();
        }
        assertThat(queuePair().landed()).isEqualTo(before + 8);
    }

    @Test
    default void aScopeThatEndsBeforeTheAwaitLeavesItsViewsAlone() {
        long view;
        try (ViewScope _ = queuePair().openViews()) {
            view = queuePair().fetchAndAdd(address(0, 8), 3);
        }
        queuePair().await();
        assertThat(LocalMemory.longAt(view)).isZero();
        assertThat(queuePair().readWord(address(0, 8))).isEqualTo(3);
    }

    @Test
    default void landingBytesCanBeReadAtOnce() {
        numberWords();
        assertThat(queuePair().landingBytes()).isEqualTo(LANDING_BYTES);
        for (int i = 0; i < 5; i++) {
            long view = queuePair().read(address(0, 80), LANDING_BYTES);
            queuePair().await();
            assertThat(new LandedView(view, 10, LANDING_BYTES / 8, 0).isWhole()).isTrue();
        }
    }

    @Test
    default void aReadLargerThanTheLandingBufferIsRefusedWhereItLands() {
        numberWords();
        int words = LANDING_BYTES / 8 + 1;
        if (queuePair().readsInPlace(0)) {
            long view = queuePair().read(address(0, 0), 8 * words);
            queuePair().await();
            assertThat(new LandedView(view, 0, words, 0).isWhole()).isTrue();
        } else {
            assertTooLarge(() -> queuePair().read(address(0, 0), 8 * words));
        }
    }

    @Test
    default void aBatchLargerThanTheLandingBufferIsRefusedWhereItLands() {
        int inPlaceReads = queuePair().readsInPlace(0) ? 0 : LANDING_BYTES / 16;
        queuePair().read(address(0, 0), 8 * Math.max(inPlaceReads, 1));
        for (int i = inPlaceReads; i < LANDING_BYTES / 8; i++) {
            queuePair().compareAndSwap(address(0, 0), -1, -2);
        }
        assertTooLarge(() -> queuePair().fetchAndAdd(address(0, 8), 1));
        assertThat(readWord(connect(), address(0, 8))).isZero();
    }

    private void assertTooLarge(Runnable post) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> {
                    post.run();
                    queuePair().await();
                })
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.TOO_LARGE));
    }

    /// Numbers the words of server 0's region; returns how many there are.
    private int numberWords() {
        int bytes = (int) FabricCase.regionBytes(0);
        long source = queuePair().localMemory(bytes);
        for (int word = 0; word < bytes / 8; word++) {
            LocalMemory.putLong(source + 8L * word, word);
        }
        queuePair().write(address(0, 0), source, bytes);
        queuePair().await();
        return bytes / 8;
    }
}
