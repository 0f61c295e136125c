package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryBackoffTest {
    private final RetryBackoff backoff = new RetryBackoff(2);

    /// @return for how many passes it is skipped from now on
    private int rest(int what) {
        backoff.rest(what);
        int passes = 0;
        while (backoff.isResting(what)) {
            backoff.startPass();
            passes++;
        }
        return passes;
    }

    @Test
    void eachRestIsTwiceAsLongUpToALimit() {
        int last = rest(0);
        assertThat(last).isPositive();
        for (int i = 0; i < 4; i++) {
            int next = rest(0);
            assertThat(next).isEqualTo(2 * last);
            last = next;
        }
        for (int i = 0; i < 10; i++) {
            last = rest(0);
        }
        assertThat(rest(0)).as("no longer").isEqualTo(last);
    }

    @Test
    void aResetStartsOver() {
        int first = rest(0);
        rest(0);
        backoff.reset(0);
        assertThat(rest(0)).isEqualTo(first);
    }

    @Test
    void oneRestDoesNotDelayTheOthers() {
        backoff.rest(0);
        assertThat(backoff.isResting(0)).isTrue();
        assertThat(backoff.isResting(1)).isFalse();
    }

    @Test
    void aRestIsNotMadeLongerByMoreFailures() {
        int first = rest(1);
        backoff.reset(1);
        backoff.rest(1);
        backoff.rest(1);
        assertThat(rest(1)).isEqualTo(first);
    }
}
