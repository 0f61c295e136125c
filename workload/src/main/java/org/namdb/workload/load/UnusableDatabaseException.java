package org.namdb.workload.load;

/// The database that a run was to use isn't one that it can use.
public final class UnusableDatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// @param message a sentence with the reason and a remedy
    public UnusableDatabaseException(String message) {
        super(message);
    }
}
