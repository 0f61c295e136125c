package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsChannel;

/// Over a socket, encrypted or not.
final class SocketConnection implements Connection {
    private final SocketChannel socket;
    private final @Nullable TlsChannel tls;

    /// @param socket one that does not block
    /// @param tls over the socket; null for none
    SocketConnection(SocketChannel socket, @Nullable TlsChannel tls) {
        this.socket = socket;
        this.tls = tls;
    }

    @Override
    public SocketChannel socket() {
        return socket;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        return tls == null ? socket.read(to) : tls.read(to);
    }

    @Override
    public boolean isCutShort() {
        return tls != null && tls.isCutShort();
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return tls == null ? socket.write(from) : tls.write(from);
    }

    @Override
    public boolean isUnsent() {
        return tls != null && tls.isUnsent();
    }

    @Override
    public void close() {
        if (tls != null) {
            tls.sendAlert();
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing can be done about it, and the socket is of no use any more.
        }
    }
}
