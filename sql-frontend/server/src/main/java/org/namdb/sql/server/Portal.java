package org.namdb.sql.server;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// A statement that is bound to its parameters, and how far its rows have been sent.
final class Portal {
    /// What drivers know, together with [ErrorMessages]' routine: they prepare the statement again.
    static final String CHANGED_COLUMNS = "cached plan must not change result type";

    private final ClientStatement statement;
    private final @Nullable Object[] parameters;
    private final RowEncoder encoder;
    private final ConnectionMemory memory;

    /// What it holds of the memory.
    private long bytes;

    private @Nullable Result result;

    /// The rows that are left, once another statement has needed the session.
    private @Nullable MessageWriter kept;

    private int keptFrom;
    private boolean isDone;
    private boolean hasFailed;

    /// @param bytes what it has taken of the memory for its parameters; freed by [#close]
    Portal(
            ClientStatement statement,
            @Nullable Object[] parameters,
            ConnectionMemory memory,
            long bytes,
            short... formats) {
        this.statement = statement;
        this.parameters = parameters;
        this.memory = memory;
        this.bytes = bytes;
        this.encoder = new RowEncoder(statement.columns(), formats);
    }

    ClientStatement statement() {
        return statement;
    }

    @Nullable Object[] parameters() {
        return parameters;
    }

    RowEncoder encoder() {
        return encoder;
    }

    boolean isDone() {
        return isDone;
    }

    /// Whether it was executed, and has rows left.
    boolean isStarted() {
        return result != null;
    }

    /// @param name its own, for the message
    /// @throws SqlException 55000 if its statement has failed, or has run to its end and gives no
    ///     rows
    void requireRunnable(String name) {
        if (hasFailed || isDone && result != null && !result.hasRows()) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE, "portal \"" + name + "\" cannot be run");
        }
    }

    /// Its statement has failed, or its rows were lost with another failure.
    void fail() {
        hasFailed = true;
        isDone = true;
    }

    /// Whether its rows are still made by the session.
    boolean isOpen() {
        return result != null && kept == null && !isDone;
    }

    /// Its statement runs.
    ///
    /// @throws SqlException 0A000 if the rows are not those that were described
    void start(Result running) {
        result = running;
        if (running.hasRows() && !running.columns().equals(encoder.columns())) {
            running.close();
            throw new SqlException(SqlState.FEATURE_NOT_SUPPORTED, CHANGED_COLUMNS)
                    .withHint("A table has changed: prepare the statement again.");
        }
    }

    /// Its statement has run, without rows.
    void done() {
        isDone = true;
    }

    /// Sends rows.
    ///
    /// @param max how many; 0 or less for all
    /// @return how many were sent; [#isDone] is true if they were the last
    long send(MessageWriter out, int max) throws IOException {
        Result rows = result;
        MessageWriter rest = kept;
        long count = 0;
        while (max <= 0 || count < max) {
            if (rest != null) {
                if (keptFrom == rest.size()) {
                    done();
                    return count;
                }
                int end = rest.endOfMessage(keptFrom);
                rest.copyTo(out, keptFrom, end);
                keptFrom = end;
            } else if (rows != null && rows.next()) {
                encoder.row(out, rows);
            } else {
                done();
                return count;
            }
            count++;
        }
        return count;
    }

    /// Keeps the rows that are left, as another statement is going to run.
    ///
    /// @throws SqlException 53200 if they are too many
    void keep() throws IOException {
        Result rows = result;
        if (rows == null || !isOpen()) {
            return;
        }
        MessageWriter rest = new MessageWriter(null);
        try {
            while (rows.next()) {
                int before = rest.size();
                encoder.row(rest, rows);
                memory.take(rest.size() - before);
                bytes += rest.size() - before;
            }
        } catch (SqlException e) {
            rows.close();
            fail();
            throw e;
        }
        kept = rest;
    }

    /// What was done; known when it is done.
    String tag(long count) {
        String tag = result == null ? "" : result.tag();
        return tag.startsWith("SELECT ") ? "SELECT " + count : tag;
    }

    void close() {
        memory.free(bytes);
        bytes = 0;
        if (result != null && isOpen()) {
            result.close();
        }
        isDone = true;
    }
}
