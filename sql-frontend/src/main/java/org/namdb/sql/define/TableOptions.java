package org.namdb.sql.define;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.ast.Position;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;

/// The options of CREATE TABLE .. WITH: a table's physical design, which never changes a result.
final class TableOptions {
    private static final String KNOWN =
            "bucket_size, expected_rows, inline, load, neighbours, versions";

    private TableOptions() {}

    /// The names of all options, sorted.
    static List<String> names() {
        return List.of(KNOWN.split(", "));
    }

    /// Puts the options in a definition.
    ///
    /// @throws SqlException 22023 if one is not known, or can't have its value
    static void apply(
            Map<String, String> options, TableDefinition.Builder builder, Position position) {
        options.forEach((name, value) -> {
            try {
                apply(name, value, builder);
            } catch (SqlException e) {
                throw e.at(position);
            }
        });
    }

    private static void apply(String name, String value, TableDefinition.Builder builder) {
        switch (name) {
            case "versions" -> builder.versions((int) number(name, value, 64));
            case "bucket_size" -> builder.bucketRecords((int) number(name, value, 64));
            case "inline" -> builder.inlined(truth(name, value));
            case "expected_rows" -> builder.expectedRows(number(name, value, 1L << 40));
            case "load" -> builder.load((int) number(name, value, 100));
            case "neighbours", "neighbors" -> builder.neighbours((int) number(name, value, 64));
            default ->
                    throw new SqlException(
                                    SqlState.INVALID_PARAMETER_VALUE,
                                    "unrecognized parameter \"" + name + "\"")
                            .withHint("Known parameters: " + KNOWN + ".");
        }
    }

    private static long number(String name, String value, long most) {
        try {
            long number = Long.parseLong(value.strip());
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below, as a number out of range is
        }
        throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid value for parameter \"" + name + "\": \"" + value + "\"")
                .withHint("It is a number from 1 to " + most + ".");
    }

    private static boolean truth(String name, String value) {
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default ->
                    throw new SqlException(
                                    SqlState.INVALID_PARAMETER_VALUE,
                                    "invalid value for parameter \""
                                            + name
                                            + "\": \""
                                            + value
                                            + "\"")
                            .withHint("It is true or false.");
        };
    }
}
