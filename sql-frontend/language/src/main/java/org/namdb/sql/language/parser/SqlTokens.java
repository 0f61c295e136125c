package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;

/// Cuts a text into what the shell shows in different colours. Any text will do; what is no SQL
/// yet, as a string that is still open, is shown as what it begins.
public final class SqlTokens {
    private SqlTokens() {}

    /// What a part of the text is.
    public enum Kind {
        KEYWORD,
        STRING,
        NUMBER,
        COMMENT,
        NAME,
        OPERATOR,
        PARAMETER
    }

    /// A part of the text.
    ///
    /// @param start index of its first character
    /// @param end index behind its last one
    /// @param isOpen whether the text ends in it: a string or comment that is not closed
    public record Span(Kind kind, int start, int end, boolean isOpen) {}

    /// The parts of a text in order; blanks between them are in none.
    public static List<Span> of(String text) {
        List<Span> spans = new ArrayList<>();
        SqlScanner scanner = new SqlScanner(text);
        while (scanner.next() != SqlScanner.Kind.END) {
            boolean isOpen = scanner.flaw() == SqlScanner.Flaw.UNTERMINATED;
            spans.add(new Span(kind(scanner, text), scanner.start(), scanner.end(), isOpen));
        }
        return spans;
    }

    private static Kind kind(SqlScanner scanner, String text) {
        return switch (scanner.kind()) {
            case WORD -> {
                String word = text.substring(scanner.start(), scanner.end());
                yield Keywords.type(Keywords.folded(word)) == null ? Kind.NAME : Kind.KEYWORD;
            }
            case QUOTED_NAME -> Kind.NAME;
            case STRING, ESCAPE_STRING, DOLLAR_STRING -> Kind.STRING;
            case INTEGER, DECIMAL, FLOAT -> Kind.NUMBER;
            case QUESTION, DOLLAR_PARAMETER -> Kind.PARAMETER;
            case COMMENT -> Kind.COMMENT;
            case SIGN, STRAY, END -> Kind.OPERATOR;
        };
    }
}
