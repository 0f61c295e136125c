package org.namdb.sql.shell.format;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.WCWidth;

/// Text as a terminal can show it: no control characters, which could do anything to it, and as
/// wide as it really is.
public final class CellText {
    private static final int TAB = 8;

    private CellText() {}

    /// The lines of a value. Tabs become blanks, other control characters are written as `\x1B`.
    public static List<String> lines(String text) {
        if (isPlain(text)) {
            return List.of(text);
        }
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isLineEnd = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            if (c == '\n') {
                lines.add(line.toString());
                line.setLength(0);
            } else if (!isLineEnd) {
                append(line, c);
            }
        }
        lines.add(line.toString());
        return lines;
    }

    /// A value in one line: a line end is written as `\n`.
    public static String line(String text) {
        return isPlain(text) ? text : String.join("\\n", lines(text));
    }

    /// How many columns of a terminal a text takes.
    public static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            width += point < 0x7f ? 1 : Math.max(0, WCWidth.wcwidth(point));
            i += Character.charCount(point);
        }
        return width;
    }

    /// A text as lines that are no wider than so many columns, cut at blanks where possible.
    public static List<String> wrapped(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int width = 0;
        for (String word : text.split(" ", -1)) {
            if (width > 0 && width + 1 + width(word) > columns) {
                lines.add(line.toString());
                line.setLength(0);
                width = 0;
            }
            line.append(width == 0 ? "" : " ").append(word);
            width += width(word) + (width == 0 ? 0 : 1);
        }
        lines.add(line.toString());
        return lines;
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isControl(char c) {
        // What turns the direction of writing would make a table unreadable, or hide a part of it.
        return Character.isISOControl(c)
                || (c >= '\u202a' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }

    private static void append(StringBuilder line, char c) {
        if (c == '\t') {
            line.repeat(' ', TAB - width(line.toString()) % TAB);
        } else if (isControl(c)) {
            line.append(c < 256 ? "\\x%02X".formatted((int) c) : "\\u%04X".formatted((int) c));
        } else {
            line.append(c);
        }
    }
}
