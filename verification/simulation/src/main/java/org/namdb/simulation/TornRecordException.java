package org.namdb.simulation;

/// A record was read that is no version of it, but a mixture.
final class TornRecordException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    TornRecordException(String message) {
        super(message);
    }
}
