package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.BIGINT;
import static org.namdb.sql.language.type.SqlType.DATE;
import static org.namdb.sql.language.type.SqlType.DECIMAL;
import static org.namdb.sql.language.type.SqlType.DOUBLE;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;
import static org.namdb.sql.language.type.SqlType.TIMESTAMP;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.LocalDateTime;

/// `to_char`, and `to_date` back: numbers and moments in a form that the caller describes.
final class FormatFunctions {
    private static final MathContext DOUBLE_DIGITS = new MathContext(15);

    private FormatFunctions() {}

    static void addTo(FunctionTable table) {
        table.add("to_date", DATE, a -> DatetimeTemplate.date(text(a, 0), text(a, 1)), TEXT, TEXT);
        table.add(
                "to_char",
                TEXT,
                a -> DatetimePicture.format(text(a, 1), (LocalDateTime) a[0]),
                TIMESTAMP,
                TEXT);
        table.add(
                "to_char",
                TEXT,
                a -> NumberPicture.format(text(a, 1), (BigDecimal) a[0]),
                DECIMAL,
                TEXT);
        table.add(
                "to_char",
                TEXT,
                a -> NumberPicture.format(text(a, 1), BigDecimal.valueOf((Long) a[0])),
                INTEGER,
                TEXT);
        table.add(
                "to_char",
                TEXT,
                a -> NumberPicture.format(text(a, 1), BigDecimal.valueOf((Long) a[0])),
                BIGINT,
                TEXT);
        table.add(
                "to_char",
                TEXT,
                a -> NumberPicture.format(text(a, 1), decimal((Double) a[0])),
                DOUBLE,
                TEXT);
    }

    private static BigDecimal decimal(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw NumberPicture.unsupported("NaN and infinity");
        }
        return new BigDecimal(value, DOUBLE_DIGITS);
    }
}
