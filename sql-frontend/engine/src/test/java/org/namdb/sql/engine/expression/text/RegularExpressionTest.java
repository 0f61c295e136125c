package org.namdb.sql.engine.expression.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What can't be seen in the answers, which golden files have.
class RegularExpressionTest {
    /// RE2's engine follows up to 500 instructions at each character.
    @Test
    void aLargePatternIsCheckedForCancellationWithinAShortText() {
        RegularExpression pattern =
                RegularExpression.of("(a?){250}(b|c)", RegularExpression.Options.NONE);
        AtomicInteger checks = new AtomicInteger();
        assertThat(pattern.matches("a".repeat(2_000), 0, 1, checks::incrementAndGet)).isEmpty();
        assertThat(checks).hasValueGreaterThan(10);
        checks.set(0);
        assertThat(pattern.finds("a".repeat(2_000), checks::incrementAndGet)).isFalse();
        assertThat(checks).hasValueGreaterThan(10);
    }
}
