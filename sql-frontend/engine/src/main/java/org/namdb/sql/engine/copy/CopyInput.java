package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// The rows of COPY's data, one after the other.
public sealed interface CopyInput permits CopyReader, BinaryCopyReader {
    /// Reads what precedes the rows.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 22P04 if the data is malformed
    /// @throws IOException if it can't be read
    void begin() throws IOException;

    /// Goes on to the next row.
    ///
    /// @return false if there is none
    /// @throws org.namdb.sql.language.error.SqlException 22P04 if the data is malformed
    /// @throws IOException if it can't be read
    boolean next() throws IOException;

    /// How many fields the row has.
    int size();

    /// The value of a field; null for NULL. Each field of a row is read once, in their order.
    /// Lengths and scales of the type are not applied.
    ///
    /// @param zone the session's
    /// @throws org.namdb.sql.language.error.SqlException if it is none of the type, 22P04 if the
    ///     data is malformed
    /// @throws IOException if it can't be read
    @Nullable Object value(int field, SqlType type, ZoneId zone) throws IOException;

    /// How an error's context shows the field whose value was read; empty if it does not.
    String shown(int field);

    /// The line at which the row began, from 1; in the binary format the row.
    long lineNumber();
}
