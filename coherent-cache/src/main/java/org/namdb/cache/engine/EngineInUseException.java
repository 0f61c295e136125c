package org.namdb.cache.engine;

/// Another compute server uses the lines of an engine in a way that excludes this one: with another
/// kind of control, or to check them.
public final class EngineInUseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EngineInUseException(String message) {
        super(message);
    }
}
