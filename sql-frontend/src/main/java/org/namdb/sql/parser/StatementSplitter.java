package org.namdb.sql.parser;

import java.util.ArrayList;
import java.util.List;

/// Splits what is typed or read from a script into statements, at semicolons outside of strings, quoted names and comments. Text can come line by line.
public final class StatementSplitter {
    /// What the text ends in, for the prompt of the next line.
    public enum Open {
        /// Nothing: a statement can begin.
        NOTHING,
        STATEMENT,
        PARENTHESIS,
        STRING,
        QUOTED_NAME,
        COMMENT,
        DOLLAR_STRING
    }

    /// A statement of a script.
    ///
    /// @param text the statement without the semicolon, with comments before and in it
    /// @param offset index of its first character in all that has been added
    public record Piece(String text, int offset) {}

    private String pending = "";
    private int pendingOffset;

    /// Where the scanner goes on in what is pending: nothing before can change any more.
    private int scanned;

    private int depth;
    private boolean hasToken;
    private Open open = Open.NOTHING;

    /// The statements of a whole text; the last one needs no semicolon.
    public static List<Piece> split(String text) {
        StatementSplitter splitter = new StatementSplitter();
        List<Piece> pieces = new ArrayList<>(splitter.add(text));
        if (splitter.open() != Open.NOTHING) {
            pieces.add(new Piece(splitter.rest(), splitter.pendingOffset));
        }
        return pieces;
    }

    /// Adds text, with its line end, and gives the statements that it completes. Empty ones are left out.
    public List<Piece> add(String text) {
        pending += text;
        List<Piece> complete = new ArrayList<>();
        SqlScanner scanner = new SqlScanner(pending, scanned);
        int start = 0;
        while (scanner.next() != SqlScanner.Kind.END
                && scanner.flaw() != SqlScanner.Flaw.UNTERMINATED) {
            if (isSign(scanner, ';')) {
                if (hasToken) {
                    complete.add(piece(start, scanner.start()));
                }
                start = scanner.end();
                scanned = start;
                depth = 0;
                hasToken = false;
            } else {
                see(scanner);
            }
        }
        open = open(scanner);
        drop(start);
        return complete;
    }

    /// A lexeme at the very end may go on in what is added next, so it is scanned again.
    private void see(SqlScanner scanner) {
        if (scanner.end() == pending.length() || isCutTag(scanner)) {
            return;
        }
        scanned = scanner.end();
        if (scanner.kind() != SqlScanner.Kind.COMMENT) {
            hasToken = true;
        }
        if (isSign(scanner, '(')) {
            depth++;
        } else if (isSign(scanner, ')')) {
            depth = Math.max(0, depth - 1);
        }
    }

    /// Whether the rest of the text may be the first part of a tag, as the `$a` of `$a$..$a$`.
    private boolean isCutTag(SqlScanner scanner) {
        return scanner.kind() == SqlScanner.Kind.STRAY
                && pending.charAt(scanner.start()) == '$'
                && pending.substring(scanner.end())
                        .chars()
                        .allMatch(c -> SqlScanner.isNamePart((char) c));
    }

    private boolean isSign(SqlScanner scanner, char sign) {
        return scanner.kind() == SqlScanner.Kind.SIGN
                && scanner.end() == scanner.start() + 1
                && pending.charAt(scanner.start()) == sign;
    }

    private Piece piece(int from, int end) {
        int start = from;
        while (start < end && Character.isWhitespace(pending.charAt(start))) {
            start++;
        }
        return new Piece(pending.substring(start, end).stripTrailing(), pendingOffset + start);
    }

    /// Forgets what is complete, and blanks behind it.
    private void drop(int complete) {
        int start = complete;
        while (start < pending.length() && Character.isWhitespace(pending.charAt(start))) {
            start++;
        }
        pending = pending.substring(start);
        pendingOffset += start;
        scanned = Math.max(0, scanned - start);
    }

    private Open open(SqlScanner scanner) {
        if (scanner.flaw() == SqlScanner.Flaw.UNTERMINATED) {
            return switch (scanner.kind()) {
                case COMMENT -> Open.COMMENT;
                case QUOTED_NAME -> Open.QUOTED_NAME;
                case DOLLAR_STRING -> Open.DOLLAR_STRING;
                case WORD,
                        STRING,
                        ESCAPE_STRING,
                        INTEGER,
                        DECIMAL,
                        FLOAT,
                        QUESTION,
                        DOLLAR_PARAMETER,
                        SIGN,
                        STRAY,
                        END ->
                        Open.STRING;
            };
        }
        return openStatement();
    }

    /// Counts what stands behind the part that was scanned for good: one lexeme at most.
    private Open openStatement() {
        SqlScanner last = new SqlScanner(pending, scanned);
        int parentheses = depth;
        boolean isBegun = hasToken;
        while (last.nextSignificant() != SqlScanner.Kind.END) {
            isBegun = true;
            if (isSign(last, '(')) {
                parentheses++;
            } else if (isSign(last, ')')) {
                parentheses--;
            }
        }
        if (parentheses > 0) {
            return Open.PARENTHESIS;
        }
        return isBegun ? Open.STATEMENT : Open.NOTHING;
    }

    /// What the text so far ends in.
    public Open open() {
        return open;
    }

    /// The text behind the last complete statement.
    public String rest() {
        return pending.stripTrailing();
    }

    /// Forgets what is not complete.
    public void clear() {
        pendingOffset += pending.length();
        pending = "";
        scanned = 0;
        depth = 0;
        hasToken = false;
        open = Open.NOTHING;
    }
}
