package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// The agent's end of a connection: parses frames, executes them, and sends the replies. For the
/// agent's thread alone.
///
/// A client that sends a malformed frame gets an error where that is possible, and is disconnected.
/// One that does not read its replies is not read from, so that it can't fill the agent's memory.
final class ServedConnection {
    private static final int BUFFER_BYTES = 256 << 10;

    /// While so much waits to be read by the client, nothing more is done for it.
    private static final int MAX_UNREAD_BYTES = 1 << 20;

    private final Agent agent;
    private final Connection connection;

    /// Of one with TLS, which comes first.
    private final @Nullable TlsAcceptance acceptance;

    private final SelectionKey key;
    private final NativeBuffer in = new NativeBuffer(BUFFER_BYTES);
    private final NativeBuffer out = new NativeBuffer(BUFFER_BYTES);
    private final long openedNanos;

    private byte[] hello = {};
    private byte[] challenge = {};
    private @Nullable ServedClient client;
    private boolean isServing;
    private boolean isClosing;

    ServedConnection(
            Agent agent,
            Connection connection,
            @Nullable TlsAcceptance acceptance,
            SelectionKey key,
            long nowNanos) {
        this.agent = agent;
        this.connection = connection;
        this.acceptance = acceptance;
        this.key = key;
        this.openedNanos = nowNanos;
    }

    @Nullable ServedClient client() {
        return client;
    }

    /// Whether its client is this process of the cluster.
    boolean isOf(int process) {
        ServedClient known = client;
        return known != null && known.process() == process;
    }

    /// Whether it has been open for a while and its client has not identified itself.
    boolean isLate(long nanos, long nowNanos) {
        return client == null && nowNanos - openedNanos > nanos;
    }

    /// Reads what there is, executes it and sends the replies.
    ///
    /// @return whether there was anything
    boolean serve() throws IOException {
        isServing = true;
        try {
            return (acceptance != null && !acceptance.advance()) || serveFrames();
        } finally {
            isServing = false;
        }
    }

    /// Whether it is just being served; then that ends, and the connection with it.
    boolean stopsServing() {
        isClosing |= isServing;
        return isServing;
    }

    private boolean serveFrames() throws IOException {
        boolean isBusy = false;
        boolean isHeldUp; // there may be more, but too much waits to be sent
        do {
            isHeldUp = true;
            while (out.size() < MAX_UNREAD_BYTES && !isClosing && handleFrames()) {
                in.reserve(Math.max(BUFFER_BYTES / 2, missing()));
                ByteBuffer space = in.space();
                int wanted = space.remaining();
                int count = connection.read(space);
                in.appended();
                if (count < 0) {
                    throw new IOException("the client has gone");
                }
                isBusy |= count > 0;
                if (count < wanted) {
                    isHeldUp = !handleFrames();
                    break;
                }
            }
            flush();
        } while (isHeldUp && !isUnsent());
        return isBusy;
    }

    /// How many bytes of the first frame are not there yet.
    private int missing() {
        return in.size() < Long.BYTES
                ? 0
                : Math.max(0, AgentFrame.bytes(LocalMemory.longAt(in.address())) - in.size());
    }

    /// @return false if some are left, since too much waits to be sent
    private boolean handleFrames() throws IOException {
        while (in.size() >= Long.BYTES) {
            long head = LocalMemory.longAt(in.address());
            int bytes = AgentFrame.bytes(head);
            if (hello.length == 0 && Handshake.isTls(head)) {
                refuse(
                        FabricException.Kind.SYSTEM,
                        "this memory server has no certificate: give it one, too, or none here");
                in.clear();
                return false;
            }
            requireSize(head, bytes);
            if (in.size() < bytes) {
                break;
            }
            if (out.size() >= MAX_UNREAD_BYTES || isClosing) {
                return false;
            }
            handle(head, in.address(), bytes);
            in.take(bytes);
        }
        in.shrink(BUFFER_BYTES);
        return true;
    }

    private void requireSize(long head, int bytes) throws IOException {
        int most = client == null ? Handshake.MAX_BYTES : AgentFrame.MAX_BYTES;
        int least = client == null ? Long.BYTES : AgentFrame.HEAD_BYTES;
        if (bytes < least || bytes > most || (bytes & 7) != 0) {
            throw new MalformedFrameException(
                    "a frame of %d bytes (kind %d)".formatted(bytes, AgentFrame.kind(head)));
        }
    }

    private void handle(long head, long at, int bytes) throws IOException {
        ServedClient known = client;
        if (known == null) {
            handshake(AgentFrame.kind(head), array(at, bytes));
            return;
        }
        long ids = LocalMemory.longAt(at + 8);
        long words = LocalMemory.longAt(at + 16);
        int queuePair = AgentFrame.high(ids);
        int number = AgentFrame.low(ids);
        switch (AgentFrame.kind(head)) {
            case AgentFrame.VERBS -> verbs(known, at, bytes);
            case AgentFrame.CALL -> call(known, queuePair, number, words, at, bytes);
            case AgentFrame.CONTROL -> control(known, queuePair, number, words, at, bytes);
            default ->
                    throw new MalformedFrameException("a frame of kind " + AgentFrame.kind(head));
        }
    }

