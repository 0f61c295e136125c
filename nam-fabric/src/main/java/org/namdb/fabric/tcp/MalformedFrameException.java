package org.namdb.fabric.tcp;

import java.io.IOException;

/// A peer has sent a malformed frame: its connection is closed.
final class MalformedFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message);
    }
}
