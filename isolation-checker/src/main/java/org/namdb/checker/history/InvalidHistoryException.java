package org.namdb.checker.history;

/// A history that can't be judged, because it isn't one: the message is one sentence for the person who gave it.
public final class InvalidHistoryException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public InvalidHistoryException(String message) {
        super(message);
    }
}
