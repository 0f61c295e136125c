package org.namdb.compute;

/// This compute server of a cluster has lost its place there: it was silent for longer than its
/// lease, and the others have taken it for dead, or a memory server was started anew. Whoever wants
/// to go on closes it, and connects again.
public final class LeaseLostException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /// @param loss the end of a sentence about the compute server
    LeaseLostException(String loss) {
        super("this compute server " + loss + ": close it, and connect again");
    }
}
