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

/// A client that sends an agent whatever it likes.
final class RawClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;

    RawClient(InetSocketAddress agent) throws IOException {
        socket = new Socket();
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(agent);
        in = new DataInputStream(socket.getInputStream());
    }

    /// One that is let in.
    static RawClient greeted(InetSocketAddress agent) throws IOException {
        RawClient client = new RawClient(agent);
        byte[] hello = Handshake.hello(UUID.randomUUID(), ServedClient.NO_PROCESS);
        client.send(hello);
        byte[] challenge = client.receive();
        client.send(Handshake.proof(new byte[0], hello, challenge));
        byte[] _ = client.receive();
        return client;
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
        int bytes = Frame.bytes(ByteBuffer.wrap(head).order(ByteOrder.nativeOrder()).getLong());
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
