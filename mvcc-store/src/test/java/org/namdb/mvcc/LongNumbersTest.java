package org.namdb.mvcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

class LongNumbersTest {
    private final long seed = Seeds.next();
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void givesTheNumberBeforeAsAMapDoes() {
        LongNumbers numbers = new LongNumbers();
        for (int round = 0; round < 200; round++) {
            Map<Long, Integer> model = new HashMap<>();
            int inserts = random.nextInt(1 << random.nextInt(1, 12));
            int homes = random.nextInt(1, 1 << random.nextInt(1, 12));
            for (int number = 0; number < inserts; number++) {
                // Buckets lie one behind the other, so their addresses have their low bits in
                // common.
                long home = (1L << 56) + 192L * random.nextInt(homes);
                Integer before = model.put(home, number);
                assertThat(numbers.replace(home, number))
                        .as("-Dnamdb.seed=%d, round %d", seed, round)
                        .isEqualTo(before == null ? LongNumbers.NONE : before);
            }
            numbers.clear();
        }
    }

    @Test
    void numbersKeysInTheOrderInWhichTheyAreMetFirst() {
        LongNumbers numbers = new LongNumbers();
        for (int round = 0; round < 200; round++) {
            Map<Long, Integer> model = new HashMap<>();
            int lookUps = random.nextInt(1 << random.nextInt(1, 12));
            long least = random.nextLong();
            int range = random.nextInt(1, 1 << random.nextInt(1, 12));
            for (int i = 0; i < lookUps; i++) {
                long key = least + random.nextInt(range);
                int next = model.size();
                Integer known = model.putIfAbsent(key, next);
                assertThat(numbers.numberOf(key, next))
                        .as("-Dnamdb.seed=%d, round %d", seed, round)
                        .isEqualTo(known == null ? next : known);
            }
            numbers.clear();
        }
    }
}
