package org.namdb.sql.shell;

import org.jspecify.annotations.Nullable;

/// Collects lines and cuts them into statements, at each `;` outside of quotes and comments, and meta commands, which go from a backslash to
/// the end of the line.
public final class StatementBuffer {
    private final StringBuilder text = new StringBuilder();
    private int scanned;
    private int lineNumber = 1;
    private int firstLine = 1;
    private int parentheses;
    private int commentDepth;
    private boolean hasContent;
    private boolean hasEscapes;
    private OpenText quote = OpenText.NOTHING;
    private String dollarTag = "";

    /// A part that can be performed.
    public sealed interface Piece {
        /// The number of its first line, from 1.
        int line();
    }

    /// A statement without its semicolon.
    ///
    /// @param text as written
    /// @param line the number of its first line
    public record StatementPiece(String text, int line) implements Piece {}

    /// A meta command.
    ///
    /// @param text from the backslash on
    /// @param line the number of its line
    public record MetaPiece(String text, int line) implements Piece {}

    /// Adds a line.
    public void append(String line) {
        text.append(line).append('\n');
    }

    /// The next part that is whole; null if more lines are needed.
    public @Nullable Piece next() {
        while (scanned < text.length()) {
            char c = text.charAt(scanned);
            if (c == ';' && isPlain()) {
                String statement = text.substring(0, scanned);
                int line = firstLine;
                boolean isEmpty = !hasContent;
                discard(scanned + 1);
                if (!isEmpty) {
                    return new StatementPiece(statement.strip(), line);
                }
            } else if (c == '\\' && isPlain()) {
                int end = text.indexOf("\n", scanned);
                String command = text.substring(scanned, end).strip();
                text.delete(scanned, end);
                return new MetaPiece(command, lineNumber);
            } else {
                scanned += step(c);
            }
        }
        if (!hasContent && isPlain()) {
            discard(text.length()); // blanks and comments alone are nothing to go on with
        }
        return null;
    }

    /// What is open after the last line.
    public OpenText open() {
        if (quote != OpenText.NOTHING) {
            return quote;
        }
        if (commentDepth > 0) {
            return OpenText.COMMENT;
        }
        if (parentheses > 0) {
            return OpenText.PARENTHESIS;
        }
        return hasContent ? OpenText.STATEMENT : OpenText.NOTHING;
    }

    /// The statement that has begun, as far as it goes.
    public String pending() {
        return hasContent ? text.toString().strip() : "";
    }

    /// The number of the line in which the statement that has begun starts.
    public int pendingLine() {
        return firstLine;
    }

    /// Forgets the statement that has begun.
    public void clear() {
        discard(text.length());
    }

    private boolean isPlain() {
        return quote == OpenText.NOTHING && commentDepth == 0;
    }

    private void discard(int length) {
        for (int i = scanned; i < length; i++) {
            lineNumber += text.charAt(i) == '\n' ? 1 : 0;
        }
        text.delete(0, length);
        scanned = 0;
        parentheses = 0;
        commentDepth = 0;
        quote = OpenText.NOTHING;
        hasContent = false;
        firstLine = lineNumber;
    }

    /// Passes over one sign.
    ///
    /// @return its length
    private int step(char c) {
        if (c == '\n') {
            lineNumber++;
        }
        if (commentDepth > 0) {
            return stepInComment();
        }
        if (quote != OpenText.NOTHING) {
            return stepInQuotes(c);
        }
        if (c == '-' && follows('-')) {
            return text.indexOf("\n", scanned) - scanned;
        }
        if (c == '/' && follows('*')) {
            commentDepth = 1;
            return 2;
        }
        if (!hasContent && !Character.isWhitespace(c)) {
            hasContent = true;
            firstLine = lineNumber;
        }
        return stepOutside(c);
    }

    private int stepOutside(char c) {
        switch (c) {
            case '(' -> parentheses++;
            case ')' -> parentheses = Math.max(0, parentheses - 1);
            case '"' -> quote = OpenText.NAME;
            case '\'' -> {
                quote = OpenText.STRING;
                hasEscapes = isAfterEscapePrefix();
            }
            case '$' -> {
                return openDollarQuote();
            }
            default -> {}
        }
        return 1;
    }

    private int stepInComment() {
        char c = text.charAt(scanned);
        if (c == '*' && follows('/')) {
            commentDepth--;
            return 2;
        }
        if (c == '/' && follows('*')) {
            commentDepth++;
            return 2;
        }
        return 1;
    }

    private int stepInQuotes(char c) {
        if (quote == OpenText.DOLLAR_STRING) {
            if (c == '$' && text.indexOf(dollarTag, scanned) == scanned) {
                quote = OpenText.NOTHING;
                return dollarTag.length();
            }
            return 1;
        }
        if (quote == OpenText.STRING && hasEscapes && c == '\\' && !follows('\n')) {
            return 2;
        }
        char end = quote == OpenText.NAME ? '"' : '\'';
        if (c == end && follows(end)) {
            return 2;
        }
        if (c == end) {
            quote = OpenText.NOTHING;
        }
        return 1;
    }

    private boolean follows(char c) {
        return scanned + 1 < text.length() && text.charAt(scanned + 1) == c;
    }

    /// Whether an `E` that is no part of a name stands before the quote.
    private boolean isAfterEscapePrefix() {
        return scanned > 0
                && (text.charAt(scanned - 1) == 'e' || text.charAt(scanned - 1) == 'E')
                && (scanned == 1 || !Character.isJavaIdentifierPart(text.charAt(scanned - 2)));
    }

    private int openDollarQuote() {
        boolean isInName = scanned > 0 && Character.isJavaIdentifierPart(text.charAt(scanned - 1));
        int end = scanned + 1;
        while (end < text.length() && isTagPart(text.charAt(end), end == scanned + 1)) {
            end++;
        }
        if (isInName || end >= text.length() || text.charAt(end) != '$') {
            return 1;
        }
        dollarTag = text.substring(scanned, end + 1);
        quote = OpenText.DOLLAR_STRING;
        return dollarTag.length();
    }

    private static boolean isTagPart(char c, boolean isFirst) {
        return c == '_' || (isFirst ? Character.isLetter(c) : Character.isLetterOrDigit(c));
    }
}
