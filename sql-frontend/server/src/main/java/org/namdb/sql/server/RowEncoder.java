package org.namdb.sql.server;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.BinaryFormat;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TypeOids;

/// Writes the rows of a result, and what they look like.
final class RowEncoder {
    private final List<ResultColumn> columns;
    private final SqlType[] types;
    private final boolean[] isBinary;
    private final short[] formats;
    private boolean areFormatsKnown;

    /// @param formats by column 0 for text and 1 for binary; one for all columns, or none for text
    /// @throws SqlException 08P01 if these are not as many as columns
    RowEncoder(List<ResultColumn> columns, short... formats) {
        this.columns = columns;
        this.formats = formats;
        this.types = new SqlType[columns.size()];
        this.isBinary = new boolean[columns.size()];
        if (formats.length > 1 && formats.length != types.length) {
            throw new SqlException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message has "
                            + formats.length
                            + " result formats but query has "
                            + types.length
                            + " columns");
        }
        for (int i = 0; i < types.length; i++) {
            types[i] = columns.get(i).type();
            isBinary[i] = formats.length > 0 && formats[formats.length == 1 ? 0 : i] != 0;
        }
    }

    List<ResultColumn> columns() {
        return columns;
    }

    /// Writes RowDescription; NoData for a statement without rows.
    void describe(MessageWriter out) throws IOException {
        out.begin('T').int16(types.length);
        for (int i = 0; i < types.length; i++) {
            out.string(columns.get(i).name()).int32(0).int16(0);
            out.int32(TypeOids.oid(types[i]));
            out.int16(TypeOids.size(types[i]));
            out.int32(TypeOids.modifier(types[i]));
            out.int16(isBinary[i] ? 1 : 0);
        }
        out.end();
    }

    /// Whether a format code is that of binary values.
    ///
    /// @throws SqlException 22023 if there is no such format
    static boolean isBinary(short format) {
        if (format != 0 && format != 1) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE, "unsupported format code: " + format);
        }
        return format == 1;
    }

    /// Writes the result's current row.
    ///
    /// @throws SqlException 22023 for a format that there is not: statements without rows have none
    void row(MessageWriter out, Result result) throws IOException {
        if (!areFormatsKnown) {
            for (short format : formats) {
                boolean _ = isBinary(format);
            }
            areFormatsKnown = true;
        }
        out.begin('D').int16(types.length);
        for (int i = 0; i < types.length; i++) {
            Object value = result.value(i);
            if (value == null) {
                out.int32(-1);
                continue;
            }
            int start = out.beginValue();
            if (isBinary[i]) {
                BinaryFormat.write(out, value, types[i]);
            } else if (value instanceof Instant || value instanceof SqlArray) {
                out.text(Objects.requireNonNull(result.text(i))); // in the session's time zone
            } else {
                text(out, value, types[i]);
            }
            out.endValue(start);
        }
        out.end();
    }

    private static void text(MessageWriter out, Object value, SqlType type) {
        if (value instanceof Long number) {
            out.digits(number);
        } else if (value instanceof String text && type.kind() != SqlType.Kind.CHAR) {
            out.text(text);
        } else {
            out.text(TextFormat.format(value, type));
        }
    }
}
