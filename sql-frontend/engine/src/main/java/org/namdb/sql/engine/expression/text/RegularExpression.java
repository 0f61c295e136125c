package org.namdb.sql.engine.expression.text;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A regular expression of PostgreSQL's advanced form.
///
/// Java's engine is the fastest with most patterns, but goes back and forth: with some its time is
/// exponential in the text's length, or its stack is as deep as the text is long. So it gets steps
/// in proportion to the text, and when they or the stack don't suffice RE2's engine matches, whose
/// time is linear. Patterns with back references or lookaround, which RE2 refuses, are left to
/// Java's, with a check now and then whether the statement is cancelled.
public final class RegularExpression {
    private static final int STEPS = 10_000;
    private static final int STEPS_FOR_CHARACTER = 100;
    private static final int UNCOUNTED_STEPS = 1_000_000;

    /// After so many steps it is checked whether the statement is cancelled. RE2's engine takes one
    /// for each instruction of the pattern's program that may be at a character.
    private static final int STEPS_BETWEEN_CHECKS = 1 << 16;

    /// What compiled patterns may hold together, in characters of their texts.
    private static final long MAX_KEPT = 1 << 20;

    private static final Cache<Key, RegularExpression> KEPT =
            Caffeine.newBuilder()
                    .maximumWeight(MAX_KEPT)
                    .weigher((Key key, RegularExpression _) -> 100 + key.pattern.length())
                    .executor(Runnable::run)
                    .build();

    private final Pattern backtracking;
    private final RegularExpressionParser.Parsed parsed;
    private com.google.re2j.@Nullable Pattern linear;
    private boolean isLinearKnown;
    private com.google.re2j.@Nullable Pattern longest;

    private record Key(String pattern, Options options) {}

    /// How a pattern is read.
    ///
    /// @param isDotLimited whether neither `.` nor `[^a]` match the end of a line
    /// @param isMultiline whether `^` and `$` match at the ends of lines, too
    /// @param isLiteral whether the pattern is a text
    /// @param isExpanded whether blanks and comments stand between its parts
    public record Options(
            boolean ignoresCase,
            boolean isDotLimited,
            boolean isMultiline,
            boolean isLiteral,
            boolean isExpanded) {
        public static final Options NONE = new Options(false, false, false, false, false);

        /// Those of `~*`.
        public static final Options IGNORING_CASE = NONE.with('i');

        /// Those of a text of letters.
        ///
        /// @throws SqlException 22023 if a letter is none of an option
        public static Options of(String letters) {
            Options options = NONE;
            for (int i = 0; i < letters.length(); i++) {
                options = options.with(letters.charAt(i));
            }
            return options;
        }

        /// With an option that PostgreSQL has a letter for.
        ///
        /// @throws SqlException 22023 if it has none
        public Options with(char letter) {
            return switch (letter) {
                case 'i' -> new Options(true, isDotLimited, isMultiline, isLiteral, isExpanded);
                case 'c' -> new Options(false, isDotLimited, isMultiline, isLiteral, isExpanded);
                case 'n', 'm' -> new Options(ignoresCase, true, true, isLiteral, isExpanded);
                case 'p' -> new Options(ignoresCase, true, false, isLiteral, isExpanded);
                case 'w' -> new Options(ignoresCase, false, true, isLiteral, isExpanded);
                case 's' -> new Options(ignoresCase, false, false, isLiteral, isExpanded);
                case 'q' -> new Options(ignoresCase, isDotLimited, isMultiline, true, isExpanded);
                case 'x' -> new Options(ignoresCase, isDotLimited, isMultiline, isLiteral, true);
                case 't' -> new Options(ignoresCase, isDotLimited, isMultiline, isLiteral, false);
                default ->
                        throw new SqlException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "invalid regular expression option: \"" + letter + "\"");
            };
        }

        private int flags() {
            return Pattern.DOTALL
                    | (ignoresCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0)
                    | (isMultiline ? Pattern.MULTILINE | Pattern.UNIX_LINES : 0);
        }

