package org.namdb.fabric.tcp;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import javax.net.ssl.SSLContext;

/// A client that sends an agent whatever it likes.
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;

    RawClient(InetSocketAddress agent) throws IOException {
        this(agent, new Socket());
    }

    private RawClient(InetSocketAddress agent, Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(agent);
        in = new DataInputStream(socket.getInputStream());
    }

    /// One with TLS.
    static RawClient encrypted(InetSocketAddress agent, SSLContext context) throws IOException {
        return new RawClient(agent, context.getSocketFactory().createSocket());
    }

    /// Connects and is accepted.
    void greet() throws IOException {
        byte[] hello = Handshake.hello(UUID.randomUUID(), ServedClient.NO_PROCESS);
        send(hello);
        byte[] challenge = receive();
        send(Handshake.proof(new byte[0], hello, challenge));
        byte[] _ = receive();
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /// Sends words; a frame, perhaps.
    void send(long... words) throws IOException {
        ByteBuffer out =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
        for (long word : words) {
            out.putLong(word);
        }
        send(out.array());
    }

    /// A frame's first word.
    static long head(int kind, int bytes) {
        return (long) kind << 56 | bytes & 0xffff_ffffL;
    }

    /// A whole frame.
    byte[] receive() throws IOException {
        byte[] head = new byte[Long.BYTES];
        in.readFully(head);
        int bytes =
                AgentFrame.bytes(ByteBuffer.wrap(head).order(ByteOrder.nativeOrder()).getLong());
        byte[] message = new byte[bytes];
        System.arraycopy(head, 0, message, 0, head.length);
        in.readFully(message, head.length, bytes - head.length);
        return message;
    }

    /// Whether the agent closes the connection, whatever it sends before.
    boolean isClosed() throws IOException {
        try {
            while (true) {
                byte[] _ = receive();
            }
        } catch (EOFException e) {
            return true;
        } catch (SocketException e) {
            return true; // reset, as it had not read everything
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
