package org.namdb.sql.shell.interactive;

import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.namdb.sql.language.parser.SqlTokens;
import org.namdb.sql.language.parser.SqlTokens.Span;

/// Colours what is typed: keywords, texts, numbers, comments, meta commands.
final class SqlHighlighter implements Highlighter {
    private static final AttributedStyle KEYWORD =
            AttributedStyle.DEFAULT.bold().foreground(AttributedStyle.BLUE);
    private static final AttributedStyle STRING =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
    private static final AttributedStyle NUMBER =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA);
    private static final AttributedStyle COMMENT = AttributedStyle.DEFAULT.faint();
    private static final AttributedStyle META = AttributedStyle.DEFAULT.bold();

    private final boolean isColored;

    SqlHighlighter(boolean isColored) {
        this.isColored = isColored;
    }

    @Override
    public AttributedString highlight(LineReader reader, String buffer) {
        return isColored ? highlight(buffer) : new AttributedString(buffer);
    }

    static AttributedString highlight(String text) {
        AttributedStringBuilder colored = new AttributedStringBuilder(text.length());
        int done = 0;
        for (Span span : SqlTokens.of(text)) {
            if (span.start() < done) {
                continue; // a part of a meta command's name
            }
            boolean isMeta = text.charAt(span.start()) == '\\';
            int end = isMeta ? metaEnd(text, span.start()) : span.end();
            colored.append(text.substring(done, span.start()));
            colored.styled(isMeta ? META : style(span.kind()), text.substring(span.start(), end));
            done = end;
        }
        return colored.append(text.substring(done)).toAttributedString();
    }

    private static int metaEnd(String text, int start) {
        int end = start;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static AttributedStyle style(SqlTokens.Kind kind) {
        return switch (kind) {
            case KEYWORD -> KEYWORD;
            case STRING -> STRING;
            case NUMBER, PARAMETER -> NUMBER;
            case COMMENT -> COMMENT;
            case NAME, OPERATOR -> AttributedStyle.DEFAULT;
        };
    }
}
