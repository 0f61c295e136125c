package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.Reader;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Reads lines of COPY's data, one after the other: a character at a time, from a buffer, so that a
/// file of any size streams.
final class CopyReader implements CopyInput {
    private static final int BUFFER = 1 << 16;
    private static final int END = -1;

    /// A line that is longer is no line: a quote that is never closed would swallow the remaining
    /// data.
    private static final int MAX_LINE = 64 << 20;

    private static final int ESCAPED_BYTES = 3;

    /// How many characters of a field an error shows.
    private static final int SHOWN = 100;

    private final Reader data;
    private final CopyFormat format;
    private final char[] buffer = new char[BUFFER];
    private int filled;
    private int at;
    private long lineNumber;
    private long lines;
    private boolean isEnded;
    private int lineLength;
    private List<@Nullable String> fields = List.of();

    CopyReader(Reader data, CopyFormat format) {
        this.data = data;
        this.format = format;
    }

    @Override
    public void begin() throws IOException {
        if (format.hasHeader()) {
            boolean _ = next();
        }
    }

    @Override
    public boolean next() throws IOException {
        if (isEnded) {
            return false;
        }
        lineNumber = lines + 1;
        lineLength = 0;
        List<@Nullable String> line = format.isCsv() ? csvLine() : textLine();
        if (line == null) {
            isEnded = true;
            drain();
            return false;
        }
        fields = line;
        return true;
    }

    @Override
    public int size() {
        return fields.size();
    }

    @Override
    public @Nullable Object value(int field, SqlType type, ZoneId zone) {
        String text = fields.get(field);
        return text == null ? null : TextParser.parse(text, type, zone);
    }

    @Override
    public String shown(int field) {
        String text = fields.get(field);
        if (text == null) {
            return ": null input";
        }
        return ": \"" + (text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text) + "\"";
    }

    /// Reads what follows the mark of the end: a client sends it nevertheless.
    private void drain() throws IOException {
        while (filled >= 0) {
            filled = data.read(buffer, 0, buffer.length);
        }
    }

    @Override
    public long lineNumber() {
        return lineNumber;
    }

    private @Nullable List<@Nullable String> textLine() throws IOException {
        if (peek() == END) {
            return null;
        }
        List<@Nullable String> fields = new ArrayList<>();
        StringBuilder raw = new StringBuilder();
        StringBuilder value = new StringBuilder();
        while (true) {
            int c = read();
            if (c == END || c == '\n' || c == '\r') {
                endLine(c);
                if (fields.isEmpty() && raw.toString().equals("\\.")) {
                    return null;
                }
                fields.add(field(raw, value));
                return fields;
            }
            if (c == format.delimiter()) {
                fields.add(field(raw, value));
                raw.setLength(0);
                value.setLength(0);
            } else if (c == '\\') {
                raw.append('\\');
                escaped(raw, value);
            } else {
                raw.append((char) c);
                value.append((char) c);
                int from = at;
                int length = skipPlain('\\');
                raw.append(buffer, from, length);
                value.append(buffer, from, length);
            }
        }
    }

    private @Nullable String field(StringBuilder raw, StringBuilder value) {
        return raw.toString().equals(format.nullText()) ? null : value.toString();
    }

    private void escaped(StringBuilder raw, StringBuilder value) throws IOException {
        int c = peek();
        if (c == END) {
            value.append('\\');
            return;
        }
        at++;
        raw.append((char) c);
        switch (c) {
            case 'b' -> value.append('\b');
            case 'f' -> value.append('\f');
            case 'n' -> value.append('\n');
            case 'r' -> value.append('\r');
            case 't' -> value.append('\t');
            case 'v' -> value.append('\u000b');
            case 'x' -> value.append(number(raw, 'x', 16, 2));
            case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                at--;
                raw.setLength(raw.length() - 1);
                value.append(number(raw, '0', 8, ESCAPED_BYTES));
            }
            case '\n' -> {
                lines++;
                value.append('\n');
            }
            default -> value.append((char) c);
        }
    }

    private char number(StringBuilder raw, char otherwise, int radix, int digits)
            throws IOException {
        int number = 0;
        int count = 0;
        while (count < digits && peek() != END && Character.digit(peek(), radix) >= 0) {
            int c = read();
            raw.append((char) c);
            number = number * radix + Character.digit(c, radix);
            count++;
        }
        if (number == 0 && count > 0) {
            throw malformed("invalid byte sequence for encoding \"UTF8\": 0x00");
        }
        return count == 0 ? otherwise : (char) (number & 0xff);
    }

    private @Nullable List<@Nullable String> csvLine() throws IOException {
        if (peek() == END) {
            return null;
        }
        List<@Nullable String> fields = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        boolean wasQuoted = false;
        while (true) {
            int c = read();
            if (c == format.quote() && !isEnd(c)) {
                wasQuoted = true;
                quoted(value);
            } else if (c == format.delimiter() || isEnd(c)) {
                boolean isNull = !wasQuoted && value.toString().equals(format.nullText());
                boolean isLast = isEnd(c);
                if (isLast) {
                    endLine(c);
                    if (fields.isEmpty() && !wasQuoted && value.toString().equals("\\.")) {
                        return null;
                    }
                }
                fields.add(isNull ? null : value.toString());
                if (isLast) {
                    return fields;
                }
                value.setLength(0);
                wasQuoted = false;
            } else {
                value.append((char) c);
                int from = at;
                value.append(buffer, from, skipPlain(format.quote()));
            }
        }
    }

    /// Skips what means nothing but itself outside of quotes, as far as the buffer goes.
    ///
    /// @param special what means more, in addition to the delimiter and the end of a line
    /// @return how many characters
    private int skipPlain(char special) {
        int from = at;
        int end = Math.min(filled, from + MAX_LINE - lineLength);
        char delimiter = format.delimiter();
        while (at < end
                && buffer[at] != delimiter
                && buffer[at] != special
                && buffer[at] != '\n'
                && buffer[at] != '\r') {
            at++;
        }
        lineLength += at - from;
        return at - from;
    }

    private static boolean isEnd(int c) {
        return c == END || c == '\n' || c == '\r';
    }

    /// Takes a quoted part up to the quote that ends it.
    private void quoted(StringBuilder value) throws IOException {
        while (true) {
            int c = read();
            if (c == END) {
                throw malformed("unterminated CSV quoted field");
            }
            if (c == format.escape()) {
                int next = peek();
                if (next == format.quote() || next == format.escape() && next != END) {
                    value.append((char) read());
                    continue;
                }
            }
            if (c == format.quote()) {
                return;
            }
            if (c == '\n') {
                lines++;
            }
            value.append((char) c);
        }
    }

    private void endLine(int c) throws IOException {
        lines++;
        if (c == '\r' && peek() == '\n') {
            at++;
        }
    }

    private int read() throws IOException {
        int c = peek();
        if (c != END) {
            at++;
            if (++lineLength > MAX_LINE) {
                throw malformed("a line is longer than " + MAX_LINE + " characters");
            }
        }
        return c;
    }

    private int peek() throws IOException {
        while (at == filled) {
            int count = data.read(buffer, 0, buffer.length);
            if (count < 0) {
                return END;
            }
            at = 0;
            filled = count;
        }
        return buffer[at];
    }

    private static SqlException malformed(String message) {
        return new SqlException(SqlState.BAD_COPY_FORMAT, message);
    }
}
