package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsChannel;

/// The bytes between a client and an agent, encrypted or not. One thread reads at a time, and one
/// writes.
final class Connection {
    private final SocketChannel socket;
    private final @Nullable TlsChannel tls;

    /// @param socket one that does not block
    /// @param tls over the socket; null for none
    Connection(SocketChannel socket, @Nullable TlsChannel tls) {
        this.socket = socket;
        this.tls = tls;
    }

    /// What is registered with selectors.
    SocketChannel socket() {
        return socket;
    }

    /// Reads what has come.
    ///
    /// @return how many bytes; negative if nothing comes any more
    int read(ByteBuffer to) throws IOException {
        return tls == null ? socket.read(to) : tls.read(to);
    }

    /// Whether there may be more to be read, though the socket is not ready.
    boolean isCutShort() {
        return tls != null && tls.isCutShort();
    }

    /// Sends as far as the peer reads.
    ///
    /// @return how many bytes were taken
    int write(ByteBuffer from) throws IOException {
        return tls == null ? socket.write(from) : tls.write(from);
    }

    /// Whether something was taken and waits for the peer to read.
    boolean isUnsent() {
        return tls != null && tls.isUnsent();
    }

    /// Ends it. For whoever alone reads and writes.
    void close() {
        if (tls != null) {
            tls.sayLastWord();
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody can do anything about it, and the socket is of no use any more.
        }
    }
}
