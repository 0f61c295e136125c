package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordNumbersTest {
    @Test
    void anUncommittedNumberEndsTheNumbersThatMayBeRead() {
        RecordNumbers numbers = new RecordNumbers(10, 1);
        assertThat(numbers.count()).isEqualTo(10);
        long first = numbers.claim();
        long second = numbers.claim();
        numbers.committed(second);
        assertThat(numbers.count()).isEqualTo(10);
        numbers.committed(first);
        assertThat(numbers.count()).isEqualTo(12);
    }

    @Test
    void inAnyOrderAllAreCountedInTheEnd() {
        RecordNumbers numbers = new RecordNumbers(0, 1);
        for (int round = 0; round < 20; round++) {
            List<Long> claimed = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                claimed.add(numbers.claim());
            }
            Collections.shuffle(claimed, new Random(round));
            claimed.forEach(numbers::committed);
            assertThat(numbers.count()).isEqualTo((round + 1) * 10_000L);
        }
    }

    @Test
    void manyThreadsLeaveNoneOut() throws InterruptedException {
        RecordNumbers numbers = new RecordNumbers(5, 1);
        int each = 200_000;
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                for (int i = 0; i < each; i++) {
                                    numbers.committed(numbers.claim());
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(numbers.count()).isEqualTo(5 + 4L * each);
    }

    @Test
    void noTwoRecordsOfAnyRunHaveTheSameKey() {
        Set<Long> keys = new HashSet<>();
        for (long run = 1; run <= 3; run++) {
            RecordNumbers numbers = new RecordNumbers(1_000, run);
            for (long number = run == 1 ? 0 : 1_000; number < 20_000; number++) {
                assertThat(keys.add(numbers.key(number))).isTrue();
            }
        }
    }
}
