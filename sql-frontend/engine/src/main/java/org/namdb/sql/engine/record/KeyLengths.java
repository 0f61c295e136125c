package org.namdb.sql.engine.record;

import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The error of a value that is too long for a key or an index, which a column of a longer type
/// may have.
public final class KeyLengths {
    private KeyLengths() {}

    /// The error of a value of so many bytes.
    ///
    /// @param index the index's name
    /// @param bytes how many bytes the value has
    /// @param mostBytes how many it may have
    public static SqlException tooLong(String index, long bytes, int mostBytes) {
        return new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "index row size "
                                + bytes
                                + " exceeds maximum "
                                + mostBytes
                                + " for index \""
                                + index
                                + "\"")
                .withHint(
                        "The columns of an index share 256 bytes with the primary key. Shorter declared lengths of the"
                                + " others leave more to one, and an index on md5(value) in a column of its own finds"
                                + " equal values of any length.");
    }

    /// The error of a value that the store has refused.
    ///
    /// @param primaryKey the name of the index, if the value is of the primary key
    public static SqlException tooLong(KeyTooLongException cause, String primaryKey) {
        String index = cause.index();
        return tooLong(index == null ? primaryKey : index, cause.bytes(), cause.mostBytes())
                .causedBy(cause);
    }
}
