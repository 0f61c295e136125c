package org.namdb.sql.engine.change;

import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.record.LongValue;
import org.namdb.sql.language.type.TextFormat;

/// Values of rows in the details of errors, as PostgreSQL writes them.
public final class KeyText {
    private static final int LONGEST = 64;

    private KeyText() {}

    /// `(a, b)=(1, x)`.
    public static String of(SqlTable table, List<Integer> columns, @Nullable Object[] tuple) {
        StringJoiner names = new StringJoiner(", ", "(", ")");
        StringJoiner values = new StringJoiner(", ", "(", ")");
        for (int number : columns) {
            SqlColumn column = table.columns().get(number);
            names.add(column.name());
            values.add(value(tuple[number], column));
        }
        return names + "=" + values;
    }

    /// One value, shortened if it is long.
    public static String value(@Nullable Object value, SqlColumn column) {
        if (value == null) {
            return "null";
        }
        if (value instanceof LongValue unread) {
            return unread.toString();
        }
        String text = TextFormat.format(value, column.type());
        return text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
    }
}
