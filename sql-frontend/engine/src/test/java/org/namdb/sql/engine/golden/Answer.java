package org.namdb.sql.engine.golden;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes the answer to a statement as it stands in the golden files.
public final class Answer {
    private static final String SEPARATOR = " | ";
    private static final Pattern ERROR = Pattern.compile("(?s)(ERROR [0-9A-Z]{5})(:.*)?");

    private Answer() {}

    /// A result with rows, possibly none.
    ///
    /// @param names the names of the columns
    /// @param rows the values as PostgreSQL writes them as text, null for SQL's NULL
    public static String rows(List<String> names, List<? extends List<@Nullable String>> rows) {
        StringBuilder answer = new StringBuilder(String.join(SEPARATOR, names)).append('\n');
        for (List<@Nullable String> row : rows) {
            answer.append(row.stream().map(Answer::value).collect(Collectors.joining(SEPARATOR)));
            answer.append('\n');
        }
        return answer.append(rows.size() == 1 ? "(1 row)" : "(" + rows.size() + " rows)")
                .toString();
    }

    /// The data that `COPY ... TO STDOUT` has sent, and its tag.
    ///
    /// @param data whole lines, each with its newline
    public static String copied(String data, long rows) {
        return data + "COPY " + rows;
    }

    /// An error. Only the SQLSTATE binds every target.
    public static String error(@Nullable String sqlState, @Nullable String message) {
        String line = String.valueOf(message).lines().findFirst().orElse("");
        return "ERROR " + sqlState + ": " + line;
    }

    /// The answer without what may differ between databases: the message of an error.
    public static String binding(String answer) {
        return isError(answer) ? ERROR.matcher(answer).replaceFirst("$1") : answer;
    }

    /// True if the statement has failed.
    public static boolean isError(String answer) {
        return ERROR.matcher(answer).matches();
    }

    private static String value(@Nullable String value) {
        return value == null ? "<NULL>" : value.replace("\n", "\\n");
    }
}
