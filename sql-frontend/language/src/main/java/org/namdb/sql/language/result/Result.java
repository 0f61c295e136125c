package org.namdb.sql.language.result;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a statement returns: rows, one after the other, or only its completion. Rows are made as
/// they are read; a result is used by the session's thread, before the session's next statement,
/// which closes it.
///
/// ```java
/// try (Result accounts = session.execute("SELECT id, owner FROM accounts")) {
///     while (accounts.next()) {
///         System.out.println(accounts.int64("id") + " " + accounts.text("owner"));
///     }
/// }
/// ```
public interface Result extends AutoCloseable {
    /// The columns of the rows; empty if the statement gives no rows.
    List<ResultColumn> columns();

    /// Whether the statement gives rows, if only none of them.
    boolean hasRows();

    /// Moves to the next row.
    ///
    /// @return false if there is no more
    /// @throws org.namdb.sql.language.error.SqlException if the next row can't be made; the
    ///     statement is undone then
    boolean next();

    /// A value of the current row: of the class that [org.namdb.sql.language.type.SqlType] names.
    ///
    /// @param column from 0
    /// @return null for NULL
    @Nullable Object value(int column);

    /// A value of the current row as text, in PostgreSQL's format.
    ///
    /// @return null for NULL
    @Nullable String text(int column);

    /// Whether a value of the current row is NULL.
    default boolean isNull(int column) {
        return value(column) == null;
    }

    /// The value of an integer column.
    ///
    /// @throws IllegalStateException if it is NULL or no integer
    default long int64(int column) {
        if (value(column) instanceof Long number) {
            return number;
        }
        throw new IllegalStateException(
                "column " + columns().get(column).name() + " is no integer: " + value(column));
    }

    /// The value of a column of TIMESTAMP WITH TIME ZONE; null for NULL.
    ///
    /// @throws IllegalStateException if it is of another type
    default @Nullable Instant instant(int column) {
        Object value = value(column);
        if (value == null || value instanceof Instant) {
            return (Instant) value;
        }
        throw new IllegalStateException(
                "column "
                        + columns().get(column).name()
                        + " is no timestamp with time zone: "
                        + value);
    }

    /// The number of the column of this name, from 0: the first, if several have it. A name that
    /// the statement does not quote is in lower case.
    ///
    /// @throws IllegalArgumentException if there is none
    default int column(String name) {
        List<ResultColumn> all = columns();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                "the result has no column %s; it has %s"
                        .formatted(name, all.stream().map(ResultColumn::name).toList()));
    }

    /// A value of the current row, by its [column][#column]; null for NULL.
    default @Nullable Object value(String column) {
        return value(column(column));
    }

    /// A value of the current row as text, by its [column][#column]; null for NULL.
    default @Nullable String text(String column) {
        return text(column(column));
    }

    /// Whether a value of the current row is NULL, by its [column][#column].
    default boolean isNull(String column) {
        return isNull(column(column));
    }

    /// The value of an integer column, by its [name][#column].
    ///
    /// @throws IllegalStateException if it is NULL or no integer
    default long int64(String column) {
        return int64(column(column));
    }

    /// The value of a column of TIMESTAMP WITH TIME ZONE, by its [name][#column]; null for NULL.
    ///
    /// @throws IllegalStateException if it is of another type
    default @Nullable Instant instant(String column) {
        return instant(column(column));
    }

    /// The command tag, as in PostgreSQL: `SELECT 3`, `INSERT 0 1`, `CREATE TABLE`. Known when all
    /// rows are taken.
    String tag();

    /// How many rows were given or changed; 0 for other statements.
    long rowCount();

    /// Remarks that are no errors, as that a table was there already.
    List<Notice> notices();

    /// Ends the statement. Outside of a transaction block it is committed, whether all rows were
    /// taken or not.
    @Override
    void close();
}
