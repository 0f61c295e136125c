package org.namdb.fabric;

/// The fabric has failed, or was misused; a lost race is not an exception. A verb that fails this
/// way has changed nothing, unless a connection was lost.
public final class FabricException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// What went wrong.
    public enum Kind {
        /// The address is null, outside of the region, or not aligned for its verb.
        BAD_ADDRESS,
        /// The region's key is not the one that the queue pair was opened with.
        BAD_KEY,
        /// The peer has left, or was never there.
        PEER_GONE,
        /// The connection was lost: of the verbs since the last await some have taken effect, in
        /// their order, and the others never will. The queue pair can't be used any more.
        CONNECTION_LOST,
        /// Other processes have declared this one dead, and fenced it: nothing that it posts takes
        /// effect any more.
        FENCED,
        /// A batch or a message is larger than the queue pair was made for.
        TOO_LARGE,
        /// The operating system refused something.
        SYSTEM
    }

    private final Kind kind;

    public FabricException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public FabricException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /// What went wrong.
    public Kind kind() {
        return kind;
    }
}
