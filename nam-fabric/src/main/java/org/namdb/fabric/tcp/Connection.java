package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// The bytes between a client and an agent: over a socket, or simulated. One thread reads at a
/// time, and one writes.
interface Connection {
    /// What is registered with selectors.
    SocketChannel socket();

    /// Reads what has come.
    ///
    /// @return how many bytes; negative if nothing comes any more
    int read(ByteBuffer to) throws IOException;

    /// Whether there may be more to be read, though the socket is not ready.
    boolean isCutShort();

    /// Sends as far as the peer reads.
    ///
    /// @return how many bytes were taken
    int write(ByteBuffer from) throws IOException;

    /// Whether something was taken and waits for the peer to read.
    boolean isUnsent();

    /// Ends it. For the only thread that reads and writes.
    void close();
}
