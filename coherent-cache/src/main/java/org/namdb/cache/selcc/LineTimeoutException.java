package org.namdb.cache.selcc;

/// A line could not be latched in time: other threads or compute servers kept it, or the cache had
/// no free frame. Nothing has changed; the access can be tried again.
public final class LineTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LineTimeoutException(String message) {
        super(message);
    }
}
