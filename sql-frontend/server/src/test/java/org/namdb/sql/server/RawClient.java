package org.namdb.sql.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/// A client that sends what it likes.
final class RawClient implements AutoCloseable {
    private static final int PROTOCOL = 3 << 16;
    private static final int TIMEOUT_MILLIS = 30_000;

    final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    int number;
    int key;

    RawClient(ServerFixture db) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), db.port());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /// Connects and is ready.
    static RawClient ready(ServerFixture db) throws IOException {
        RawClient client = new RawClient(db);
        client.startup();
        client.until('Z');
        return client;
    }

    void startup() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(body);
        data.writeInt(PROTOCOL);
        data.writeBytes("user\0ada\0\0");
        DataOutputStream all = new DataOutputStream(out);
        all.writeInt(body.size() + 4);
        all.write(body.toByteArray());
        all.flush();
    }

    /// Sends bytes as they are.
    void raw(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /// A message: its type, and texts each with a zero byte behind it.
    static byte[] message(char type, String... texts) {
        return message(type, (String.join("\0", texts) + "\0").getBytes(StandardCharsets.UTF_8));
    }

    static byte[] message(char type, byte... body) {
        byte[] all = new byte[body.length + 5];
        all[0] = (byte) type;
        int length = body.length + 4;
        for (int i = 0; i < 4; i++) {
            all[1 + i] = (byte) (length >> 8 * (3 - i));
        }
        System.arraycopy(body, 0, all, 5, body.length);
        return all;
    }

    void query(String sql) throws IOException {
        raw(message('Q', sql));
    }

    /// The types of the messages up to one, with the SQLSTATE behind each E; `$` at the end of the
    /// connection.
    String until(char end) throws IOException {
        StringBuilder types = new StringBuilder();
        try {
            char type;
            do {
                type = (char) in.readUnsignedByte();
                byte[] body = in.readNBytes(in.readInt() - 4);
                types.append(type);
                if (type == 'E') {
                    String text = new String(body, StandardCharsets.UTF_8);
                    types.append('(').append(text.split("\0C", 2)[1], 0, 5).append(')');
                } else if (type == 'K') {
                    number = intOf(body, 0);
                    key = intOf(body, 4);
                } else if (type == 'Z') {
                    types.append((char) body[0]);
                }
            } while (type != end);
        } catch (EOFException | SocketException e) {
            types.append('$');
        }
        return types.toString();
    }

    private static int intOf(byte[] bytes, int at) {
        return bytes[at] << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | bytes[at + 3] & 0xff;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
