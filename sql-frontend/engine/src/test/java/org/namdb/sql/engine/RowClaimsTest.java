package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Host;

@Timeout(60)
class RowClaimsTest {
    private static final @Nullable Object[] ONE = {1};
    private static final @Nullable Object[] TWO = {2};

    private final RowClaims claims = new RowClaims(Host.MACHINE);
    private final RowClaims.Block a = claims.block();
    private final RowClaims.Block b = claims.block();

    @Test
    void aRowIsOneBlocksUntilThatEnds() {
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, ONE)).isFalse();
        assertThat(b.claim(7, TWO)).isTrue();
        assertThat(b.claim(8, ONE)).isTrue();
        a.end();
        assertThat(b.claim(7, ONE)).isTrue();
        assertThat(a.claim(7, ONE)).isFalse();
    }

    @Test
    void aWaitEndsWithTheOtherBlock() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        for (int round = 0; round < 100; round++) {
            assertThat(a.claim(7, ONE)).isTrue();
            Thread waiting = Thread.ofPlatform().start(() -> b.claimPatiently(7, ONE));
            if (round % 2 == 0) {
                awaitWait(waiting);
            }
            a.end();
            waiting.join();
            assertThat(b.claim(7, ONE)).isTrue();
            assertThat(a.claim(7, ONE)).isFalse();
            b.end();
        }
    }

    @Test
    void aWaitForABlockThatGoesOnEndsToo() {
        assertThat(a.claim(7, ONE)).isTrue();
        b.claimPatiently(7, ONE);
        assertThat(b.claim(7, ONE)).isFalse();
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, TWO)).isTrue();
        b.claimPatiently(7, TWO); // it does not wait for that block again
        a.end();
        b.claimPatiently(7, TWO);
        assertThat(b.claim(7, TWO)).isTrue();
    }

    @Test
    void ofTwoThatWouldWaitForEachOtherOneGoesOn() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, TWO)).isTrue();
        Thread waiting = Thread.ofPlatform().start(() -> a.claimPatiently(7, TWO));
        awaitWait(waiting);
        b.claimPatiently(7, ONE);
        assertThat(b.claim(7, ONE)).isFalse();
        b.end();
        waiting.join();
        assertThat(a.claim(7, TWO)).isTrue();
    }

    private static void awaitWait(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aBlockClaimsSoManyRowsOnly() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(a.claim(7, new @Nullable Object[] {i})).isTrue();
        }
        assertThat(b.claim(7, new @Nullable Object[] {0})).isFalse();
        assertThat(b.claim(7, new @Nullable Object[] {9_999})).isTrue();
    }
}
