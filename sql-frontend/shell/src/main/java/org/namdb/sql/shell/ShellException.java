package org.namdb.sql.shell;

/// Something that the shell itself can't do: an unknown meta command, a file that can't be read.
public final class ShellException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// @param message a sentence for the user
    public ShellException(String message) {
        super(message);
    }
}
