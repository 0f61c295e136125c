package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.namdb.fabric.LocalMemory;

/// A simulated connection: what either end has sent arrives when, and as far as, the simulation
/// lets it.
final class SimulatedWire implements Connection {
    private static final int BUFFER_BYTES = 1 << 10;

    /// The agent's client when the connection was opened.
    final ServedClient client;

    /// Sent by the client, and not there yet; and what has come, for the agent to take apart.
    private final NativeBuffer toAgent = new NativeBuffer(BUFFER_BYTES);

    final NativeBuffer atAgent = new NativeBuffer(BUFFER_BYTES);

    /// Sent by the agent, and not there yet; and what has come, for the client to read.
    final NativeBuffer toClient = new NativeBuffer(BUFFER_BYTES);

    private final NativeBuffer atClient = new NativeBuffer(BUFFER_BYTES);

    private boolean isClosed;

    SimulatedWire(ServedClient client) {
        this.client = client;
    }

    int bytesToAgent() {
        return toAgent.size();
    }

    int bytesToClient() {
        return toClient.size();
    }

    /// So many of the bytes that the client has sent reach the agent.
    void deliverToAgent(int bytes) {
        move(toAgent, atAgent, bytes);
    }

    /// So many of the bytes that the agent has sent reach the client.
    void deliverToClient(int bytes) {
        move(toClient, atClient, bytes);
    }

    /// The last so many bytes that the client has sent never arrive.
    void loseToAgent(int bytes) {
        toAgent.cut(bytes);
    }

    private static void move(NativeBuffer from, NativeBuffer to, int bytes) {
        to.reserve(bytes);
        LocalMemory.copy(from.address(), to.end(), bytes);
        to.append(bytes);
        from.take(bytes);
    }

    @Override
    public SocketChannel socket() {
        throw new UnsupportedOperationException("a simulated connection has no socket");
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        return copy(atClient, to);
    }

    private static int copy(NativeBuffer from, ByteBuffer to) {
        ByteBuffer content = from.content();
        int bytes = Math.min(content.remaining(), to.remaining());
        to.put(content.limit(content.position() + bytes));
        from.taken();
        return bytes;
    }

    @Override
    public boolean isCutShort() {
        return false;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        int bytes = from.remaining();
        toAgent.reserve(bytes);
        ByteBuffer _ = toAgent.space().put(from);
        toAgent.appended();
        return bytes;
    }

    @Override
    public boolean isUnsent() {
        return false;
    }

    /// The client's end is closed. What it has sent may still arrive.
    @Override
    public void close() {
        isClosed = true;
    }

    /// Frees the memory.
    void free() {
        toAgent.close();
        atAgent.close();
        toClient.close();
        atClient.close();
    }
}
