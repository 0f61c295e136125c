package org.namdb.sql.golden;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Cuts a golden file into its statements. It knows quotes (`'a''b'`, `E'a\'b'`, `"a""b"`), comments (`--` and nested `/* */`)
/// and the data after `COPY ... FROM STDIN;`, which ends with a line `\.`. Comments between statements are left out.
final class StatementSplitter {
    private static final Pattern COPY_IN =
            Pattern.compile("(?is)COPY\\b.*\\bFROM\\s+STDIN\\b(?:[^']|'[^']*')*");
    private static final String END_OF_DATA = "\\.";

    private final String text;
    private final List<GoldenFile.Statement> statements = new ArrayList<>();
    private int position;

    private StatementSplitter(String text) {
        this.text = text;
    }

    static List<GoldenFile.Statement> split(String text) {
        StatementSplitter splitter = new StatementSplitter(text);
        while (splitter.findStatement()) {
            splitter.takeStatement();
        }
        return List.copyOf(splitter.statements);
    }

    /// Goes to the first character of the next statement; false at the end of the file.
    private boolean findStatement() {
        while (position < text.length()) {
            if (at("--") || at("/*")) {
                skipComment();
            } else if (Character.isWhitespace(text.charAt(position)) || at(";")) {
                position++;
            } else {
                return true;
            }
        }
        return false;
    }

    private void takeStatement() {
        int start = position;
        while (!at(";")) {
            if (position >= text.length()) {
                throw new IllegalArgumentException("no semicolon after: " + text.substring(start));
            }
            skipToken();
        }
        String statement = text.substring(start, position).strip();
        position++;
        boolean copies = COPY_IN.matcher(statement).matches();
        statements.add(new GoldenFile.Statement(statement, copies ? takeData(statement) : null));
    }

    private void skipToken() {
        if (at("--") || at("/*")) {
            skipComment();
        } else if (at("'")) {
            skipQuoted('\'', isEscapeString());
        } else if (at("\"")) {
            skipQuoted('"', false);
        } else {
            position++;
        }
    }

    /// An `E` before the quote that isn't the end of a word.
    private boolean isEscapeString() {
        return position > 0
                && Character.toUpperCase(text.charAt(position - 1)) == 'E'
                && (position == 1 || !Character.isJavaIdentifierPart(text.charAt(position - 2)));
    }

    private void skipQuoted(char quote, boolean backslashes) {
        String doubled = "" + quote + quote;
        int start = position++;
        while (position < text.length() && (text.charAt(position) != quote || at(doubled))) {
            boolean pair = at(doubled) || (backslashes && text.charAt(position) == '\\');
            position += pair ? 2 : 1;
        }
        if (position >= text.length()) {
            throw new IllegalArgumentException("no end of: " + text.substring(start));
        }
        position++;
    }

    private void skipComment() {
        if (at("--")) {
            int end = text.indexOf('\n', position);
            position = end < 0 ? text.length() : end;
            return;
        }
        int depth = 0;
        do {
            if (at("/*") || at("*/")) {
                depth += at("/*") ? 1 : -1;
                position += 2;
            } else {
                position++;
            }
        } while (depth > 0 && position < text.length());
    }

    private String takeData(String statement) {
        StringBuilder data = new StringBuilder();
        position = text.indexOf('\n', position) + 1;
        while (position > 0 && position < text.length()) {
            int end = text.indexOf('\n', position);
            String line = text.substring(position, end < 0 ? text.length() : end);
            position = end < 0 ? text.length() : end + 1;
            if (line.equals(END_OF_DATA)) {
                return data.toString();
            }
            data.append(line).append('\n');
        }
        throw new IllegalArgumentException("no line \\. after: " + statement);
    }

    private boolean at(String token) {
        return text.startsWith(token, position);
    }
}
