package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RestsTest {
    private final Rests rests = new Rests(2);

    /// @return for how many passes it is skipped from now on
    private int rest(int what) {
        rests.rest(what);
        int passes = 0;
        while (rests.isResting(what)) {
            rests.startPass();
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
        rests.reset(0);
        assertThat(rest(0)).isEqualTo(first);
    }

    @Test
    void oneRestDoesNotDelayTheOthers() {
        rests.rest(0);
        assertThat(rests.isResting(0)).isTrue();
        assertThat(rests.isResting(1)).isFalse();
    }

    @Test
    void aRestIsNotMadeLongerByMoreFailures() {
        int first = rest(1);
        rests.reset(1);
        rests.rest(1);
        rests.rest(1);
        assertThat(rest(1)).isEqualTo(first);
    }
}
