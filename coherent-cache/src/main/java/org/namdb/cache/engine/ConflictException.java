package org.namdb.cache.engine;

/// A transaction meets another one, and is aborted. It can be tried again.
public final class ConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// Conflicts are too many for a stack trace each.
    static final ConflictException CONFLICT = new ConflictException();

    private ConflictException() {
        super("the transaction has met another one, and is aborted", null, false, false);
    }
}
