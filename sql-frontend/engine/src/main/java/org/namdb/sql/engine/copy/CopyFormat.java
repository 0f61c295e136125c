package org.namdb.sql.engine.copy;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The format of COPY's data.
///
/// @param isBinary whether it is [binary][BinaryCopy]; the other components have no meaning then
/// @param isCsv whether it is CSV; else text with backslashes
/// @param delimiter what separates fields
/// @param nullText the text of NULL; in CSV only if it is not quoted
/// @param hasHeader whether the first line names the columns
/// @param quote what encloses a field of CSV
/// @param escape what precedes a quote within a field of CSV
public record CopyFormat(
        boolean isBinary,
        boolean isCsv,
        char delimiter,
        String nullText,
        boolean hasHeader,
        char quote,
        char escape) {
    private static final String FORBIDDEN_IN_TEXT = "\\.abcdefghijklmnopqrstuvwxyz0123456789";

    /// The format that a statement's options name.
    ///
    /// @throws SqlException 22023, 0A000 if there is no such format
    public static CopyFormat of(Map<String, String> options) {
        String format = format(options.getOrDefault("format", "text"));
        boolean isCsv = format.equals("csv");
        boolean isBinary = format.equals("binary");
        if (isBinary) {
            checkBinary(options);
        }
        for (String name : options.keySet()) {
            switch (name) {
                case "format", "delimiter", "null", "header" -> {}
                case "quote", "escape" -> {
                    if (!isCsv) {
                        throw unavailable("COPY " + name + " available only in CSV mode");
                    }
                }
                case "encoding" -> checkEncoding(options.getOrDefault(name, ""));
                default ->
                        throw new SqlException(
                                SqlState.SYNTAX_ERROR, "option \"" + name + "\" not recognized");
            }
        }
        char delimiter = single("delimiter", options.get("delimiter"), isCsv ? ',' : '\t');
        if (!isCsv && FORBIDDEN_IN_TEXT.indexOf(delimiter) >= 0) {
            throw invalid("COPY delimiter cannot be \"" + delimiter + "\"");
        }
        char quote = single("quote", options.get("quote"), '"');
        if (isCsv && quote == delimiter) {
            throw invalid("COPY delimiter and quote must be different");
        }
        return new CopyFormat(
                isBinary,
                isCsv,
                delimiter,
                options.getOrDefault("null", isCsv ? "" : "\\N"),
                truth(options.get("header")),
                quote,
                single("escape", options.get("escape"), quote));
    }

    private static String format(String name) {
        String format = name.toLowerCase(Locale.ROOT);
        return switch (format) {
            case "csv", "text", "binary" -> format;
            default -> throw invalid("COPY format \"" + name + "\" not recognized");
        };
    }

    private static void checkBinary(Map<String, String> options) {
        for (String name : List.of("delimiter", "null")) {
            if (options.containsKey(name)) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "cannot specify " + name.toUpperCase(Locale.ROOT) + " in BINARY mode");
            }
        }
        if (truth(options.get("header"))) {
            throw unavailable("cannot specify HEADER in BINARY mode");
        }
    }

    private static void checkEncoding(String encoding) {
        String name = encoding.replace("-", "").toLowerCase(Locale.ROOT);
        if (!name.equals("utf8") && !name.equals("unicode")) {
            throw invalid("argument to option \"encoding\" must be UTF8");
        }
    }

    private static char single(String name, @Nullable String value, char otherwise) {
        if (value == null) {
            return otherwise;
        }
        if (value.length() != 1 || value.equals("\n") || value.equals("\r")) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "COPY " + name + " must be a single one-byte character");
        }
        return value.charAt(0);
    }

    private static boolean truth(@Nullable String value) {
        return value != null
                && switch (value.toLowerCase(Locale.ROOT)) {
                    case "true", "on", "1", "", "match" -> true;
                    case "false", "off", "0" -> false;
                    default -> throw invalid("header requires a Boolean value or \"match\"");
                };
    }

    private static SqlException invalid(String message) {
        return new SqlException(SqlState.INVALID_PARAMETER_VALUE, message);
    }

    private static SqlException unavailable(String message) {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, message);
    }
}
