package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.language.type.SqlType.BOOLEAN;
import static org.namdb.sql.language.type.SqlType.TEXT;

import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.text.LikePattern;
import org.namdb.sql.engine.expression.text.RegularExpression;
import org.namdb.sql.engine.expression.text.RegularExpression.Options;

/// Functions of patterns: regular expressions, and those of LIKE.
final class PatternFunctions {
    private PatternFunctions() {}

    static void addTo(FunctionTable table) {
        table.add(
                "like_escape",
                TEXT,
                a -> LikePattern.withBackslashes((String) a[0], (String) a[1]),
                TEXT,
                TEXT);
        matching(table, "textregexeq", Options.NONE);
        matching(table, "texticregexeq", Options.IGNORING_CASE);
    }

    private static void matching(FunctionTable table, String name, Options options) {
        table.add(
                name,
                BOOLEAN,
                Volatility.IMMUTABLE,
                (frame, a) ->
                        RegularExpression.of((String) a[1], options)
                                .finds((String) a[0], frame.environment()::checkCancelled),
                TEXT,
                TEXT);
    }
}
