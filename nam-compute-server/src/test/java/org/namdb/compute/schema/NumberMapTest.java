package org.namdb.compute.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NumberMapTest {
    /// Of a few values.
    private static final long MOST_BYTES = 2_000;

    @Test
    void itHoldsWhatAMapHolds() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Map<Integer, String> model = new HashMap<>();
        NumberMap<String> map = new NumberMap<>();
        for (int step = 0; step < 20_000; step++) {
            int number = random.nextInt(4) == 0 ? random.nextInt(1 << 24) : random.nextInt(300);
            if (random.nextInt(3) == 0) {
                assertThat(map.remove(number)).isEqualTo(model.remove(number));
            } else {
                map.put(number, "v" + step);
                model.put(number, "v" + step);
            }
            if (step % 1000 == 0) {
                map = map.copy();
                NumberMap<String> now = map;
                model.forEach((key, value) -> assertThat(now.get(key)).isEqualTo(value));
            }
            assertThat(map.get(number)).isEqualTo(model.get(number));
        }
    }

    /// Its size is that of the values, not that of the numbers.
    @Test
    void itStaysSmallWhileNumbersRise() {
        int alive = 5;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        NumberMap<String> map = new NumberMap<>();
        for (int number = 1; number <= 1_000_000; number++) {
            map.put(number, "v");
            assertThat(map.remove(number - alive) != null).isEqualTo(number > alive);
            if (number % 10_000 == 0) {
                long before = threads.getCurrentThreadAllocatedBytes();
                NumberMap<String> copy = map.copy();
                assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                        .as("at %d", number)
                        .isLessThan(MOST_BYTES);
                assertThat(copy.get(number)).isEqualTo("v");
            }
        }
    }
}
