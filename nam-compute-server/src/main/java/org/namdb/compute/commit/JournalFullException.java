package org.namdb.compute.commit;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// There is no room for another entry of the journal. Nothing was written, and what was to be is
/// worth another try when there is room.
public final class JournalFullException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    public JournalFullException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
