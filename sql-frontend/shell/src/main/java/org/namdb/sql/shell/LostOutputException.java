package org.namdb.sql.shell;

import java.io.IOException;

/// Results could not be written: the disk is full, or the reader of the pipe has left.
final class LostOutputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final IOException failure;

    LostOutputException(IOException failure) {
        super(failure);
        this.failure = failure;
    }

    /// What the operating system said.
    IOException failure() {
        return failure;
    }

    /// Whether the reader of a pipe has left: it has seen enough, and nothing is wrong.
    boolean isLeftByReader() {
        return String.valueOf(failure.getMessage()).contains("Broken pipe");
    }
}
