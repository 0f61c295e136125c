package org.namdb.sql.shell;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.parser.StatementSplitter;

/// Collects lines and cuts them into statements, as [StatementSplitter] does, and meta commands,
/// which go from a backslash to the end of the line.
public final class StatementBuffer {
    private final StatementSplitter splitter = new StatementSplitter(true);

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
        splitter.append(line);
        splitter.append("\n");
    }

    /// The next part that is whole; null if more lines are needed.
    public @Nullable Piece next() {
        StatementSplitter.Piece piece = splitter.next();
        if (piece != null) {
            return piece.isCommand()
                    ? new MetaPiece(piece.text(), piece.line())
                    : new StatementPiece(piece.text(), piece.line());
        }
        if (splitter.open() == StatementSplitter.Open.NOTHING) {
            splitter.clear(); // blanks and comments alone are nothing to go on with
        }
        return null;
    }

    /// What is open after the last line.
    public OpenText open() {
        return switch (splitter.open()) {
            case NOTHING -> OpenText.NOTHING;
            case STATEMENT -> OpenText.STATEMENT;
            case PARENTHESIS -> OpenText.PARENTHESIS;
            case STRING -> OpenText.STRING;
            case QUOTED_NAME -> OpenText.NAME;
            case COMMENT -> OpenText.COMMENT;
            case DOLLAR_STRING -> OpenText.DOLLAR_STRING;
        };
    }

    /// The statement that has begun, up to now.
    public String pending() {
        return splitter.hasBegun() ? splitter.rest() : "";
    }

    /// The number of the line in which the statement that has begun starts.
    public int pendingLine() {
        return splitter.restLine();
    }

    /// Drops the statement that has begun.
    public void clear() {
        splitter.clear();
    }
}
