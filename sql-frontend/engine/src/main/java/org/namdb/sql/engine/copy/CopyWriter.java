package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.Writer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// Writes lines of COPY's data.
final class CopyWriter implements CopyOutput {
    private final Writer out;
    private final CopyFormat format;
    private final StringBuilder line = new StringBuilder();

    CopyWriter(Writer out, CopyFormat format) {
        this.out = out;
        this.format = format;
    }

    @Override
    public void begin(List<String> names) throws IOException {
        if (format.hasHeader()) {
            line(new ArrayList<@Nullable String>(names));
        }
    }

    @Override
    public void write(@Nullable Object[] row, List<SqlType> types, ZoneId zone) throws IOException {
        List<@Nullable String> fields = new ArrayList<>(row.length);
        for (int i = 0; i < row.length; i++) {
            Object value = row[i];
            fields.add(value == null ? null : TextFormat.format(value, types.get(i), zone));
        }
        line(fields);
    }

    @Override
    public void end() throws IOException {
        out.flush();
    }

    private void line(List<@Nullable String> fields) throws IOException {
        line.setLength(0);
        for (int i = 0; i < fields.size(); i++) {
            if (i > 0) {
                line.append(format.delimiter());
            }
            String field = fields.get(i);
            if (field == null) {
                line.append(format.nullText());
            } else if (format.isCsv()) {
                csv(field, fields.size() == 1);
            } else {
                text(field);
            }
        }
        line.append('\n');
        out.append(line);
    }

    private void text(String field) {
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            switch (c) {
                case '\\' -> line.append("\\\\");
                case '\b' -> line.append("\\b");
                case '\f' -> line.append("\\f");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                case '\u000b' -> line.append("\\v");
                default -> {
                    if (c == format.delimiter()) {
                        line.append('\\');
                    }
                    line.append(c);
                }
            }
        }
    }

    private void csv(String field, boolean isAlone) {
        boolean needsQuotes = field.equals(format.nullText()) || isAlone && field.equals("\\.");
        for (int i = 0; i < field.length() && !needsQuotes; i++) {
            char c = field.charAt(i);
            needsQuotes = c == format.delimiter() || c == format.quote() || c == '\n' || c == '\r';
        }
        if (!needsQuotes) {
            line.append(field);
            return;
        }
        line.append(format.quote());
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == format.quote() || c == format.escape()) {
                line.append(format.escape());
            }
            line.append(c);
        }
        line.append(format.quote());
    }
}
