package org.namdb.sql.language.error;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// What of the schema an error is about, for programs that don't read messages.
///
/// @param table the table
/// @param column the column; null if the error is not about one alone
/// @param constraint the constraint or unique index that is violated; null for NOT NULL, which has
///     no name
public record ErrorObject(String table, @Nullable String column, @Nullable String constraint)
        implements Serializable {
    /// A column of a table.
    public static ErrorObject column(String table, String column) {
        return new ErrorObject(table, column, null);
    }

    ErrorObject without(String part) {
        return new ErrorObject(
                table.replace(part, ""),
                column,
                constraint == null ? null : constraint.replace(part, ""));
    }

    /// A constraint of a table.
    public static ErrorObject constraint(String table, String constraint) {
        return new ErrorObject(table, null, constraint);
    }
}