    private void handshake(int kind, byte[] message) throws IOException {
        if (kind == Handshake.HELLO && message.length == 64 && hello.length == 0) {
            hello = message;
            Handshake.Hello said = Handshake.readHello(Handshake.body(message));
            if (said.format() != Handshake.FORMAT) {
                refuse(
                        FabricException.Kind.SYSTEM,
                        "the memory server speaks format %x, the compute server %x: %s"
                                .formatted(
                                        Handshake.FORMAT,
                                        said.format(),
                                        "run the same version on both"));
            } else if ((said.features() & ~Handshake.FEATURES) != 0) {
                refuse(
                        FabricException.Kind.SYSTEM,
                        "the compute server needs features %x that this memory server lacks"
                                .formatted(said.features() & ~Handshake.FEATURES));
            } else {
                challenge = Handshake.challenge(agent.incarnation());
                send(challenge);
            }
        } else if (kind == Handshake.PROOF && message.length == 40 && challenge.length != 0) {
            byte[] secret = agent.secret();
            if (Handshake.isProven(Handshake.body(message), secret, hello, challenge)) {
                welcome(Handshake.readHello(Handshake.body(hello)), secret);
            } else {
                refuse(
                        FabricException.Kind.SYSTEM,
                        "the token is not the one that the memory server was given");
            }
        } else {
            throw new MalformedFrameException("no greeting");
        }
    }

    private void welcome(Handshake.Hello said, byte[] secret) {
        if (agent.isFenced(said.process())) {
            refuse(
                    FabricException.Kind.FENCED,
                    "process %d was declared dead, and is fenced".formatted(said.process()));
            return;
        }
        boolean isKnown = agent.isKnown(said.client());
        ServedClient now = agent.client(said.client(), this);
        if (said.process() != ServedClient.NO_PROCESS) {
            now.enroll(said.process());
        }
        client = now;
        send(Handshake.welcome(secret, hello, challenge, isKnown, agent.memory().describe()));
    }

    /// Sends the reason, and closes.
    void refuse(FabricException.Kind kind, String why) {
        agent.statistics().refused();
        send(Handshake.refusal(kind, why));
        isClosing = true;
    }

    private void send(byte[] message) {
        out.reserve(message.length);
        LocalMemory.copyFrom(message, 0, out.end(), message.length);
        out.append(message.length);
    }

    private void verbs(ServedClient known, long at, int bytes) throws IOException {
        int start = out.size();
        int done = execute(known, agent.memory(), at, bytes, out);
        agent.statistics().frame(done, bytes, out.size() - start);
    }

    /// Does the verbs of a VERBS frame, and appends the REPLY.
    ///
    /// @param at the native address of the frame
    /// @return how many verbs are done
    static int execute(
            ServedClient known, ServedMemory memory, long at, int bytes, NativeBuffer out)
            throws IOException {
        long ids = LocalMemory.longAt(at + 8);
        int queuePair = AgentFrame.high(ids);
        int batch = AgentFrame.low(ids);
        long words = LocalMemory.longAt(at + 16);
        int first = AgentFrame.high(words);
        int verbs = AgentFrame.low(words);
        requireVerbs(verbs, at, bytes);
        if (first < 0) {
            throw new MalformedFrameException("a first verb of number " + first);
        }
        int start = out.size();
        out.reserve(AgentFrame.HEAD_BYTES);
        out.append(AgentFrame.HEAD_BYTES);
        ServedQueuePair served = known.queuePair(queuePair);
        int done = served.execute(memory, batch, first, verbs, at + AgentFrame.HEAD_BYTES, out);
        if (done == ServedQueuePair.MALFORMED) {
            throw new MalformedFrameException("verbs out of order");
        }
        served.fenceWrites();
        long reply = out.address() + start;
        int code = done == verbs ? 0 : served.failure();
        AgentFrame.putHead(reply, AgentFrame.REPLY, code, out.size() - start, queuePair, batch);
        LocalMemory.putLong(reply + 16, AgentFrame.pair(first, done));
        return done;
    }

    /// Every verb, with its operands, lies in the frame, and they fill it.
    private static void requireVerbs(int verbs, long at, int bytes) throws IOException {
        long next = AgentFrame.HEAD_BYTES;
        for (int i = 0; i < verbs; i++) {
            if (next + AgentFrame.VERB_BYTES > bytes) {
                throw new MalformedFrameException(verbs + " verbs in " + bytes + " bytes");
            }
            long length = AgentFrame.length(LocalMemory.longAt(at + next));
            if (length == 0 || (length & 7) != 0 || next + length > bytes) {
                throw new MalformedFrameException("a verb of %d bytes".formatted(length));
            }
            next += length;
        }
        if (verbs < 0 || next != bytes) {
            throw new MalformedFrameException(verbs + " verbs in " + bytes + " bytes");
        }
    }

