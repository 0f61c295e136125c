package org.namdb.sql.shell;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import org.namdb.sql.language.result.Result;

/// A session of the database, used by one thread; [#cancel] alone is for others.
public interface ShellConnection extends AutoCloseable {
    /// The state of the session.
    enum Status {
        /// No transaction block is open.
        IDLE,
        /// A transaction block is open.
        ACTIVE,
        /// A statement of the open block has failed: it can only be rolled back.
        FAILED
    }

    /// Runs one statement.
    ///
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done
    Result execute(String sql);

    /// Runs `COPY .. FROM STDIN` of text or CSV.
    ///
    /// @return how many rows came in
    long copyIn(String sql, Reader data);

    /// The same in the binary format.
    long copyIn(String sql, InputStream data);

    /// Runs `COPY .. TO STDOUT` as text or CSV.
    ///
    /// @return how many rows went out
    long copyOut(String sql, Writer out);

    /// The same in the binary format.
    long copyOut(String sql, OutputStream out);

    /// The state of the session.
    Status status();

    /// The number of its slot in the timestamp vector, by which messages name it.
    int slot();

    /// Makes the running statement fail with 57014; does nothing if none runs. For any thread.
    void cancel();

    /// How far the running statement is, in words: `2,000 rows written`; empty if that is not
    /// known. For any thread.
    String progress();

    /// What the last statement has cost.
    StatementCost lastCost();

    /// The snapshot of the open transaction, or of the last one.
    SnapshotFacts snapshot();

    /// Ends the session; what is not committed is rolled back.
    @Override
    void close();
}
