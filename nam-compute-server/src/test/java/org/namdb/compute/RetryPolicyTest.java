package org.namdb.compute;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// How long the pauses may be, for many random numbers.
class RetryPolicyTest {
    private static long longest(RetryPolicy policy, int attempt, long attemptNanos) {
        long most = 0;
        for (long random = 0; random < 100_000; random++) {
            most = Math.max(most, policy.pauseNanos(attempt, attemptNanos, random << 1));
        }
        return most;
    }

    @Test
    void pausesDouble() {
        RetryPolicy policy = new RetryPolicy(100, 1_000, 20_000);
        assertThat(longest(policy, 1, 0)).isEqualTo(1_000);
        assertThat(longest(policy, 2, 0)).isEqualTo(2_000);
        assertThat(longest(policy, 5, 0)).isEqualTo(16_000);
        assertThat(longest(policy, 6, 0)).isEqualTo(20_000);
        assertThat(longest(policy, 100, 0)).isEqualTo(20_000);
        assertThat(longest(RetryPolicy.NONE, 1, 0)).isZero();
    }

    @Test
    void theTimeOfAnAttemptDoesNotMatterUnlessItIsAskedFor() {
        RetryPolicy policy = new RetryPolicy(100, 1_000, 20_000);
        assertThat(longest(policy, 1, 50_000)).isEqualTo(1_000);
        assertThat(policy.measuresAttempts()).isFalse();
        assertThat(RetryPolicy.DEFAULT.measuresAttempts()).isFalse();
        assertThat(RetryPolicy.NETWORK.measuresAttempts()).isTrue();
    }

    @Test
    void pausesFollowTheLostAttempt() {
        RetryPolicy policy = new RetryPolicy(100, 1_000, 20_000, 8, false);
        assertThat(longest(policy, 1, 5_000)).isEqualTo(5_000);
        assertThat(longest(policy, 2, 5_000)).isEqualTo(10_000);
        assertThat(longest(policy, 9, 5_000)).isEqualTo(40_000);
        assertThat(longest(policy, 1, 10)).isEqualTo(1_000);
        assertThat(longest(policy, 9, 10)).isEqualTo(20_000);
    }

    /// Until a dead process's lease was over, or in a debugger.
    @Test
    void anAttemptThatHadToWaitMakesNoLongPause() {
        long minute = 60_000_000_000L;
        for (int attempt = 1; attempt < 100; attempt++) {
            for (long random = -1; random < 1_000_000_000_000L; random += 12_345_678_901L) {
                assertThat(RetryPolicy.NETWORK.pauseNanos(attempt, minute, random))
                        .isBetween(0L, 100_000_000L);
            }
        }
    }

    @Test
    void pausesMustRise() {
        assertThatThrownBy(() -> new RetryPolicy(1, 2, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RetryPolicy(1, 1, 1, -1, false))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /// A lock that is always held stands for a process that has died.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPolicyThatOutlastsTheDeadIsNotLimitedByTheNumberOfAttempts(boolean outlastsTheDead) {
        Duration latchWait = Duration.ofMillis(300);
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64L << 20)
                        .withRetryPolicy(new RetryPolicy(3, 0, 0, 0, outlastsTheDead))
                        .withLatchWait(latchWait);
        try (NamDb db = NamDb.embedded(options);
                Session session = db.session();
                Session other = db.session()) {
            Table table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT64)
                                    .column("n", ColumnType.INT64)
                                    .primaryKey("id")
                                    .build());
            Column n = table.column("n");
            session.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(1)));
            int[] attempts = {0};
            long began = System.nanoTime();
            assertThatThrownBy(() ->
                            session.transact(tx -> {
                                attempts[0]++;
                                Row row = tx.read(table, table.newKey().set(1));
                                other.transact(in -> {
                                    Row same = in.read(table, table.newKey().set(1));
                                    requireNonNull(same).setInt64(n, attempts[0]);
                                    return true;
                                });
                                requireNonNull(row).setInt64(n, 0);
                                return true;
                            }))
                    .isInstanceOf(TransactionException.class)
                    .hasMessageContaining("in " + attempts[0] + " attempts");
            if (outlastsTheDead) {
                assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(latchWait.toNanos());
                assertThat(attempts[0]).isGreaterThan(3);
            } else {
                assertThat(attempts[0]).isEqualTo(3);
            }
        }
    }
}
