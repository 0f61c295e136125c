package org.namdb.tpcc;

/// An option that can't be: the message is one sentence for the person who gave it.
public final class InvalidOptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public InvalidOptionException(String message) {
        super(message);
    }
}
