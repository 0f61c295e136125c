package org.namdb.memory.client;

/// There are as many advisory locks as memory server 0 keeps.
public final class TooManyLocksException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyLocksException() {
        super("there are too many advisory locks");
    }
}
