package org.namdb.fabric.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Region;

/// A compute server's connection to a process that holds memory servers, for all but data. It is
/// opened when it is first needed, and again after it has failed. All requests here are idempotent.
final class ControlConnection implements AutoCloseable {
    /// In place of a memory server's number: the connection is for none.
    static final int NO_SERVER = -1;

    /// In place of a process's number.
    static final int NO_PROCESS = -1;

    private static final int ENTRIES = 8;

    private final Nic nic;
    private final InetSocketAddress address;
    private final long fabric;
    private final long timeoutNanos;
    private final byte[] token;
    private final RegisteredMemory memory;
    private final Completions completions;
    private final Requester requester;
    private volatile int process = NO_PROCESS;
    private @Nullable ReliableConnection connection;

    /// @param fabric identifies the compute server's queue pairs
    ControlConnection(Nic nic, InetSocketAddress address, long fabric, RdmaOptions options) {
        this.nic = nic;
        this.address = address;
        this.fabric = fabric;
        this.timeoutNanos = options.timeoutNanos();
        this.token = options.token().getBytes(StandardCharsets.UTF_8);
        memory = new RegisteredMemory(nic);
        completions = new Completions(nic, ENTRIES);
        requester = new Requester(nic, completions, _ -> {}, memory, timeoutNanos);
    }

    InetSocketAddress address() {
        return address;
    }

    /// What the process holds.
    List<RemoteRegion> regions() {
        ByteBuffer answer = ByteBuffer.wrap(request(Message.Request.REGIONS, Message.NOTHING));
        int count = answer.getInt();
        List<RemoteRegion> regions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            regions.add(RemoteRegion.readFrom(answer));
        }
        return regions;
    }

    /// Registers the process of these queue pairs, now and whenever one is opened.
    void enroll(int newProcess) {
        process = newProcess;
        request(Message.Request.ENROLL, ByteBuffer.allocate(4).putInt(newProcess).array());
    }

    /// Has another process fenced.
    void fence(int other) {
        request(Message.Request.FENCE, ByteBuffer.allocate(4).putInt(other).array());
    }

    /// Sends the first messages on a connection ([Greeting]).
    ///
    /// @param by the connection
    /// @return the connection's number in the process
    long greet(ReliableConnection opened, Requester by, int server, int key) {
        byte[] hello = Greeting.random();
        byte[] random = tell(opened, by, new Message(Message.Request.HELLO, hello));
        if (random.length != Greeting.RANDOM_BYTES) {
            throw new FabricException(Kind.SYSTEM, address + " does not greet as NamDB does");
        }
        byte[] greeting = Greeting.both(hello, random);
        byte[] opening =
                ByteBuffer.allocate(Greeting.OPENING_BYTES)
                        .putLong(fabric)
                        .putInt(process)
                        .putInt(server)
                        .putInt(key)
                        .array();
        byte[] proven = Greeting.provenByClient(token, greeting, opening);
        byte[] answer = tell(opened, by, new Message(Message.Request.OPEN, proven));
        if (!Greeting.isServerProven(token, greeting, answer)) {
            throw new FabricException(
                    Kind.SYSTEM,
                    address + " does not know this cluster's token, and is not trusted");
        }
        return ByteBuffer.wrap(answer).getLong();
    }

    private byte[] tell(ReliableConnection opened, Requester by, Message message) {
        return requireDone(by.request(opened, message, () -> false));
    }

    /// Ends a connection at the other side, so that nothing of it is on its way any more. A process
    /// that is gone, or that has fenced this one, has ended it by that.
    ///
    /// @throws FabricException if that was not confirmed
    void end(long number) {
        try {
            request(Message.Request.END, ByteBuffer.allocate(8).putLong(number).array());
        } catch (FabricException e) {
            if (e.kind() != Kind.PEER_GONE && e.kind() != Kind.FENCED) {
                throw e;
            }
        }
    }

    /// Why verbs on a region have failed.
    FabricException explain(Region region, String what) {
        try {
            byte[] message =
                    ByteBuffer.allocate(8).putInt(region.server()).putInt(region.key()).array();
            request(Message.Request.IS_HERE, message);
        } catch (FabricException e) {
            return e.kind() == Kind.BAD_KEY ? failure(Message.Answer.GONE) : e;
        }
        return new FabricException(
                Kind.CONNECTION_LOST,
                "lost a connection to memory server " + region.server() + ": " + what);
    }

    /// Whether it answers.
    boolean isThere() {
        try {
            regions();
            return true;
        } catch (FabricException _) {
            return false;
        }
    }

    private synchronized byte[] request(int what, byte[] bytes) {
        boolean isOld = connection != null;
        try {
            return requestOnce(new Message(what, bytes));
        } catch (FabricException e) {
            if (!isOld || e.kind() != Kind.CONNECTION_LOST) {
                throw e;
            }
            return requestOnce(new Message(what, bytes));
        }
    }

    private byte[] requestOnce(Message message) {
        try {
            ReliableConnection open = connection;
            if (open == null) {
                open = open();
            }
            return requireDone(requester.request(open, message, () -> false));
        } catch (FabricException e) {
            if (e.kind() == Kind.CONNECTION_LOST || e.kind() == Kind.FENCED) {
                disconnect();
            }
            throw e;
        }
    }

    private ReliableConnection open() {
        ReliableConnection.Shape shape = new ReliableConnection.Shape(completions.queue(), 1, 0);
        ReliableConnection opened = ReliableConnection.open(nic, address, shape, timeoutNanos);
        boolean isGreeted = false;
        try {
            long _ = greet(opened, requester, NO_SERVER, 0);
            isGreeted = true;
        } finally {
            if (!isGreeted) {
                opened.close();
            }
        }
        connection = opened;
        return opened;
    }

    private void disconnect() {
        ReliableConnection open = connection;
        if (open != null) {
            connection = null;
            open.close();
        }
    }

    /// What belongs to an answer, if all went well.
    byte[] requireDone(Message answer) {
        if (answer.what() == Message.Answer.DONE) {
            return answer.bytes();
        }
        throw failure(answer.what());
    }

    /// The failure in an answer that is not `DONE`.
    FabricException failure(int answer) {
        return switch (answer) {
            case Message.Answer.GONE ->
                    new FabricException(
                            Kind.PEER_GONE, "the memory server is not at " + address + " any more");
            case Message.Answer.WRONG_KEY ->
                    new FabricException(
                            Kind.BAD_KEY, "the region key does not open this region at " + address);
            case Message.Answer.FENCED ->
                    new FabricException(
                            Kind.FENCED, "process " + process + " is fenced by " + address);
            case Message.Answer.NOT_TRUSTED ->
                    new FabricException(
                            Kind.SYSTEM,
                            address
                                    + " refuses this compute server: the token is not the one that"
                                    + " the memory server was given");
            case Message.Answer.TOO_LARGE ->
                    new FabricException(
                            Kind.TOO_LARGE, "the answer is larger than a message can be");
            default ->
                    new FabricException(
                            Kind.SYSTEM,
                            "the memory server at " + address + " has failed to answer");
        };
    }

    @Override
    public synchronized void close() {
        disconnect();
        completions.close();
        memory.close();
    }
}
