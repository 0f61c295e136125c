package org.namdb.sql.engine.expression.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// What LIKE's patterns match.
class LikePatternTest {
    @Test
    void aPatternMatchesWhatALoopOverAllSplitsMatches() {
        String[] symbols = {"a", "b", "%", "_"};
        List<String> patterns = new ArrayList<>(List.of(""));
        for (int i = 0; i < patterns.size() && patterns.get(i).length() < 4; i++) {
            for (String symbol : symbols) {
                patterns.add(patterns.get(i) + symbol);
            }
        }
        String[] texts = {"", "a", "b", "ab", "ba", "aab", "abab", "bbaab"};
        for (String pattern : patterns) {
            LikePattern compiled = LikePattern.compile(pattern, "\\", false);
            LikePattern folded = LikePattern.compile(pattern, "\\", true);
            for (String text : texts) {
                boolean expected = matches(text, pattern);
                assertThat(compiled.matches(text))
                        .as(text + " like " + pattern)
                        .isEqualTo(expected);
                assertThat(folded.matches(text.toUpperCase(Locale.ROOT))).isEqualTo(expected);
            }
        }
    }

    private static boolean matches(String text, String pattern) {
        if (pattern.isEmpty()) {
            return text.isEmpty();
        }
        String rest = pattern.substring(1);
        if (pattern.charAt(0) == '%') {
            return matches(text, rest) || (!text.isEmpty() && matches(text.substring(1), pattern));
        }
        boolean fits =
                !text.isEmpty()
                        && (pattern.charAt(0) == '_' || pattern.charAt(0) == text.charAt(0));
        return fits && matches(text.substring(1), rest);
    }
}
