package org.namdb.fabric.tls;

import java.io.IOException;

/// The peer does not speak TLS.
public final class NotTlsException extends IOException {
    private static final long serialVersionUID = 1L;

    NotTlsException() {
        super("it does not speak TLS");
    }
}
