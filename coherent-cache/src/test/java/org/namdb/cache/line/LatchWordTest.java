package org.namdb.cache.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Each station's part of the word is its own.
class LatchWordTest {
    @Test
    void theStationsHaveAllBits() {
        long readers = 0;
        for (int station = 1; station <= Stations.MAX; station++) {
            long bit = LatchWord.reader(station);
            assertThat(Long.bitCount(bit)).isEqualTo(1);
            assertThat(readers & bit).isZero();
            assertThat(LatchWord.writer(station) & bit).isZero();
            assertThat(LatchWord.firstReader(bit)).isEqualTo(station);
            readers |= bit;
        }
        assertThat(LatchWord.readers(-1L)).isEqualTo(readers);
        assertThat(LatchWord.writerOf(readers)).isZero();
    }

    /// As fetch-and-adds do it: in any order, and with a writer set.
    @Test
    void whatAStationAddsAndSubtractsLeavesTheOthersAsTheyAre() {
        long word = LatchWord.FREE;
        word += LatchWord.writer(58);
        word += LatchWord.reader(1);
        word += LatchWord.reader(58);
        assertThat(LatchWord.writerOf(word)).isEqualTo(58);
        assertThat(LatchWord.hasReader(word, 1)).isTrue();
        assertThat(LatchWord.hasReader(word, 2)).isFalse();
        assertThat(LatchWord.otherReaders(word, 1)).isEqualTo(LatchWord.reader(58));
        assertThat(LatchWord.describe(word)).isEqualTo("writer 58, readers 1 58");
        word += LatchWord.writer(7) - LatchWord.writer(58);
        assertThat(LatchWord.writerOf(word)).isEqualTo(7);
        word -= LatchWord.reader(58);
        word -= LatchWord.writer(7);
        assertThat(word).isEqualTo(LatchWord.reader(1));
        assertThat(word - LatchWord.reader(1)).isEqualTo(LatchWord.FREE);
    }
}
