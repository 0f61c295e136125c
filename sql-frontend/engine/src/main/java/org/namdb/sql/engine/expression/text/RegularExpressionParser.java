package org.namdb.sql.engine.expression.text;

import java.util.Map;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads a regular expression of PostgreSQL's *advanced* form, and writes it so that Java's engine
/// and RE2's understand the same by it. RE2 refuses what it can't match: back references and
/// lookaround.
///
/// Source: PostgreSQL 15, section 9.7.3.
final class RegularExpressionParser {
    private static final int MAX_REPETITIONS = 255;
    private static final int MAX_DIGITS = 9;

    /// So many repetitions stand for one of a group.
    private static final int MANY = 1000;

    /// The beginning of a line. Java's does not match at the end of the text.
    private static final String LINE_START = "(?m:^)";

    private static final String LINE_START_OF_JAVA = "(?:\\A|(?<=\\n))";
    private static final String BLANKS = "\\s\\x{b}";
    private static final String WORD_START = "\\b(?=\\w)";
    private static final String WORD_END = "\\b(?<=\\w)";

    /// The letters of PostgreSQL's classes in the locale C, as parts of a bracket expression.
    private static final Map<String, String> CLASSES =
            Map.ofEntries(
                    Map.entry("alnum", "0-9A-Za-z"),
                    Map.entry("alpha", "A-Za-z"),
                    Map.entry("ascii", "\\x{0}-\\x{7f}"),
                    Map.entry("blank", " \\t"),
                    Map.entry("cntrl", "\\x{0}-\\x{1f}\\x{7f}"),
                    Map.entry("digit", "0-9"),
                    Map.entry("graph", "!-~"),
                    Map.entry("lower", "a-z"),
                    Map.entry("print", "\\x{20}-~"),
                    Map.entry("punct", "!-/:-@\\[-`{-~"),
                    Map.entry("space", BLANKS),
                    Map.entry("upper", "A-Z"),
                    Map.entry("word", "\\w"),
                    Map.entry("xdigit", "0-9A-Fa-f"));

    private final String pattern;
    private final StringBuilder text = new StringBuilder();
    private RegularExpression.Options options;
    private int at;
    private boolean hasLazy;
    private int repetitions;
    private int groups;

    /// Whether what was read last can be repeated.
    private boolean isAtom;

    private RegularExpressionParser(String pattern, RegularExpression.Options options) {
        this.pattern = pattern;
        this.options = options;
    }

    /// What was read.
    ///
    /// @param hasLazy whether a quantifier takes as little as it can
    /// @param repetitions how many parts are repeated; of groups more than any other pattern has
    record Parsed(
            String text, RegularExpression.Options options, boolean hasLazy, int repetitions) {
        /// For Java's engine.
        String textOfJava() {
            return text.replace(LINE_START, LINE_START_OF_JAVA);
        }
    }

    /// @throws SqlException 2201B if the pattern is none
    static Parsed parse(String pattern, RegularExpression.Options options) {
        RegularExpressionParser parser = new RegularExpressionParser(pattern, options);
        parser.read();
        return new Parsed(
                parser.text.toString(), parser.options, parser.hasLazy, parser.repetitions);
    }

    private void read() {
        if (pattern.startsWith("***=")) {
            options = options.with('q');
            at = 4;
        } else if (pattern.startsWith("***:")) {
            at = 4;
        } else if (pattern.startsWith("***")) {
            throw invalid("quantifier operand invalid");
        }
        embeddedOptions();
        while (at < pattern.length()) {
            if (options.isLiteral()) {
                literal(next());
            } else {
                part(next());
            }
        }
    }

    /// `(?i)` and such at the beginning.
    private void embeddedOptions() {
        boolean isThere =
                !options.isLiteral()
                        && pattern.startsWith("(?", at)
                        && at + 2 < pattern.length()
                        && Character.isLetter(pattern.charAt(at + 2));
        if (isThere) {
            at += 2;
            while (peek() != ')') {
                if (at == pattern.length() || !Character.isLetter(peek())) {
                    throw invalid("invalid embedded option");
                }
                options = options.with((char) next());
            }
            at++;
        }
    }

