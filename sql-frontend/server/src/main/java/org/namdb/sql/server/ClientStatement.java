package org.namdb.sql.server;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.PreparedStatement;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.result.ResultColumn;

/// A prepared statement of a client.
///
/// @param text its text, for the places of errors
/// @param prepared null if the text has no statement
/// @param oids the types that the client has declared for the first parameters
/// @param columns those of its rows; empty if it gives none
record ClientStatement(
        String text,
        @Nullable PreparedStatement prepared,
        List<Integer> oids,
        List<ResultColumn> columns) {
    /// Whether it gives rows, if only ones without columns.
    boolean hasRows() {
        return !columns.isEmpty()
                || prepared != null && prepared.statement() instanceof Statement.Select;
    }

    /// What it takes of the [ConnectionMemory].
    long bytes() {
        return bytes(text);
    }

    static long bytes(String text) {
        return ConnectionMemory.OBJECT_BYTES + text.length();
    }
}
