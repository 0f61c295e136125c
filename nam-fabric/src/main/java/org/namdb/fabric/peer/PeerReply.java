package org.namdb.fabric.peer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;

/// What becomes of a posted request: an answer, or a failure. Exactly one of them, once.
public final class PeerReply {
    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME =
                    MethodHandles.lookup().findVarHandle(PeerReply.class, "outcome", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PeerQueue queue;
    private final int peer;

    /// The requesting process's number of the request; set when it is posted.
    long number;

    /// Bytes, a [FabricException], or null as long as there is neither.
    private volatile @Nullable Object outcome;

    /// Whether an answer has come after the request was abandoned.
    private volatile boolean isLate;

    PeerReply(PeerQueue queue, int peer) {
        this.queue = queue;
        this.peer = peer;
    }

    /// The process that the request was sent to.
    public int peer() {
        return peer;
    }

    /// Whether there is an answer.
    public boolean isAnswered() {
        return outcome instanceof byte[];
    }

    /// Whether the peer has handled the request and does no more for it: there is an answer, maybe
    /// one that has come after the request was [abandoned][PeerQueue#abandon].
    public boolean isHandled() {
        return isLate || isAnswered();
    }

    /// Whether there is an answer, or none will come.
    public boolean isDone() {
        return outcome != null;
    }

    /// The answer.
    ///
    /// @throws FabricException if there is none: `PEER_GONE` if the peer has left, died or was
    ///     refused; `FENCED` if the peer refuses this process, or its handler has failed;
    ///     `CONNECTION_LOST` if it is unknown whether the request was received
    /// @throws IllegalStateException if it was not awaited
    public byte[] bytes() {
        Object found = outcome;
        if (found instanceof FabricException failure) {
            throw new FabricException(failure.kind(), String.valueOf(failure.getMessage()));
        }
        if (found == null) {
            throw new IllegalStateException("the answer of process " + peer + " was not awaited");
        }
        return (byte[]) found;
    }

    /// Ends the request, unless it has ended before.
    ///
    /// @param result bytes or a [FabricException]
    void complete(Object result) {
        if (OUTCOME.compareAndSet(this, null, result)) {
            queue.completed();
        } else if (result instanceof byte[]) {
            isLate = true;
        }
    }
}
