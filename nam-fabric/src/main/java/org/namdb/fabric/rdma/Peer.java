package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;

/// A memory server's end of a connection: its client, and the message that is under way on it.
/// ```
/// | received: a message | sent: a message | work request and entry |
/// ```
final class Peer {
    /// What is under way at most: an answer that is not acknowledged yet, and the next one.
    static final int SENDS = 4;

    static final int RECEIVES = 1;

    private static final int WORK_BYTES = 192;

    /// The size of what is registered for one.
    static final int BUFFER_BYTES = 2 * Message.BUFFER_BYTES + WORK_BYTES;

    private final NativeDispatcher verbs;
    private final long number;
    private final long id;
    private final RegisteredMemory memory;
    private final long received;
    private final int localKey;
    private long queuePair;
    private volatile boolean isEnded;

    /// The two random numbers of the greeting; empty before it. Used by one thread.
    private byte[] greeting = Message.NOTHING;

    /// How it has identified itself; null before.
    private volatile @Nullable Opening opening;

    /// Whose a connection is, and which memory server it is for.
    ///
    /// @param fabric what all queue pairs of one fabric have in common
    /// @param process their process, negative while it is unknown
    /// @param server the memory server, negative for none
    record Opening(long fabric, int process, int server) {}

    /// @param number unique in this process, closed connections included
    Peer(Nic nic, long number, long id) {
        this.verbs = nic.verbs();
        this.number = number;
        this.id = id;
        memory = new RegisteredMemory(nic);
        received = memory.place(BUFFER_BYTES);
        localKey = memory.localKey(received);
    }

    /// Accepts the connection, ready for its first message.
    synchronized void accept(Nic nic, Completions completions) throws IOException {
        queuePair =
                verbs._createQP(
                        id,
                        nic.domain(),
                        completions.queue(),
                        completions.queue(),
                        Nic.RELIABLE_CONNECTION,
                        SENDS,
                        RECEIVES,
                        0);
        expect();
        verbs._accept(id, ReliableConnection.RETRIES, ReliableConnection.RECEIVER_RETRIES);
    }

    long number() {
        return number;
    }

    long id() {
        return id;
    }

    boolean isEnded() {
        return isEnded;
    }

    @Nullable Opening opening() {
        return opening;
    }

    void greeted(byte[] randomNumbers) {
        greeting = randomNumbers;
    }

    byte[] greeting() {
        return greeting;
    }

    void opened(Opening by) {
        opening = by;
    }

    /// The message that has come.
    synchronized Message message(int bytes) {
        if (isEnded) {
            throw new FabricException(
                    FabricException.Kind.CONNECTION_LOST, "the connection has ended");
        }
        return Message.readFrom(received, bytes);
    }

    /// Whether the message that has come is a request.
    synchronized boolean isRequest(int bytes) {
        return !isEnded
                && bytes >= Message.HEAD_BYTES
                && Message.Request.isRequest(LocalMemory.intAt(received));
    }

    /// Copies the request that has come.
    ///
    /// @param to a whole message, of [Message#BUFFER_BYTES]
    /// @return whether there is one; not if the connection has ended meanwhile
    synchronized boolean copyRequest(long to, int bytes) {
        if (!isEnded) {
            LocalMemory.copy(received, to, bytes);
        }
        return !isEnded;
    }

    /// Posts a RECEIVE for the next message; its work request's number is even.
    private void expect() throws IOException {
        Requester.Buffer buffer = new Requester.Buffer(received, localKey, work());
        Requester.postReceive(verbs, queuePair, buffer, Message.BUFFER_BYTES, number << 1);
    }

    /// Answers, unless the connection has ended.
    synchronized void answer(Message message) {
        if (!isEnded) {
            send(message.writeTo(received + Message.BUFFER_BYTES));
        }
    }

    /// Answers a request, unless the connection has ended.
    ///
    /// @param what how it went ([Message.Answer])
    /// @param reply the native address of the reply
    synchronized void answer(int what, long reply, int bytes) {
        if (!isEnded) {
            long sent = received + Message.BUFFER_BYTES;
            Message.putHead(sent, what, bytes);
            LocalMemory.copy(reply, sent + Message.HEAD_BYTES, bytes);
            send(Message.HEAD_BYTES + bytes);
        }
    }

    private void send(int bytes) {
        try {
            expect();
            long sent = received + Message.BUFFER_BYTES;
            Requester.Buffer buffer = new Requester.Buffer(sent, localKey, work());
            Requester.postSend(verbs, queuePair, buffer, bytes, number << 1 | 1);
        } catch (IOException _) {
            end(); // the other side notices that there is no answer
        }
    }

    private long work() {
        return received + 2L * Message.BUFFER_BYTES;
    }

    /// Destroys the queue pair: nothing of the other side takes effect any more.
    synchronized void end() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        if (queuePair != 0) {
            verbs._disconnect(id);
            verbs._destroyQP(id);
        }
        verbs._destroyCmId(id);
        memory.close();
    }
}
