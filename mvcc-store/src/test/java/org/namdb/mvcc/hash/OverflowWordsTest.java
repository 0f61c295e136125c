package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;

class OverflowWordsTest {
    private final OverflowWords words = new OverflowWords();

    @Test
    void whatWasNotAddedIsNotCached() {
        assertThat(words.after(RemoteAddress.of(0, 4096))).isEqualTo(RemoteAddress.NULL);
    }

    @Test
    void theEndOfAChainIsNotCached() {
        long home = RemoteAddress.of(0, 4096);
        words.learn(home, 7 * 64);
        words.learn(home, RemoteAddress.NULL);
        assertThat(words.after(home)).isEqualTo(7 * 64);
    }

    /// As long as the capacity can grow, nothing is evicted, and the last word counts.
    @Test
    void allThatFitsIsCached() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        Map<Long, Long> seen = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long address = RemoteAddress.of(random.nextInt(3), 64L * random.nextInt(1, 30_000));
            long word = 64L * random.nextInt(1, 1 << 20) | random.nextInt(6);
            words.learn(address, word);
            seen.put(address, word);
        }
        seen.forEach((address, word) -> assertThat(words.after(address)).isEqualTo(word));
    }
}
