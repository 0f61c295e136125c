package org.namdb.compute.journal;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// The journal can't be written, or can't be read. The message names the file.
public final class JournalException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /// What is wrong.
    public enum Kind {
        /// The disk has failed. Nothing can be committed any more; what was not acknowledged may be
        /// there after a restart, or not.
        FAILED,
        /// Files are not as they were written, or not from this version of NamDB. Nothing was
        /// changed.
        DAMAGED
    }

    private final Kind kind;

    public JournalException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /// What is wrong.
    public Kind kind() {
        return kind;
    }
}
