package org.namdb.mvcc.owner;

/// What a thread was at was cancelled ([LatchOwner.Cancellation]). No verb has failed, and nothing
/// is latched.
public abstract class CancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected CancelledException(String message) {
        super(message);
    }
}
