package org.namdb.sql.engine.golden;

import org.jspecify.annotations.Nullable;

/// One connection to a database that golden files are played on. A fresh target has no tables;
/// closing it removes all that was made.
public interface GoldenTarget extends AutoCloseable {
    /// Makes fresh targets: an empty database each.
    @FunctionalInterface
    interface Factory {
        GoldenTarget fresh();
    }

    /// Executes one statement (without its semicolon) and answers what it gave, in the form of the
    /// golden files: rows, a command tag, or `ERROR <SQLSTATE>: <message>`. The lines are joined by
    /// newlines, without one at the end. Use [Answer] to write it.
    ///
    /// @param copyData the lines that follow `COPY ... FROM STDIN`, each with its newline; null
    ///     with any other statement
    String run(String statement, @Nullable String copyData);

    @Override
    void close();
}