        private int flagsOfLinear() {
            return com.google.re2j.Pattern.DOTALL
                    | (ignoresCase ? com.google.re2j.Pattern.CASE_INSENSITIVE : 0)
                    | (isMultiline ? com.google.re2j.Pattern.MULTILINE : 0);
        }
    }

    private RegularExpression(Pattern backtracking, RegularExpressionParser.Parsed parsed) {
        this.backtracking = backtracking;
        this.parsed = parsed;
    }

    /// A pattern, which is compiled once.
    ///
    /// @throws SqlException 2201B if it is none
    public static RegularExpression of(String pattern, Options options) {
        Key key = new Key(pattern, options);
        RegularExpression known = KEPT.getIfPresent(key);
        if (known == null) {
            known = compile(pattern, options);
            KEPT.put(key, known);
        }
        return known;
    }

    private static RegularExpression compile(String pattern, Options options) {
        RegularExpressionParser.Parsed parsed = RegularExpressionParser.parse(pattern, options);
        try {
            return new RegularExpression(
                    Pattern.compile(parsed.textOfJava(), parsed.options().flags()), parsed);
        } catch (PatternSyntaxException e) {
            throw RegularExpressionParser.invalid(e.getDescription());
        }
    }

    /// A text of which steps are only counted if they may be many: each repetition of a part tries
    /// no more lengths than the text has.
    private CharSequence limited(String text) {
        if (Math.pow(text.length(), 1 + parsed.repetitions()) <= UNCOUNTED_STEPS) {
            return text;
        }
        return new SteppedText(text, STEPS + (long) STEPS_FOR_CHARACTER * text.length(), null);
    }

    /// Null if the pattern needs to go back.
    private synchronized com.google.re2j.@Nullable Pattern linear() {
        if (!isLinearKnown) {
            isLinearKnown = true;
            try {
                linear =
                        com.google.re2j.Pattern.compile(
                                parsed.text(), parsed.options().flagsOfLinear());
            } catch (com.google.re2j.PatternSyntaxException e) {
                linear = null;
            }
        }
        return linear;
    }

    /// The matches in a text, one behind the other: where the whole begins and ends, then each
    /// group; -1 for a group that takes no part. As in PostgreSQL the longest of several matches
    /// counts, but in a pattern with a quantifier that takes as little as it can, or with what RE2
    /// refuses, the one that Java would find.
    ///
    /// @param from where the first may begin
    /// @param max how many there are at most
    /// @param checkCancelled throws if the statement is cancelled; called now and then
    public List<int[]> matches(String text, int from, long max, Runnable checkCancelled) {
        com.google.re2j.Pattern pattern = linear();
        SteppedText checked = checked(text, pattern, checkCancelled);
        List<int[]> matches = new ArrayList<>();
        if (pattern == null) {
            Matcher matcher = backtracking.matcher(checked);
            for (boolean found = matcher.find(from);
                    found && matches.size() < max;
                    found = matcher.find()) {
                matches.add(places(matcher.groupCount(), matcher::start, matcher::end));
            }
            return matches;
        }
        com.google.re2j.Matcher matcher = (parsed.hasLazy() ? pattern : longest()).matcher(checked);
        for (boolean found = matcher.find(from);
                found && matches.size() < max;
                found = matcher.find()) {
            matches.add(places(matcher.groupCount(), matcher::start, matcher::end));
        }
        return matches;
    }

    private static SteppedText checked(
            String text, com.google.re2j.@Nullable Pattern linear, Runnable checkCancelled) {
        int size = linear == null ? 1 : linear.programSize();
        checkCancelled.run();
        return new SteppedText(text, Math.max(1, STEPS_BETWEEN_CHECKS / size), checkCancelled);
    }

    private synchronized com.google.re2j.Pattern longest() {
        com.google.re2j.Pattern known = longest;
        if (known == null) {
            int flags = parsed.options().flagsOfLinear() | com.google.re2j.Pattern.LONGEST_MATCH;
            known = com.google.re2j.Pattern.compile(parsed.text(), flags);
            longest = known;
        }
        return known;
    }

    private static int[] places(int groups, IntUnaryOperator start, IntUnaryOperator end) {
        int[] places = new int[2 * groups + 2];
        for (int i = 0; i <= groups; i++) {
            places[2 * i] = start.applyAsInt(i);
            places[2 * i + 1] = end.applyAsInt(i);
        }
        return places;
    }

    /// Whether a part of a text matches.
    ///
    /// @param checkCancelled throws if the statement is cancelled; called now and then
    public boolean finds(String text, Runnable checkCancelled) {
        try {
            return backtracking.matcher(limited(text)).find();
        } catch (SteppedText.OutOfSteps | StackOverflowError e) {
            com.google.re2j.Pattern other = linear();
            SteppedText checked = checked(text, other, checkCancelled);
            return other == null
                    ? backtracking.matcher(checked).find()
                    : other.matcher(checked).find();
        }
    }
}
