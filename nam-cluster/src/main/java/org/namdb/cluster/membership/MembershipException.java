package org.namdb.cluster.membership;

/// The members of the cluster can't be read now, or none can join it.
public final class MembershipException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MembershipException(String message) {
        super(message);
    }

    public MembershipException(String message, Throwable cause) {
        super(message, cause);
    }
}
