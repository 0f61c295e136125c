package org.namdb.cache.scalestore;

import java.io.Serial;

/// A page was in use for too long.
public final class PageTimeoutException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    PageTimeoutException(String message) {
        super(message);
    }
}
