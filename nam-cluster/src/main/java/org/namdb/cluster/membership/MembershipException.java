package org.namdb.cluster.membership;

/// It can't be found out now who is in the cluster, or nobody can join it.
public final class MembershipException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MembershipException(String message) {
        super(message);
    }

    public MembershipException(String message, Throwable cause) {
        super(message, cause);
    }
}
