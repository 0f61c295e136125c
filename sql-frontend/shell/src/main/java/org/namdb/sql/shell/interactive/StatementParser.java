package org.namdb.sql.shell.interactive;

import java.util.List;
import java.util.function.Consumer;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.namdb.sql.shell.MetaCommand;
import org.namdb.sql.shell.OpenText;
import org.namdb.sql.shell.StatementBuffer;
import org.namdb.sql.shell.StatementBuffer.MetaPiece;
import org.namdb.sql.shell.StatementBuffer.Piece;

/// Reports to the line editor whether a text is whole, what is open if it isn't, and which word the
/// cursor is in.
final class StatementParser implements Parser {
    private boolean takesData;
    private Consumer<String> remarks = text -> {};

    /// Shows remarks on what is typed, above the prompt.
    void remarkBy(Consumer<String> shown) {
        remarks = shown;
    }

    /// Whether every line is whole, as the data of a COPY is.
    void takeData(boolean on) {
        takesData = on;
    }

    /// Whether it is data that is typed now.
    boolean takesData() {
        return takesData;
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (!takesData
                && (context == ParseContext.ACCEPT_LINE
                        || context == ParseContext.SECONDARY_PROMPT)) {
            OpenText open = open(line);
            if (open != OpenText.NOTHING) {
                if (context == ParseContext.ACCEPT_LINE) {
                    remarkOnForgottenEnd(line, open);
                }
                throw new EOFError(-1, -1, "the statement goes on", open.sign());
            }
        }
        return Word.at(line, cursor);
    }

    /// `help` or `exit` behind a statement without its semicolon is a part of that, which a new
    /// user may not expect.
    private void remarkOnForgottenEnd(String text, OpenText open) {
        int begin = text.lastIndexOf('\n') + 1;
        MetaCommand meant = MetaCommand.ofBare(text.substring(begin));
        if (meant != null && (open == OpenText.STATEMENT || open == OpenText.PARENTHESIS)) {
            remarks.accept(
                    "\"%s\" belongs to the statement that has begun: a semicolon ends it, Ctrl-C drops it. \\%s %s."
                            .formatted(
                                    text.substring(begin).strip(),
                                    meant.word(),
                                    meant == MetaCommand.QUIT ? "leaves" : "lists commands"));
        }
    }

    /// A backslash starts a meta command, and does not escape the end of a line.
    @Override
    public boolean isEscapeChar(char c) {
        return false;
    }

    private static OpenText open(String text) {
        if (MetaCommand.ofBare(text) != null) {
            return OpenText.NOTHING;
        }
        StatementBuffer buffer = new StatementBuffer();
        text.lines().forEach(buffer::append);
        for (Piece piece = buffer.next(); piece != null; piece = buffer.next()) {
            if (piece instanceof MetaPiece) {
                return OpenText.NOTHING;
            }
        }
        return buffer.open();
    }

    /// The word that the cursor is in: a name with its dots, a meta command, a part of a path.
    ///
    /// @param line the whole text
    /// @param cursor where the cursor is in it
    /// @param start where the word starts
    /// @param end where it ends
    record Word(String line, int cursor, int start, int end) implements CompletingParsedLine {
        static Word at(String line, int cursor) {
            int start = cursor;
            while (start > 0 && isPart(line.charAt(start - 1))) {
                start--;
            }
            int end = cursor;
            while (end < line.length() && isPart(line.charAt(end))) {
                end++;
            }
            return new Word(line, cursor, start, end);
        }

        @Override
        public String word() {
            return line.substring(start, end);
        }

        @Override
        public int wordCursor() {
            return cursor - start;
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(word());
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor();
        }

        @Override
        public int rawWordLength() {
            return end - start;
        }

        private static boolean isPart(char c) {
            return Character.isLetterOrDigit(c) || "_$.\\/~-?".indexOf(c) >= 0;
        }
    }
}
