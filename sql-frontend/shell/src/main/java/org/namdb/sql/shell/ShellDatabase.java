package org.namdb.sql.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A database as the shell sees it: it opens sessions and describes tables.
public interface ShellDatabase extends AutoCloseable {
    /// Opens a session.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 53300 if there are too many
    ShellConnection connect();

    /// The names of all tables, sorted.
    List<String> tableNames();

    /// What is known of a table; null if there is none of this name.
    @Nullable TableFacts table(String name);

    /// The words that its statements may hold.
    Vocabulary vocabulary();

    /// What it is and where, a fact in a line, for `\conninfo`.
    List<String> facts();

    /// Ends all sessions; an embedded database is lost then.
    @Override
    void close();
}
