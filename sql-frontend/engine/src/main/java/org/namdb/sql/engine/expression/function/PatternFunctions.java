package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.language.type.SqlType.BOOLEAN;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.text.LikePattern;
import org.namdb.sql.engine.expression.text.RegularExpression;
import org.namdb.sql.engine.expression.text.RegularExpression.Options;
import org.namdb.sql.engine.expression.text.SimilarPattern;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// Functions of patterns: of regular expressions, and of those of LIKE and SIMILAR TO.
final class PatternFunctions {
    private static final SqlType TEXTS = SqlType.arrayOf(TEXT);
    private static final String MATCHES = "regexp_matches";
    private static final String SPLIT = "regexp_split_to_table";

    /// Those whose value is an array of the rows that they give.
    static final List<String> GIVING_ROWS = List.of(MATCHES, SPLIT);

    private PatternFunctions() {}

    static void addTo(FunctionTable table) {
        table.add(
                "like_escape",
                TEXT,
                a -> LikePattern.withBackslashes((String) a[0], (String) a[1]),
                TEXT,
                TEXT);
        table.add(
                "similar_to_escape",
                TEXT,
                a -> SimilarPattern.regular((String) a[0], (String) a[1]),
                TEXT,
                TEXT);
        table.add(
                "similar_to_escape", TEXT, a -> SimilarPattern.regular((String) a[0], "\\"), TEXT);
        String insensitive = "texticregexeq";
        add(table, "textregexeq", BOOLEAN, (f, a) -> finds(f, a, Options.NONE), TEXT, TEXT);
        add(table, insensitive, BOOLEAN, (f, a) -> finds(f, a, Options.IGNORING_CASE), TEXT, TEXT);
        add(table, "substring", TEXT, PatternFunctions::part, TEXT, TEXT);
        for (SqlType[] types : new SqlType[][] {{TEXT, TEXT}, {TEXT, TEXT, TEXT}}) {
            add(
                    table,
                    "regexp_like",
                    BOOLEAN,
                    (f, a) -> finds(f, a, options("regexp_like", a, 2)),
                    types);
            add(table, "regexp_match", TEXTS, PatternFunctions::firstMatch, types);
            String split = "regexp_split_to_array";
            add(table, split, TEXTS, (f, a) -> split(f, a, split), types);
            add(table, SPLIT, TEXTS, (f, a) -> split(f, a, SPLIT), types);
            SqlType rows = SqlType.arrayOf(TEXTS);
            add(table, MATCHES, rows, PatternFunctions::allMatches, types);
        }
        SqlType[] ofPart = {TEXT, TEXT, INTEGER, INTEGER, TEXT, INTEGER};
        for (int count = 2; count <= ofPart.length; count++) {
            SqlType[] types = Arrays.copyOf(ofPart, count);
            add(table, "regexp_substr", TEXT, PatternFunctions::substring, types);
        }
        SqlType[] ofPlace = {TEXT, TEXT, INTEGER, INTEGER, INTEGER, TEXT, INTEGER};
        for (int count = 2; count <= ofPlace.length; count++) {
            SqlType[] types = Arrays.copyOf(ofPlace, count);
            add(table, "regexp_instr", INTEGER, PatternFunctions::place, types);
        }
        add(table, "regexp_count", INTEGER, PatternFunctions::count, TEXT, TEXT);
        add(table, "regexp_count", INTEGER, PatternFunctions::count, TEXT, TEXT, INTEGER);
        add(table, "regexp_count", INTEGER, PatternFunctions::count, TEXT, TEXT, INTEGER, TEXT);
        String replace = "regexp_replace";
        SqlType[] parts = {TEXT, TEXT, TEXT, INTEGER, INTEGER, TEXT};
        add(table, replace, TEXT, (f, a) -> replace(f, a, 1, 1, ""), TEXT, TEXT, TEXT);
        add(
                table,
                replace,
                TEXT,
                (f, a) -> {
                    String flags = (String) a[3];
                    boolean isGlobal = flags.indexOf('g') >= 0;
                    return replace(f, a, 1, isGlobal ? 0 : 1, flags.replace("g", ""));
                },
                TEXT,
                TEXT,
                TEXT,
                TEXT);
        for (int count = 4; count <= parts.length; count++) {
            add(
                    table,
                    replace,
                    TEXT,
                    (f, a) ->
                            replace(
                                    f,
                                    a,
                                    (Long) a[3],
                                    a.length > 4 ? (Long) a[4] : 1,
                                    a.length > 5 ? ((String) a[5]).replace("g", "") : ""),
                    Arrays.copyOf(parts, count));
        }
    }

