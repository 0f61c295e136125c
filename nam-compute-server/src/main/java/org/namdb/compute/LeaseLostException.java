package org.namdb.compute;

/// This compute server of a cluster was silent for longer than its lease: the others have taken it
/// for dead. Whoever wants to go on closes it, and connects again.
public final class LeaseLostException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    LeaseLostException() {
        super(
                "this compute server was silent for longer than its lease, and was taken for dead:"
                        + " close it, and connect again");
    }
}
