package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Splits what is typed or read from a script into statements, at semicolons outside of strings,
/// quoted names and comments. Text can come in parts of any length; each is scanned once, except
/// for a string or comment that it leaves open.
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

    /// A statement of a script, or a command of the shell.
    ///
    /// @param text the statement without the semicolon, with comments before and in it; a command
    ///     from its backslash on
    /// @param offset index of its first character in all that has been added
    /// @param line the number of the line in which it begins, from 1; comments before it
    ///     don't count
    /// @param isCommand whether it is a command
    public record Piece(String text, int offset, int line, boolean isCommand) {}

    private final boolean takesCommands;

    /// What is added, and not yet in the text.
    private final StringBuilder added = new StringBuilder();

    /// The beginning of the statement, as far as no later text can change it.
    private final StringBuilder begun = new StringBuilder();

    private int begunOffset;

    /// What is scanned. The statement continues, or begins, at `start`; nothing before `scanned`
    /// can change any more.
    private String text = "";

    private int start;
    private int scanned;

    /// The line of what is in the text at `counted`.
    private int line = 1;

    private int counted;

    private int depth;
    private int firstLine;
    private boolean hasToken;
    private boolean hasBegun;
    private Open open = Open.NOTHING;

    /// Without this character among what is added, what is open stays so; none if nothing is.
    private String awaited = "";

    private int awaitedFrom;

    /// Splits statements alone: a backslash has no meaning.
    public StatementSplitter() {
        this(false);
    }

    /// @param takesCommands whether a backslash outside of quotes begins a command of the shell, up
    ///     to the line's end
    public StatementSplitter(boolean takesCommands) {
        this.takesCommands = takesCommands;
    }

    /// The statements of a whole text; the last one needs no semicolon.
    public static List<Piece> split(String text) {
        StatementSplitter splitter = new StatementSplitter();
        List<Piece> pieces = new ArrayList<>(splitter.add(text));
        if (splitter.open() != Open.NOTHING) {
            pieces.add(splitter.piece(splitter.text.length()));
        }
        return pieces;
    }

    /// Adds text, with its line end, and gives the pieces that it completes. Empty ones are
    /// left out.
    public List<Piece> add(String more) {
        append(more);
        List<Piece> complete = new ArrayList<>();
        for (Piece piece = next(); piece != null; piece = next()) {
            complete.add(piece);
        }
        return complete;
    }

    /// Adds text, with its line end.
    public void append(String more) {
        added.append(more);
    }

    /// The next piece that is complete; null if it takes more text.
    public @Nullable Piece next() {
        if (!takeAdded()) {
            return null;
        }
        SqlScanner scanner = new SqlScanner(text, scanned);
        Seen seen = new Seen();
        while (scanner.next() != SqlScanner.Kind.END
                && scanner.flaw() != SqlScanner.Flaw.UNTERMINATED) {
            if (isSign(scanner, ';')) {
                Piece piece = seen.hasToken ? piece(scanner.start()) : null;
                begin(scanner.end());
                if (piece != null) {
                    return piece;
                }
                seen = new Seen();
            } else if (isCommand(scanner)) {
                int end = text.indexOf('\n', scanner.start());
                if (end >= 0) {
                    return command(scanner.start(), end);
                }
                hasBegun = seen.hasToken;
                open = Open.STATEMENT;
                return null;
            } else {
                seen.see(scanner);
            }
        }
        open = seen.open(scanner);
        hasBegun = seen.hasToken;
        return null;
    }

    /// What is known of the statement, with lexemes that may still change.
    private final class Seen {
        private int depth = StatementSplitter.this.depth;
        private boolean hasToken = StatementSplitter.this.hasToken;
        private boolean isSure = true;

        /// A lexeme at the very end may go on in what is added next, so it is scanned again.
        void see(SqlScanner scanner) {
            if (scanner.kind() != SqlScanner.Kind.COMMENT) {
                token(scanner);
            }
            isSure &= scanner.end() < text.length() && !isCutTag(scanner);
            if (isSure) {
                scanned = scanner.end();
                StatementSplitter.this.depth = depth;
                StatementSplitter.this.hasToken = hasToken;
            }
        }

        private void token(SqlScanner scanner) {
            if (!hasToken) {
                hasToken = true;
                firstLine = lineAt(scanner.start());
            }
            if (isSign(scanner, '(')) {
                depth++;
            } else if (isSign(scanner, ')')) {
                depth = Math.max(0, depth - 1);
            }
        }

        Open open(SqlScanner scanner) {
            if (scanner.flaw() == SqlScanner.Flaw.UNTERMINATED) {
                if (scanner.kind() != SqlScanner.Kind.COMMENT) {
                    token(scanner);
                }
                scanned = isSure ? scanner.start() : scanned;
                return unterminated(scanner.kind());
            }
            return depth > 0 ? Open.PARENTHESIS : hasToken ? Open.STATEMENT : Open.NOTHING;
        }
    }

    private Open unterminated(SqlScanner.Kind kind) {
        Open what =
                switch (kind) {
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
        awaited =
                switch (what) {
                    case COMMENT -> "/";
                    case QUOTED_NAME -> "\"";
                    case DOLLAR_STRING -> "$";
                    case STRING, NOTHING, STATEMENT, PARENTHESIS -> "'";
                };
        return what;
    }

    /// Puts what was added behind what is still to be scanned.
    ///
    /// @return false if that would change nothing
    private boolean takeAdded() {
        if (!awaited.isEmpty() && added.indexOf(awaited, awaitedFrom) < 0) {
            awaitedFrom = added.length();
            return false;
        }
        merge();
        return true;
    }

    private void merge() {
        if (!added.isEmpty()) {
            int _ = lineAt(scanned);
            begun.append(text, start, scanned);
            text = text.substring(scanned) + added;
            counted -= scanned;
            start = 0;
            scanned = 0;
            added.setLength(0);
        }
        awaited = "";
        awaitedFrom = 0;
    }

    /// The line of a place in the text, which is not before an earlier call's.
    private int lineAt(int place) {
        for (; counted < place; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        return line;
    }

    /// Whether the remaining text may be the first part of a tag, as the `$a` of `$a$..$a$`.
    private boolean isCutTag(SqlScanner scanner) {
        return scanner.kind() == SqlScanner.Kind.STRAY
                && text.charAt(scanner.start()) == '$'
                && text.substring(scanner.end())
                        .chars()
                        .allMatch(c -> SqlScanner.isNamePart((char) c));
    }

    private boolean isSign(SqlScanner scanner, char sign) {
        return scanner.kind() == SqlScanner.Kind.SIGN
                && scanner.end() == scanner.start() + 1
                && text.charAt(scanner.start()) == sign;
    }

    private boolean isCommand(SqlScanner scanner) {
        return takesCommands
                && scanner.kind() == SqlScanner.Kind.STRAY
                && text.charAt(scanner.start()) == '\\';
    }

    /// Takes a command out of the statement that it stands in.
    private Piece command(int from, int end) {
        int offset = begunOffset + begun.length() + from - start;
        Piece piece = new Piece(text.substring(from, end).strip(), offset, lineAt(from), true);
        hasBegun = hasToken;
        begun.append(text, start, from);
        begunOffset += end - from;
        start = end;
        scanned = end;
        return piece;
    }

    private Piece piece(int end) {
        String whole = begun + text.substring(start, end);
        String statement = whole.strip();
        int blanks = whole.length() - whole.stripLeading().length();
        return new Piece(statement, begunOffset + blanks, firstLine, false);
    }

    /// Begins with the next statement.
    private void begin(int at) {
        begunOffset += begun.length() + at - start;
        begun.setLength(0);
        start = at;
        scanned = at;
        depth = 0;
        hasToken = false;
        hasBegun = false;
        open = Open.NOTHING;
    }

    /// What the text so far ends in.
    public Open open() {
        return open;
    }

    /// Whether a statement has begun: comments alone are none.
    public boolean hasBegun() {
        return hasBegun;
    }

    /// The text behind the last complete statement.
    public String rest() {
        return (begun + text.substring(start) + added).strip();
    }

    /// The number of the line in which the remaining text begins; comments before it don't count.
    public int restLine() {
        return firstLine;
    }

    /// Drops what is not complete.
    public void clear() {
        merge();
        int _ = lineAt(text.length());
        begin(text.length());
    }
}