    private static void add(
            FunctionTable table, String name, SqlType type, FunctionBody body, SqlType... types) {
        table.add(name, type, Volatility.IMMUTABLE, body, types);
    }

    /// The options that the last argument of a function names, if it has it.
    private static Options options(String function, Object[] arguments, int index) {
        if (arguments.length <= index) {
            return Options.NONE;
        }
        String letters = (String) arguments[index];
        if (letters.indexOf('g') >= 0) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    function + "() does not support the \"global\" option");
        }
        return Options.of(letters);
    }

    private static boolean finds(EvaluationFrame frame, Object[] arguments, Options options) {
        return RegularExpression.of((String) arguments[1], options)
                .finds((String) arguments[0], frame.environment()::checkCancelled);
    }

    private static List<int[]> matches(
            EvaluationFrame frame, Object[] arguments, Options options, int from, long max) {
        return RegularExpression.of((String) arguments[1], options)
                .matches((String) arguments[0], from, max, frame.environment()::checkCancelled);
    }

    private static @Nullable String group(String text, int[] match, int group) {
        int start = match[2 * group];
        return start < 0 ? null : text.substring(start, match[2 * group + 1]);
    }

    /// `SUBSTRING(a FROM pattern)`: the first group if there is one, else all that matches.
    private static @Nullable String part(EvaluationFrame frame, Object[] arguments) {
        List<int[]> found = matches(frame, arguments, Options.NONE, 0, 1);
        if (found.isEmpty()) {
            return null;
        }
        int[] match = found.getFirst();
        return group((String) arguments[0], match, match.length > 2 ? 1 : 0);
    }

    /// The groups, or all that matches if there are none.
    private static @Nullable SqlArray firstMatch(EvaluationFrame frame, Object[] arguments) {
        Options options = options("regexp_match", arguments, 2);
        List<int[]> found = matches(frame, arguments, options, 0, 1);
        return found.isEmpty() ? null : groups((String) arguments[0], found.getFirst());
    }

    private static SqlArray groups(String text, int[] match) {
        List<@Nullable String> groups = new ArrayList<>();
        for (int i = match.length > 2 ? 1 : 0; 2 * i < match.length; i++) {
            groups.add(group(text, match, i));
        }
        return new SqlArray(TEXT, groups);
    }

    /// The groups of the first match, with the option `g` of each.
    private static SqlArray allMatches(EvaluationFrame frame, Object[] arguments) {
        String letters = arguments.length > 2 ? (String) arguments[2] : "";
        boolean isGlobal = letters.indexOf('g') >= 0;
        Options options = Options.of(letters.replace("g", ""));
        List<int[]> found = matches(frame, arguments, options, 0, isGlobal ? Long.MAX_VALUE : 1);
        String text = (String) arguments[0];
        return new SqlArray(TEXTS, found.stream().map(match -> groups(text, match)).toList());
    }

    private static @Nullable String substring(EvaluationFrame frame, Object[] arguments) {
        int[] part = numbered(frame, arguments, "regexp_substr", 4);
        return part == null ? null : group((String) arguments[0], part, 0);
    }

    /// Where a part begins, or what is behind it, from 1; 0 if there is none.
    private static long place(EvaluationFrame frame, Object[] arguments) {
        long end = arguments.length > 4 ? (Long) arguments[4] : 0;
        if (end != 0 && end != 1) {
            requirePositive(arguments);
            throw invalid("endoption", end);
        }
        int[] part = numbered(frame, arguments, "regexp_instr", 5);
        return part == null || part[0] < 0
                ? 0
                : ((String) arguments[0]).codePointCount(0, part[(int) end]) + 1;
    }

    /// The match of a number, or a group of it; null if there is none.
    ///
    /// @param at where the arguments have the options, and behind it the group
    private static int @Nullable [] numbered(
            EvaluationFrame frame, Object[] arguments, String function, int at) {
        requirePositive(arguments);
        long start = arguments.length > 2 ? (Long) arguments[2] : 1;
        long number = arguments.length > 3 ? (Long) arguments[3] : 1;
        long group = arguments.length > at + 1 ? (Long) arguments[at + 1] : 0;
        if (group < 0) {
            throw invalid("subexpr", group);
        }
        Options options = options(function, arguments, at);
        int from = place((String) arguments[0], start);
        List<int[]> found = from < 0 ? List.of() : matches(frame, arguments, options, from, number);
        if (found.size() < number) {
            return null;
        }
        int[] match = found.get((int) number - 1);
        // Without groups all that matches is the first one.
        long place = match.length == 2 && group == 1 ? 0 : 2 * group;
        return place < match.length ? new int[] {match[(int) place], match[(int) place + 1]} : null;
    }

    private static void requirePositive(Object[] arguments) {
        String[] names = {"start", "n"};
        for (int i = 0; i < names.length && arguments.length > i + 2; i++) {
            if ((Long) arguments[i + 2] < 1) {
                throw invalid(names[i], (Long) arguments[i + 2]);
            }
        }
    }

    /// The parts between matches; an empty one beside another, or at an end, divides nothing.
    private static SqlArray split(EvaluationFrame frame, Object[] arguments, String function) {
        String text = (String) arguments[0];
        Options options = options(function, arguments, 2);
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int[] match : matches(frame, arguments, options, 0, Long.MAX_VALUE)) {
            boolean isEmpty = match[0] == match[1];
            if (!isEmpty || match[0] > from && match[0] < text.length()) {
                parts.add(text.substring(from, match[0]));
                from = match[1];
            }
        }
        parts.add(text.substring(from));
        return new SqlArray(TEXT, parts);
    }

    private static long count(EvaluationFrame frame, Object[] arguments) {
        long start = arguments.length > 2 ? (Long) arguments[2] : 1;
        Options options = options("regexp_count", arguments, 3);
        int from = place((String) arguments[0], start);
        return from < 0 ? 0 : matches(frame, arguments, options, from, Long.MAX_VALUE).size();
    }

    /// @param start where the first match may begin, from 1
    /// @param number of the match that is replaced, from 1; 0 for all
    private static String replace(
            EvaluationFrame frame, Object[] arguments, long start, long number, String letters) {
        String text = (String) arguments[0];
        int from = place(text, start);
        if (number < 0) {
            throw invalid("n", number);
        }
        Options options = Options.of(letters);
        long max = number == 0 ? Long.MAX_VALUE : number;
        List<int[]> found = from < 0 ? List.of() : matches(frame, arguments, options, from, max);
        StringBuilder result = new StringBuilder();
        int end = 0;
        for (int i = number == 0 ? 0 : (int) number - 1; i < found.size(); i++) {
            int[] match = found.get(i);
            result.append(text, end, match[0]);
            insert(result, (String) arguments[2], text, match);
            end = match[1];
        }
        return result.append(text, end, text.length()).toString();
    }

    /// `\1` stands for a group, `\&` for all that matches, and `\\` for a backslash.
    private static void insert(StringBuilder result, String insertion, String text, int[] match) {
        for (int i = 0; i < insertion.length(); i++) {
            char c = insertion.charAt(i);
            char next = c == '\\' && i + 1 < insertion.length() ? insertion.charAt(i + 1) : 0;
            boolean isGroup = next >= '1' && next <= '9' || next == '&';
            if (isGroup) {
                int group = next == '&' ? 0 : next - '0';
                String part = 2 * group < match.length ? group(text, match, group) : null;
                result.append(part == null ? "" : part);
            } else {
                result.append(c);
            }
            i += isGroup || next == '\\' ? 1 : 0;
        }
    }

    /// The index of a character that is numbered from 1; -1 if it is behind the end.
    private static int place(String text, long number) {
        if (number < 1) {
            throw invalid("start", number);
        }
        boolean isWithin = number - 1 <= text.codePointCount(0, text.length());
        return isWithin ? text.offsetByCodePoints(0, (int) number - 1) : -1;
    }

    private static SqlException invalid(String parameter, long value) {
        return new SqlException(
                SqlState.INVALID_PARAMETER_VALUE,
                "invalid value for parameter \"" + parameter + "\": " + value);
    }
}