    /// The next character; 0 at the end.
    private int peek() {
        return at < pattern.length() ? pattern.codePointAt(at) : 0;
    }

    private int next() {
        if (at == pattern.length()) {
            throw invalid("invalid escape \\ sequence");
        }
        int c = peek();
        at += Character.charCount(c);
        return c;
    }

    private boolean skip(String expected) {
        boolean isThere = pattern.startsWith(expected, at);
        at += isThere ? expected.length() : 0;
        return isThere;
    }

    private void part(int c) {
        if (options.isExpanded() && (Character.isWhitespace(c) || c == '#')) {
            int end = c == '#' ? pattern.indexOf('\n', at) : at;
            at = end < 0 ? pattern.length() : end;
            return;
        }
        switch (c) {
            case '\\' -> escape();
            case '[' -> bracket();
            case '(' -> open();
            case '*', '+', '?' -> quantifier(Character.toString(c));
            case '{' -> bounds();
            case '.' -> atom(options.isDotLimited() ? "[^\\n]" : ".");
            case '$' -> other(options.isMultiline() ? "$" : "\\z");
            case '^' -> other(options.isMultiline() ? LINE_START : "^");
            case '|' -> other("|");
            case ')' -> atom(")");
            default -> literal(c);
        }
    }

    private void atom(String what) {
        text.append(what);
        isAtom = true;
    }

    /// What can't be repeated.
    private void other(String what) {
        text.append(what);
        isAtom = false;
    }

    private void literal(int c) {
        quoted(c);
        isAtom = true;
    }

    private void quoted(int c) {
        boolean isPlain = c == ' ' || c >= 0x80 || Character.isLetterOrDigit(c);
        if (isPlain) {
            text.appendCodePoint(c);
        } else {
            text.append("\\x{").append(Integer.toHexString(c)).append('}');
        }
    }

    private void open() {
        if (peek() != '?') {
            groups++;
            other("(");
            return;
        }
        if (skip("?#")) {
            int end = pattern.indexOf(')', at);
            if (end < 0) {
                throw invalid("parentheses () not balanced");
            }
            at = end + 1;
            return;
        }
        for (String kind : new String[] {"?:", "?=", "?!", "?<=", "?<!"}) {
            if (skip(kind)) {
                other("(" + kind);
                return;
            }
        }
        throw invalid("quantifier operand invalid");
    }

    private void quantifier(String what) {
        if (!isAtom) {
            throw invalid("quantifier operand invalid");
        }
        repetitions += text.charAt(text.length() - 1) == ')' ? MANY : 1;
        text.append(what);
        if (skip("?")) {
            text.append('?');
            hasLazy = true;
        }
        isAtom = false;
    }

    /// A brace without a number behind it stands for itself.
    private void bounds() {
        if (!isDigit(peek())) {
            literal('{');
            return;
        }
        int least = number();
        int most = least;
        String what = "{" + least;
        if (skip(",")) {
            boolean isOpen = peek() == '}';
            most = isOpen ? MAX_REPETITIONS : number();
            what += isOpen ? "," : "," + most;
        }
        if (!skip("}") || most < least || most > MAX_REPETITIONS) {
            throw invalid("invalid repetition count(s)");
        }
        quantifier(what + "}");
    }

