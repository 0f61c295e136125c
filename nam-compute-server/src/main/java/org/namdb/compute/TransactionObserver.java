package org.namdb.compute;

/// Notified of every attempt of a session to run a transaction, when the attempt has ended, so that
/// it can be recorded. Called by the thread that runs the session, so a slow observer slows the
/// session down.
///
/// A session without an observer pays one comparison with null for each attempt, see
/// [Session#observe].
@FunctionalInterface
public interface TransactionObserver {
    /// An attempt has ended.
    ///
    /// @param attempt what it has read and written; valid until this method returns
    void ended(TransactionAttempt attempt);
}
