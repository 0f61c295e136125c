package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private final RowClaims.Block c = claims.block();

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
            Thread waiting = start(b, ONE);
            if (round % 2 == 0) {
                Thread _ = awaitWait(waiting);
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
        b.claimPatiently(7, ONE, RowClaimsTest::nothing);
        assertThat(b.claim(7, ONE)).isFalse();
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, TWO)).isTrue();
        b.claimPatiently(7, TWO, RowClaimsTest::nothing); // it does not wait for that block again
        a.end();
        b.claimPatiently(7, TWO, RowClaimsTest::nothing);
        assertThat(b.claim(7, TWO)).isTrue();
    }

    @Test
    void ofTwoThatWouldWaitForEachOtherOneGoesOn() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, TWO)).isTrue();
        Thread waiting = awaitWait(start(a, TWO));
        b.claimPatiently(7, ONE, RowClaimsTest::nothing);
        assertThat(b.claim(7, ONE)).isFalse();
        b.end();
        waiting.join();
        assertThat(a.claim(7, TWO)).isTrue();
    }

    /// ```
    /// a  has 1
    /// b  has 2    waits for 1
    /// c                         waits for 2
    /// ```
    @Test
    void aBlockThatWaitsIsWaitedFor() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, TWO)).isTrue();
        Thread first = awaitWait(start(b, ONE));
        Thread second = awaitWait(start(c, TWO));
        a.end();
        first.join();
        assertThat(b.claim(7, ONE)).isTrue();
        assertThat(second.isAlive()).isTrue();
        b.end();
        second.join();
        assertThat(c.claim(7, TWO)).isTrue();
    }

    @Test
    void ofThreeInACircleOneGoesOn() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        @Nullable Object[] three = {3};
        assertThat(a.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, TWO)).isTrue();
        assertThat(c.claim(7, three)).isTrue();
        Thread first = awaitWait(start(a, TWO));
        Thread second = awaitWait(start(b, three));
        c.claimPatiently(7, ONE, RowClaimsTest::nothing);
        assertThat(c.claim(7, ONE)).isFalse();
        c.end();
        second.join();
        b.end();
        first.join();
        assertThat(a.claim(7, TWO)).isTrue();
    }

    @Test
    void aRowGoesToThoseThatWaitInTheirOrder() throws InterruptedException {
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        assertThat(a.claim(7, ONE)).isTrue();
        Thread first = awaitWait(start(b, ONE));
        Thread second = awaitWait(start(c, ONE));
        a.end();
        assertThat(a.claim(7, ONE)).isFalse();
        first.join();
        assertThat(second.isAlive()).isTrue();
        b.end();
        second.join();
        assertThat(c.claim(7, ONE)).isTrue();
    }

    @Test
    void aWaitThatIsCancelledLeavesItsPlace() throws InterruptedException {
        assertThat(a.claim(7, ONE)).isTrue();
        assertThatThrownBy(() ->
                        b.claimPatiently(
                                7,
                                ONE,
                                () -> {
                                    throw new IllegalStateException("cancelled");
                                }))
                .hasMessage("cancelled");
        claims.maxWaitNanos = Long.MAX_VALUE / 2;
        Thread waiting = awaitWait(start(c, ONE));
        a.end();
        waiting.join();
        assertThat(c.claim(7, ONE)).isTrue();
        assertThat(b.claim(7, ONE)).isFalse();
    }

    private static void nothing() {}

    private static Thread start(RowClaims.Block block, @Nullable Object[] key) {
        return Thread.ofPlatform()
                .start(() -> block.claimPatiently(7, key, RowClaimsTest::nothing));
    }

    private static Thread awaitWait(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
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
