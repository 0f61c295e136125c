package org.namdb.sql.engine.plpgsql;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.TextFormat;

/// The value of a record variable: a row, which is never changed.
///
/// @param values those of its columns
@SuppressWarnings("ArrayRecordComponent") // never compared
record RecordValue(RowShape shape, @Nullable Object[] values) {
    /// All NULL.
    static RecordValue empty(RowShape shape) {
        return new RecordValue(shape, new @Nullable Object[shape.size()]);
    }

    /// The same with another value of one column.
    RecordValue with(int column, @Nullable Object value) {
        @Nullable Object[] changed = values.clone();
        changed[column] = value;
        return new RecordValue(shape, changed);
    }

    boolean isNull() {
        for (Object value : values) {
            if (value != null) {
                return false;
            }
        }
        return true;
    }

    /// The row as a text, `(1,"two words",)`.
    ///
    /// @param zone in which moments are shown
    static String text(RowShape shape, @Nullable Object[] values, ZoneId zone) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < values.length; i++) {
            text.append(i == 0 ? "" : ",");
            Object value = values[i];
            if (value != null) {
                String field = TextFormat.format(value, shape.types().get(i), zone);
                boolean isQuoted =
                        field.isEmpty()
                                || field.chars().anyMatch(c -> "\"\\(), \t\n\r".indexOf(c) >= 0);
                text.append(
                        isQuoted
                                ? '"' + field.replace("\\", "\\\\").replace("\"", "\"\"") + '"'
                                : field);
            }
        }
        return text.append(')').toString();
    }
}
