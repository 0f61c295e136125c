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
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;

/// Opens a connection to an agent: the client's side of the [Handshake].
final class Greeting {
    /// The regions of an agent, as many as there may be, with their files' names.
    private static final int MOST_WELCOME_BYTES = 1 << 20;

    private final InetSocketAddress address;
    private final byte[] secret;
    private final UUID client;

    Greeting(InetSocketAddress address, byte[] secret, UUID client) {
        this.address = address;
        this.secret = secret;
        this.client = client;
    }

    /// What an open connection begins with.
    ///
    /// @param isKnown whether the agent still knows this client
    record Opened(
            SocketChannel channel,
            long incarnation,
            boolean isKnown,
            List<ServedMemory.Served> regions) {}

    /// @param process the client's number in the cluster
    /// @param nanos how long it may take
    /// @throws IOException if the agent can't be reached, or says nothing in time
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
            Opened opened = greet(channel, key, process, deadline);
            isOpen = true;
            return opened;
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

    private Opened greet(SocketChannel channel, SelectionKey key, int process, long deadline)
            throws IOException {
        byte[] hello = Handshake.hello(client, process);
        send(channel, key, hello, deadline);
        byte[] challenge = receive(channel, key, Handshake.CHALLENGE, deadline);
        Handshake.Challenge said = Handshake.readChallenge(Handshake.body(challenge));
        if (said.format() != Handshake.FORMAT) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "%s speaks format %x, this compute server %x: run the same version on both"
                            .formatted(address, said.format(), Handshake.FORMAT));
        }
        send(channel, key, Handshake.proof(secret, hello, challenge), deadline);
        byte[] welcome = receive(channel, key, Handshake.WELCOME, deadline);
        ByteBuffer body = Handshake.body(welcome);
        if (!Handshake.isAgentProven(body, secret, hello, challenge)) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    address + " does not know this cluster's token, and is not trusted");
        }
        boolean isKnown = Frame.code(head(welcome)) == 1;
        return new Opened(channel, said.incarnation(), isKnown, ServedMemory.read(body));
    }

    private static void send(SocketChannel channel, SelectionKey key, byte[] bytes, long deadline)
            throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes);
        while (out.hasRemaining()) {
            await(key, SelectionKey.OP_WRITE, deadline);
            int _ = channel.write(out);
        }
    }

    private byte[] receive(SocketChannel channel, SelectionKey key, int kind, long deadline)
            throws IOException {
        ByteBuffer first = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        fill(channel, key, first, deadline);
        long head = first.getLong(0);
        int bytes = Frame.bytes(head);
        if (bytes < Long.BYTES || bytes > MOST_WELCOME_BYTES) {
            throw notOneOfOurs();
        }
        ByteBuffer message = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        message.putLong(head);
        fill(channel, key, message, deadline);
        if (Frame.kind(head) == Handshake.REFUSAL) {
            throw new FabricException(
                    ServedMemory.kind(Frame.code(head)),
                    "%s refuses this compute server: %s"
                            .formatted(
                                    address,
                                    Handshake.readRefusal(Handshake.body(message.array()))));
        }
        if (Frame.kind(head) != kind) {
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
            SocketChannel channel, SelectionKey key, ByteBuffer buffer, long deadline)
            throws IOException {
        while (buffer.hasRemaining()) {
            await(key, SelectionKey.OP_READ, deadline);
            if (channel.read(buffer) < 0) {
                throw new EOFException("the memory server has closed the connection");
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
