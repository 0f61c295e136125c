package org.namdb.fabric.disk;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// A disk is full, gone, or refuses something.
public final class DiskException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    public DiskException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
