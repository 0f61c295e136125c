package org.namdb.cluster.config;

/// A configuration that can't be used: the message is one sentence for its author: where, what is
/// wrong, and what is allowed.
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
