package org.namdb.fabric.peer.tcp;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.TokenProof;
import org.namdb.fabric.tls.TlsIdentity;

/// A connection between two peers that have proven themselves to each other. One thread writes, and
/// one reads.
/// ```
/// connecting peer                                          listening peer
/// hello      | format | process | wanted process | random |
///                                      challenge   | format | process | random |
/// proof      | HMAC of both |
///                                      welcome     | HMAC of both |
/// ```
final class PeerConnection implements AutoCloseable {
    /// `NAMPEER` and a number of the format.
    private static final long FORMAT = 0x4e414d50_45455201L;

    private static final int RANDOM_BYTES = 16;
    private static final int HELLO_BYTES = Long.BYTES + 2 * Integer.BYTES + RANDOM_BYTES;
    private static final int CHALLENGE_BYTES = Long.BYTES + Integer.BYTES + RANDOM_BYTES;
    private static final int BUFFER_BYTES = 32 << 10;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int peer;

    private PeerConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out =
                new DataOutputStream(
                        new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
    }

    /// Connects to `peer`.
    ///
    /// @throws java.net.ConnectException if no process listens there
    /// @throws EOFException if another process listens there
    /// @throws IOException if there is no connection
    /// @throws FabricException if the two don't trust each other
    static PeerConnection open(
            int process,
            int peer,
            InetSocketAddress address,
            TcpPeerOptions options,
            @Nullable TlsIdentity identity)
            throws IOException {
        int timeoutMillis = (int) options.timeout().toMillis();
        Socket socket = new Socket();
        boolean isOpen = false;
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            Socket secured =
                    identity == null
                            ? socket
                            : identity.connect(socket, address.getHostString(), address.getPort());
            PeerConnection connection = new PeerConnection(secured);
            connection.greet(process, peer, address, options.token());
            secured.setSoTimeout(timeoutMillis / 2);
            isOpen = true;
            return connection;
        } finally {
            if (!isOpen) {
                socket.close();
            }
        }
    }

    /// Accepts a peer.
    ///
    /// @param socket as it was accepted
    /// @throws IOException if it is none, or not trusted
    static PeerConnection accept(
            int process, Socket socket, TcpPeerOptions options, @Nullable TlsIdentity identity)
            throws IOException {
        int timeoutMillis = (int) options.timeout().toMillis();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(timeoutMillis);
        PeerConnection connection =
                new PeerConnection(identity == null ? socket : identity.accept(socket));
        connection.welcome(process, options.token());
        connection.socket.setSoTimeout(2 * timeoutMillis);
        return connection;
    }

    private void greet(int process, int wanted, InetSocketAddress address, String token)
            throws IOException {
        ByteBuffer hello =
                ByteBuffer.allocate(HELLO_BYTES).putLong(FORMAT).putInt(process).putInt(wanted);
        send(hello.put(random()).array());
        byte[] challenge = receive(CHALLENGE_BYTES);
        ByteBuffer said = ByteBuffer.wrap(challenge);
        if (said.getLong() != FORMAT) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    address + " is no compute server of this version: is it the right port?");
        }
        peer = said.getInt();
        if (peer != wanted) {
            throw new EOFException("another process has the address of process " + wanted);
        }
        byte[] secret = token.getBytes(StandardCharsets.UTF_8);
        send(TokenProof.of(secret, "peer that connects", hello.array(), challenge));
        byte[] expected = TokenProof.of(secret, "peer that listens", hello.array(), challenge);
        byte[] proof = new byte[TokenProof.BYTES];
        int first = in.read();
        if (first >= 0) {
            proof[0] = (byte) first;
            in.readFully(proof, 1, proof.length - 1);
        }
        if (!TokenProof.isEqual(proof, expected)) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    address + " has another token than this compute server: give both the same");
        }
    }

    private void welcome(int process, String token) throws IOException {
        byte[] hello = receive(HELLO_BYTES);
        ByteBuffer said = ByteBuffer.wrap(hello);
        if (said.getLong() != FORMAT) {
            throw new IOException("it is no compute server of this version");
        }
        peer = said.getInt();
        ByteBuffer challenge = ByteBuffer.allocate(CHALLENGE_BYTES).putLong(FORMAT).putInt(process);
        send(challenge.put(random()).array());
        if (said.getInt() != process) {
            throw new IOException("process " + peer + " expects another process");
        }
        byte[] secret = token.getBytes(StandardCharsets.UTF_8);
        byte[] expected = TokenProof.of(secret, "peer that connects", hello, challenge.array());
        if (!TokenProof.isEqual(receive(TokenProof.BYTES), expected)) {
            throw new IOException("it has another token than this compute server");
        }
        send(TokenProof.of(secret, "peer that listens", hello, challenge.array()));
    }

    private static byte[] random() {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        return random;
    }

    private void send(byte[] message) throws IOException {
        out.write(message);
        out.flush();
    }

    private byte[] receive(int bytes) throws IOException {
        byte[] message = new byte[bytes];
        in.readFully(message);
        return message;
    }

    /// The process at the other end.
    int peer() {
        return peer;
    }

    /// Writes a frame, which need not go out before [#flush].
    void write(PeerFrame frame) throws IOException {
        frame.write(out);
    }

    void flush() throws IOException {
        out.flush();
    }

    /// Reads the next frame.
    ///
    /// @return null if nothing has come for a while
    /// @throws IOException if the connection has ended, or what comes is no frame
    @Nullable PeerFrame read() throws IOException {
        int first;
        try {
            first = in.read();
        } catch (SocketTimeoutException e) {
            return null;
        }
        if (first < 0) {
            throw new EOFException("process " + peer + " has closed the connection");
        }
        return PeerFrame.read(first, in);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more, one way or the other.
        }
    }
}
