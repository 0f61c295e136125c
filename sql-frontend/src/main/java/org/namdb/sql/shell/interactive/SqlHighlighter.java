package org.namdb.sql.shell.interactive;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/// Colours what is typed: keywords, texts, numbers, comments, meta commands.
final class SqlHighlighter implements Highlighter {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "(?<comment>--[^\n]*|/\\*(?s:.*?)(?:\\*/|\\z))"
                            + "|(?<string>'(?:[^']|'')*+(?:'|\\z)|\\$\\$(?s:.*?)(?:\\$\\$|\\z))"
                            + "|(?<name>\"(?:[^\"]|\"\")*+(?:\"|\\z))"
                            + "|(?<meta>\\\\\\S*)"
                            + "|(?<number>(?<![\\w$])\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)"
                            + "|(?<word>[\\p{L}_][\\p{L}\\p{N}_$]*)");

    private static final AttributedStyle KEYWORD =
            AttributedStyle.DEFAULT.bold().foreground(AttributedStyle.BLUE);
    private static final AttributedStyle STRING =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
    private static final AttributedStyle NUMBER =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA);
    private static final AttributedStyle COMMENT = AttributedStyle.DEFAULT.faint();
    private static final AttributedStyle META =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);

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
        Matcher token = TOKEN.matcher(text);
        int done = 0;
        while (token.find()) {
            colored.append(text.substring(done, token.start()));
            colored.styled(style(token), token.group());
            done = token.end();
        }
        return colored.append(text.substring(done)).toAttributedString();
    }

    private static AttributedStyle style(Matcher token) {
        if (token.group("comment") != null) {
            return COMMENT;
        }
        if (token.group("string") != null) {
            return STRING;
        }
        if (token.group("meta") != null) {
            return META;
        }
        if (token.group("number") != null) {
            return NUMBER;
        }
        String word = token.group("word");
        return word != null && SqlWords.contains(word) ? KEYWORD : AttributedStyle.DEFAULT;
    }
}
