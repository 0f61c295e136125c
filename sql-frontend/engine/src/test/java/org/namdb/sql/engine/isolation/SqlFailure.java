package org.namdb.sql.engine.isolation;

/// A statement has failed.
public final class SqlFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final String sqlState;

    /// A failure with the five characters of its SQLSTATE.
    public SqlFailure(String sqlState, String message) {
        super(message);
        this.sqlState = sqlState;
    }

    /// The five characters, `40001` for a serialization failure.
    public String sqlState() {
        return sqlState;
    }
}
