package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.LocalMemory;

/// Sends a request, and waits for the answer: a SEND, and a RECEIVE that was posted before it. One
/// thread at a time. A work request's number has bit 63 here, which those of one-sided verbs have
/// not; the RECEIVE's is one more than the SEND's.
final class Requester {
    private static final long MESSAGE = Long.MIN_VALUE;
    private static final int RECEIVE_BYTES = 32;
    static final int ENTRY_BYTES = 16;

    /// What a RECEIVE's work request takes, with its entry.
    static final int RECEIVE_WORK_BYTES = RECEIVE_BYTES + ENTRY_BYTES;

    static final int OPCODE_SEND = 2;
    private static final int SIGNALED = 2;
    private static final int SEND_BYTES = 128;

    private final NativeDispatcher verbs;
    private final Completions completions;
    private final IntConsumer others;
    private final CompletionWait timeout;
    private final int localKey;
    private final long sent;
    private final long received;
    private final long work;
    private long number = MESSAGE;

    /// @param completions those of all connections that it will be used for
    /// @param others gets the index of each completion that is not of its messages
    Requester(
            Nic nic,
            Completions completions,
            IntConsumer others,
            RegisteredMemory memory,
            long timeoutNanos) {
        this.verbs = nic.verbs();
        this.completions = completions;
        this.others = others;
        this.timeout = new CompletionWait(timeoutNanos);
        sent = memory.place(2L * Message.BUFFER_BYTES);
        received = sent + Message.BUFFER_BYTES;
        localKey = memory.localKey(sent);
        work = memory.place(SEND_BYTES + ENTRY_BYTES);
    }

    /// Sends a message over a connection, and waits for the answer.
    ///
    /// @param goesOn called when there was no answer for long: whether to wait on
    /// @throws FabricException `CONNECTION_LOST` if there is none
    Message request(ReliableConnection connection, Message message, BooleanSupplier goesOn) {
        number += 2;
        try {
            postReceive(
                    verbs,
                    connection.queuePair(),
                    new Buffer(received, localKey, work),
                    Message.BUFFER_BYTES,
                    number + 1);
            int bytes = message.writeTo(sent);
            postSend(
                    verbs, connection.queuePair(), new Buffer(sent, localKey, work), bytes, number);
        } catch (IOException e) {
            throw lost(connection, String.valueOf(e.getMessage()));
        }
        return Message.readFrom(received, awaitAnswer(connection, goesOn));
    }

    /// A message's buffer, its key, and the buffer of the work request that posts it.
    record Buffer(long address, int localKey, long work) {}

    /// @param bytes the longest message that is taken
    static void postReceive(
            NativeDispatcher verbs, long queuePair, Buffer into, int bytes, long number)
            throws IOException {
        long work = into.work();
        long entry = work + RECEIVE_BYTES;
        LocalMemory.putLong(work, number);
        LocalMemory.putLong(work + 8, 0);
        LocalMemory.putLong(work + 16, entry);
        LocalMemory.putInt(work + 24, 1);
        putEntry(entry, into.address(), bytes, into.localKey());
        verbs._postRecv(queuePair, work);
    }

    static void postSend(
            NativeDispatcher verbs, long queuePair, Buffer from, int bytes, long number)
            throws IOException {
        long work = from.work();
        long entry = work + SEND_BYTES;
        LocalMemory.zero(work, SEND_BYTES);
        LocalMemory.putLong(work, number);
        LocalMemory.putLong(work + 16, entry);
        LocalMemory.putInt(work + 24, 1);
        LocalMemory.putInt(work + 28, OPCODE_SEND);
        LocalMemory.putInt(work + 32, SIGNALED);
        putEntry(entry, from.address(), bytes, from.localKey());
        verbs._postSend(queuePair, work);
    }

    /// Of how much memory which piece is meant: `address 8 | bytes 4 | local key 4`.
    static void putEntry(long entry, long address, int bytes, int localKey) {
        LocalMemory.putLong(entry, address);
        LocalMemory.putInt(entry + 8, bytes);
        LocalMemory.putInt(entry + 12, localKey);
    }

    private int awaitAnswer(ReliableConnection connection, BooleanSupplier goesOn) {
        boolean isSent = false;
        int answered = -1;
        timeout.renew();
        while (!isSent || answered < 0) {
            int count = completions.poll();
            for (int i = 0; i < count; i++) {
                long of = completions.number(i);
                if (of != number && of != number + 1) {
                    others.accept(i);
                    continue;
                }
                if (completions.status(i) != Completions.SUCCESS) {
                    throw lost(connection, "status " + completions.status(i));
                }
                if (of == number) {
                    isSent = true;
                } else {
                    answered = completions.bytes(i);
                }
            }
            if (count > 0) {
                timeout.renew();
            } else if (timeout.pause()) {
                requireConnected(connection, goesOn);
            }
        }
        return answered;
    }

    private void requireConnected(ReliableConnection connection, BooleanSupplier goesOn) {
        if (connection.isEnded()) {
            throw lost(connection, "the peer has ended it");
        }
        if (timeout.isOver()) {
            if (!goesOn.getAsBoolean()) {
                throw lost(connection, "no answer");
            }
            timeout.renew();
        }
    }

    private static FabricException lost(ReliableConnection connection, String why) {
        return new FabricException(
                Kind.CONNECTION_LOST, "lost the connection to " + connection.peer() + ": " + why);
    }
}
