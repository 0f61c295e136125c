package org.namdb.sql.server;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What a connection's prepared statements and portals hold of the server's heap, together: texts,
/// parameters, and rows that were not fetched before another statement ran. An estimate. Used by
/// the connection's thread.
final class ConnectionMemory {
    static final long MAX_BYTES = 256 << 20;

    /// Of a statement or a portal, whatever it has.
    static final long OBJECT_BYTES = 1 << 10;

    private long used;

    /// @throws SqlException 53200 if the connection holds too much; nothing is taken then
    void take(long bytes) {
        if (used + bytes > MAX_BYTES) {
            throw new SqlException(
                            SqlState.OUT_OF_MEMORY,
                            "out of memory: the prepared statements and portals of this connection"
                                    + " hold too much")
                    .withDetail(
                            "They may hold "
                                    + (MAX_BYTES >> 20)
                                    + " MiB together: texts, parameters, and the rows that an open"
                                    + " portal has left when another statement runs.")
                    .withHint(
                            "Fetch all rows before the next statement, let the query give fewer, or"
                                    + " close statements: DEALLOCATE ALL.");
        }
        used += bytes;
    }

    void free(long bytes) {
        used -= bytes;
    }
}
