package org.namdb.sql.engine.isolation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One session with a database, as little of it as the scenarios need.
public interface SqlConnection extends AutoCloseable {
    /// Opens sessions with the same database.
    @FunctionalInterface
    interface Factory {
        SqlConnection open();
    }

    /// Executes a statement.
    ///
    /// @return the rows with their values as text, null for SQL's NULL; no rows after a statement
    ///     that isn't a query
    /// @throws SqlFailure if the statement fails
    List<List<@Nullable String>> query(String sql) throws SqlFailure;

    @Override
    void close();
}
