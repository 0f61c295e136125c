package org.namdb.timestamp;

/// All slots of the timestamp vector are taken: no further transaction execution thread can commit.
public final class SlotsExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// All of `slots` slots are taken.
    public SlotsExhaustedException(int slots) {
        super(
                "all "
                        + slots
                        + " slots of the timestamp vector are taken:"
                        + " end other transaction threads, or format the vector with more slots");
    }
}