    private int number() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        if (start == at || at - start > 4) {
            throw invalid("invalid repetition count(s)");
        }
        return Integer.parseInt(pattern, start, at, 10);
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private void escape() {
        if (at == pattern.length()) {
            throw invalid("invalid escape \\ sequence");
        }
        int c = next();
        switch (c) {
            case 'A' -> other("\\A");
            case 'Z' -> other("\\z");
            case 'm' -> other(WORD_START);
            case 'M' -> other(WORD_END);
            case 'y' -> other("\\b");
            case 'Y' -> other("\\B");
            case 'd', 'D', 'w', 'W' -> atom("\\" + (char) c);
            case 's' -> atom("[" + BLANKS + "]");
            case 'S' -> atom("[^" + BLANKS + "]");
            case '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
                int start = at - 1;
                while (isDigit(peek())) {
                    at++;
                }
                String number = pattern.substring(start, at);
                if (number.length() > MAX_DIGITS || Integer.parseInt(number) > groups) {
                    throw invalid("invalid backreference number");
                }
                atom("\\" + number);
            }
            default -> literal(character(c));
        }
    }

    /// The character that an escape stands for.
    ///
    /// @param c what stands behind the backslash
    private int character(int c) {
        return switch (c) {
            case '0' -> 0;
            case 'a' -> 7;
            case 'b' -> '\b';
            case 'B' -> '\\';
            case 'c' -> next() & 0x1f;
            case 'e' -> 0x1b;
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal(4, 4);
            case 'U' -> hexadecimal(8, 8);
            case 'v' -> 0xb;
            case 'x' -> hexadecimal(1, 255);
            default -> {
                if (c < 0x80 && Character.isLetterOrDigit(c)) {
                    throw invalid("invalid escape \\ sequence");
                }
                yield c;
            }
        };
    }

    private int hexadecimal(int least, int most) {
        long value = 0;
        int count = 0;
        while (count < most && Character.digit(peek(), 16) >= 0 && peek() < 0x80) {
            value = Math.min(value << 4 | Character.digit(next(), 16), Integer.MAX_VALUE);
            count++;
        }
        if (count < least || !Character.isValidCodePoint((int) value)) {
            throw invalid("invalid escape \\ sequence");
        }
        return (int) value;
    }

    private void bracket() {
        if (skip("[:<:]]")) {
            other(WORD_START);
            return;
        }
        if (skip("[:>:]]")) {
            other(WORD_END);
            return;
        }
        text.append('[');
        if (skip("^")) {
            text.append('^').append(options.isDotLimited() ? "\\n" : "");
        }
        boolean isFirst = true;
        while (isFirst || peek() != ']') {
            isFirst = false;
            if (at == pattern.length()) {
                throw invalid("brackets [] not balanced");
            }
            bracketPart();
        }
        at++;
        atom("]");
    }

    private void bracketPart() {
        if (skip("[:")) {
            String name = until(":]");
            String members = CLASSES.get(name);
            if (members == null) {
                throw invalid("invalid character class");
            }
            boolean isLetters = name.equals("lower") || name.equals("upper");
            text.append(isLetters && options.ignoresCase() ? CLASSES.get("alpha") : members);
            return;
        }
        boolean isShorthand = peek() == '\\' && at + 1 < pattern.length();
        if (isShorthand && "dDwWsS".indexOf(pattern.charAt(at + 1)) >= 0) {
            at++;
            int c = next();
            text.append(c == 's' ? BLANKS : "\\" + (char) c);
            return;
        }
        int first = member();
        quoted(first);
        boolean isRange = peek() == '-' && at + 1 < pattern.length();
        if (isRange && pattern.charAt(at + 1) != ']') {
            at++;
            int last = member();
            if (last < first) {
                throw invalid("invalid character range");
            }
            text.append('-');
            quoted(last);
        }
    }

    /// One character of a bracket expression.
    private int member() {
        if (skip("[=")) {
            return only(until("=]"));
        }
        if (skip("[.")) {
            return only(until(".]"));
        }
        int c = next();
        return c == '\\' && at < pattern.length() ? character(next()) : c;
    }

    private String until(String end) {
        int found = pattern.indexOf(end, at);
        if (found < 0) {
            throw invalid("brackets [] not balanced");
        }
        String inner = pattern.substring(at, found);
        at = found + end.length();
        return inner;
    }

    private int only(String element) {
        if (element.codePointCount(0, element.length()) != 1) {
            throw invalid("invalid collating element");
        }
        return element.codePointAt(0);
    }

    static SqlException invalid(String why) {
        return new SqlException(
                SqlState.INVALID_REGULAR_EXPRESSION, "invalid regular expression: " + why);
    }
}
