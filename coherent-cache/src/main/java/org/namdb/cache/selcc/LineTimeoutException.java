package org.namdb.cache.selcc;

/// A line could not be latched in time: other threads or compute servers kept it, or the cache had
/// no free frame. Nothing has changed; the access can be tried again.
public final class LineTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// Of an access that does not wait; conflicts are too many for a stack trace each.
    static final LineTimeoutException BUSY = new LineTimeoutException();

    LineTimeoutException(String message) {
        super(message);
    }

    private LineTimeoutException() {
        super("others are using the line", null, false, false);
    }
}
