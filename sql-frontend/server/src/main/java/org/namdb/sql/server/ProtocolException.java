package org.namdb.sql.server;

import java.io.IOException;

/// What a client has sent is no message of the protocol. The connection ends.
final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
