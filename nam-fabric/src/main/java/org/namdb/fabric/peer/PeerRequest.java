package org.namdb.fabric.peer;

import java.util.concurrent.atomic.AtomicBoolean;

/// A request of another compute server. It is answered exactly once, by any thread, at any time
/// until the process that has received it leaves.
public abstract class PeerRequest {
    private final int from;
    private final byte[] bytes;
    private final AtomicBoolean isAnswered = new AtomicBoolean();

    protected PeerRequest(int from, byte[] bytes) {
        this.from = from;
        this.bytes = bytes;
    }

    /// The process that has sent it.
    public final int from() {
        return from;
    }

    /// What it has sent; not to be changed.
    public final byte[] bytes() {
        return bytes;
    }

    /// Answers it. Whether the answer arrives is not reported here.
    ///
    /// @param answer at most [PeerFabric#MAX_BYTES] bytes, unchanged from now on
    /// @throws org.namdb.fabric.FabricException `TOO_LARGE`; then it is not answered yet
    /// @throws IllegalStateException if it was answered before
    public final void answer(byte[] answer) {
        PeerFabric.requireSize(answer);
        if (!isAnswered.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "a request of process " + from + " is answered a second time");
        }
        carry(answer);
    }

    /// Rejects it if it has no answer: it fails at its sender with `FENCED`.
    public final void rejectUnanswered() {
        if (isAnswered.compareAndSet(false, true)) {
            reject();
        }
    }

    /// Carries the answer to the sender.
    protected abstract void carry(byte[] answer);

    /// Has the request fail at its sender, as that is refused here, or as it can't be handled.
    protected abstract void reject();
}
