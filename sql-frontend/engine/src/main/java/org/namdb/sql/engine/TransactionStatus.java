package org.namdb.sql.engine;

/// The state of a session.
public enum TransactionStatus {
    /// No transaction block is open: every statement is a transaction of its own.
    IDLE,
    /// A transaction block is open.
    ACTIVE,
    /// A statement of the open block has failed: all that can be done is to roll back, wholly or to
    /// a savepoint.
    FAILED
}
