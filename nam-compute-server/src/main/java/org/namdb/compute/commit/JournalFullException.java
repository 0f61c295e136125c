package org.namdb.compute.commit;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// There is no space for another entry of the journal. Nothing was written, and the commit can be
/// retried when there is space.
public final class JournalFullException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    public JournalFullException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
