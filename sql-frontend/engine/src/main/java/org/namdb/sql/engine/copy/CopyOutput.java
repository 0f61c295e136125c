package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// Takes the rows of COPY's data.
public sealed interface CopyOutput permits CopyWriter, BinaryCopyWriter {
    /// Writes what precedes the rows.
    ///
    /// @param names of the columns
    void begin(List<String> names) throws IOException;

    /// Writes a row.
    ///
    /// @param zone the session's
    void write(@Nullable Object[] row, List<SqlType> types, ZoneId zone) throws IOException;

    /// Writes what follows the rows.
    void end() throws IOException;
}