    private void call(ServedClient known, int queuePair, int number, long words, long at, int bytes)
            throws IOException {
        ServedCall call = takeCall(known, queuePair, number, words, at, bytes, out);
        if (call != null) {
            agent.calls().submit(call);
        }
    }

    /// Takes a CALL frame.
    ///
    /// @param words the frame's third word
    /// @param out gets the answer, if there is one already
    /// @return what is to be handled; null if nothing
    static @Nullable ServedCall takeCall(
            ServedClient known,
            int queuePair,
            int number,
            long words,
            long at,
            int bytes,
            NativeBuffer out)
            throws IOException {
        int server = AgentFrame.high(words);
        int length = requireMessage(AgentFrame.CALL_BYTES, words, bytes);
        long replyBytes = LocalMemory.longAt(at + AgentFrame.HEAD_BYTES);
        if (replyBytes < 0 || replyBytes > AgentFrame.MAX_MESSAGE_BYTES) {
            throw new MalformedFrameException("a call for %d bytes".formatted(replyBytes));
        }
        if (server < 0 || server >= RemoteAddress.MAX_SERVERS) {
            throw new MalformedFrameException("a call to memory server " + server);
        }
        ServedQueuePair pair = known.queuePair(queuePair);
        int failure = pair.failureOf(number);
        if (failure != 0) {
            long _ = append(out, queuePair, number, server, failure, 0);
            return null;
        }
        ServedCall last = pair.call(server);
        if (last != null && last.number() == number) {
            if (last.isAnswered()) {
                last.appendTo(out);
            }
            return null;
        }
        // One that still is being handled keeps its memory; its client does not wait for it.
        ServedCall call =
                last != null && last.isAnswered() ? last : new ServedCall(known, queuePair, server);
        call.take(number, at + AgentFrame.CALL_BYTES, length, (int) replyBytes);
        pair.called(call);
        return call;
    }

    private void control(
            ServedClient known, int queuePair, int number, long words, long at, int bytes)
            throws IOException {
        ByteBuffer arguments = ByteBuffer.wrap(message(words, at, bytes));
        byte[] answer = agent.control(known, queuePair, number, AgentFrame.high(words), arguments);
        if (answer != null) {
            answer(queuePair, number, 0, answer);
        }
    }

    private static byte[] message(long words, long at, int bytes) throws IOException {
        return array(
                at + AgentFrame.HEAD_BYTES, requireMessage(AgentFrame.HEAD_BYTES, words, bytes));
    }

    /// The length of what a CALL or a CONTROL frame has behind its head.
    private static int requireMessage(int head, long words, int bytes) throws IOException {
        int length = AgentFrame.low(words);
        if (length < 0
                || length > AgentFrame.MAX_MESSAGE_BYTES
                || bytes < head
                || head + AgentFrame.padded(length) != bytes) {
            throw new MalformedFrameException(
                    "a message of %d bytes in %d".formatted(length, bytes));
        }
        return length;
    }

    private static byte[] array(long at, int bytes) {
        byte[] copy = new byte[bytes];
        LocalMemory.copyTo(at, copy, 0, bytes);
        return copy;
    }

    /// Puts the answer to a control with what is to be sent.
    void answer(int queuePair, int number, int code, byte[] answer) {
        long at = append(out, queuePair, number, 0, code, answer.length);
        LocalMemory.copyFrom(answer, 0, at, answer.length);
    }

    /// Puts the answer to a call with what is to be sent.
    void answer(ServedCall call) {
        call.appendTo(out);
    }

    /// Appends an ANSWER of `length` bytes.
    ///
    /// @return the native address that they are written to
    static long append(
            NativeBuffer out, int queuePair, int number, int server, int code, int length) {
        int bytes = AgentFrame.HEAD_BYTES + AgentFrame.padded(length);
        out.reserve(bytes);
        long at = out.end();
        LocalMemory.putLong(at + bytes - Long.BYTES, 0);
        AgentFrame.putHead(at, AgentFrame.ANSWER, code, bytes, queuePair, number);
        LocalMemory.putLong(at + 16, AgentFrame.pair(server, length));
        out.append(bytes);
        return at + AgentFrame.HEAD_BYTES;
    }

    /// Sends what there is to send, as far as the client reads it.
    void flush() throws IOException {
        if (isUnsent()) {
            int _ = connection.write(out.content());
            out.taken();
        }
        if (!isUnsent()) {
            out.shrink(BUFFER_BYTES);
            if (isClosing) {
                throw new IOException("the client was refused");
            }
        }
        int interest = isUnsent() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (interest == SelectionKey.OP_WRITE && out.size() < MAX_UNREAD_BYTES) {
            interest |= SelectionKey.OP_READ;
        }
        if (key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    private boolean isUnsent() {
        return out.size() > 0 || connection.isUnsent();
    }

    /// Ends it, and frees its memory.
    void close() {
        key.cancel();
        connection.close();
        in.close();
        out.close();
    }
}
