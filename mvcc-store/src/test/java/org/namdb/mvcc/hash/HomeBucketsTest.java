package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

class HomeBucketsTest {
    @Test
    void givesTheNumberBeforeAsAMapDoes() {
        long seed = Seeds.next();
        SplittableRandom random = new SplittableRandom(seed);
        HomeBuckets buckets = new HomeBuckets();
        for (int round = 0; round < 200; round++) {
            Map<Long, Integer> model = new HashMap<>();
            int inserts = random.nextInt(1 << random.nextInt(1, 12));
            int homes = random.nextInt(1, 1 << random.nextInt(1, 12));
            for (int number = 0; number < inserts; number++) {
                // Buckets lie one behind the other, so their addresses have their low bits in
                // common.
                long home = (1L << 56) + 192L * random.nextInt(homes);
                Integer before = model.put(home, number);
                assertThat(buckets.replace(home, number))
                        .as("-Dnamdb.seed=%d, round %d", seed, round)
                        .isEqualTo(before == null ? HomeBuckets.NONE : before);
            }
            buckets.clear();
        }
    }
}
