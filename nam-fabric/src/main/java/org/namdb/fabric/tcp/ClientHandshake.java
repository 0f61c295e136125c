package org.namdb.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.tls.NotTlsException;
import org.namdb.fabric.tls.TlsChannel;
import org.namdb.fabric.tls.TlsFailure;
import org.namdb.fabric.tls.TlsIdentity;

/// Opens a connection to an agent: the client's side of the [Handshake].
final class ClientHandshake {
    /// The regions of an agent, as many as there may be, with their files' names.
    private static final int MAX_WELCOME_BYTES = 1 << 20;

    private final InetSocketAddress address;
    private final byte[] secret;
    private final @Nullable TlsIdentity identity;
    private final UUID client;

    ClientHandshake(
            InetSocketAddress address, byte[] secret, @Nullable TlsIdentity identity, UUID client) {
        this.address = address;
        this.secret = secret;
        this.identity = identity;
        this.client = client;
    }

    /// What an open connection begins with.
    ///
    /// @param isKnown whether the agent still has this client
    record Opened(
            Connection connection,
            long incarnation,
            boolean isKnown,
            List<ServedMemory.Served> regions) {}

    /// @param process the client's number in the cluster
    /// @param nanos how long it may take
    /// @throws IOException if the agent can't be reached, or does not answer in time
    /// @throws FabricException if it refuses the client
    Opened open(int process, long nanos) throws IOException {
        long deadline = Host.MACHINE.nanoTime() + nanos;
        SocketChannel channel = SocketChannel.open();
        boolean isOpen = false;
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            connect(channel, key, deadline);
            Opened opened = greet(agree(channel, key, deadline), key, process, deadline);
            isOpen = true;
            return opened;
        } catch (NotTlsException e) {
            throw refused(
                    address + " does not speak TLS: give it a certificate, too, or none here");
        } catch (SSLException e) {
            throw refused(TlsFailure.describe(e, address.toString(), address.getHostString()));
        } finally {
            if (!isOpen) {
                channel.close();
            }
        }
    }

    private void connect(SocketChannel channel, SelectionKey key, long deadline)
            throws IOException {
        if (!channel.connect(address)) {
            do {
                await(key, SelectionKey.OP_CONNECT, deadline);
            } while (!channel.finishConnect());
        }
    }

    private static FabricException refused(String why) {
        return new FabricException(FabricException.Kind.SYSTEM, why);
    }

    /// Agrees upon TLS, if there shall be any.
    private Connection agree(SocketChannel channel, SelectionKey key, long deadline)
            throws IOException {
        if (identity == null) {
            return new SocketConnection(channel, null);
        }
        TlsChannel tls =
                new TlsChannel(
                        channel, identity.connect(address.getHostString(), address.getPort()));
        try {
            int wanted = tls.handshake();
            while (wanted != TlsChannel.DONE) {
                if (wanted == TlsChannel.COMPUTE) {
                    tls.compute();
                } else {
                    await(key, wanted, deadline);
                }
                wanted = tls.handshake();
            }
        } catch (SSLException e) {
            tls.sendAlert();
            throw e;
        }
        return new SocketConnection(channel, tls);
    }

    private Opened greet(Connection connection, SelectionKey key, int process, long deadline)
            throws IOException {
        byte[] hello = Handshake.hello(client, process);
        send(connection, key, hello, deadline);
        byte[] challenge = receive(connection, key, Handshake.CHALLENGE, deadline);
        Handshake.Challenge said = Handshake.readChallenge(Handshake.body(challenge));
        if (said.format() != Handshake.FORMAT) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "%s speaks format %x, this compute server %x: run the same version on both"
                            .formatted(address, said.format(), Handshake.FORMAT));
        }
        send(connection, key, Handshake.proof(secret, hello, challenge), deadline);
        byte[] welcome = receive(connection, key, Handshake.WELCOME, deadline);
        ByteBuffer body = Handshake.body(welcome);
        if (!Handshake.isAgentProven(body, secret, hello, challenge)) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    address + " does not know this cluster's token, and is not trusted");
        }
        boolean isKnown = AgentFrame.code(head(welcome)) == 1;
        return new Opened(connection, said.incarnation(), isKnown, ServedMemory.read(body));
    }

    private static void send(Connection connection, SelectionKey key, byte[] bytes, long deadline)
            throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes);
        while (out.hasRemaining() || connection.isUnsent()) {
            await(key, SelectionKey.OP_WRITE, deadline);
            int _ = connection.write(out);
        }
    }

    private byte[] receive(Connection connection, SelectionKey key, int kind, long deadline)
            throws IOException {
        ByteBuffer first = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        fill(connection, key, first, deadline);
        long head = first.getLong(0);
        int bytes = AgentFrame.bytes(head);
        if (bytes < Long.BYTES || bytes > MAX_WELCOME_BYTES) {
            throw notOneOfOurs();
        }
        ByteBuffer message = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        message.putLong(head);
        fill(connection, key, message, deadline);
        if (AgentFrame.kind(head) == Handshake.REFUSAL) {
            throw new FabricException(
                    ServedMemory.kind(AgentFrame.code(head)),
                    "%s refuses this compute server: %s"
                            .formatted(
                                    address,
                                    Handshake.readRefusal(Handshake.body(message.array()))));
        }
        if (AgentFrame.kind(head) != kind) {
            throw notOneOfOurs();
        }
        return message.array();
    }

    private FabricException notOneOfOurs() {
        return new FabricException(
                FabricException.Kind.SYSTEM,
                address + " does not answer as a memory server does: is it the right port?");
    }

    private static void fill(
            Connection connection, SelectionKey key, ByteBuffer buffer, long deadline)
            throws IOException {
        while (buffer.hasRemaining()) {
            int count = connection.read(buffer);
            if (count < 0) {
                throw new EOFException("the memory server has closed the connection");
            }
            if (count == 0) {
                await(key, SelectionKey.OP_READ, deadline);
            }
        }
    }

    private static long head(byte[] message) {
        return ByteBuffer.wrap(message).order(ByteOrder.nativeOrder()).getLong(0);
    }

    private static void await(SelectionKey key, int operation, long deadline) throws IOException {
        key.interestOps(operation);
        long left = deadline - Host.MACHINE.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
            throw new IOException("no answer in time");
        }
        key.selector().selectedKeys().clear();
        int _ = key.selector().select(Math.max(1, left / 1_000_000));
    }
}
