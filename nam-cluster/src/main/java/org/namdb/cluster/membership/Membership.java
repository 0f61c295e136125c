package org.namdb.cluster.membership;

import java.util.List;
import java.util.Set;

/// The compute servers of a cluster, as one of them, or an observer, sees them. Thread-safe.
public interface Membership extends AutoCloseable {
    /// Takes a lease, before the process holds anything that others could wait for: a process that
    /// holds something and has no lease is declared dead. Once only; a lost lease is not taken
    /// again.
    ///
    /// @throws MembershipException if it can't be taken, or it is unknown whether it was
    void join(Member member);

    /// The numbers of those whose leases have not ended: all that have joined before this call and
    /// are not in it are permanently gone.
    ///
    /// @throws MembershipException if it can't be found out now
    Set<Integer> members();

    /// The same, with their data; some may have left meanwhile.
    ///
    /// @throws MembershipException if it can't be found out now
    List<Member> describe();

    /// Has `changed` called whenever a compute server may have joined or left since the last
    /// [#members], or this one's own lease was lost. By any thread; it returns at once.
    void watch(Runnable changed);

    /// Whether this one's own lease has ended, so that others may have fenced it. While the
    /// ensemble is unreachable, it has not.
    boolean isLost();

    /// Leaves: the lease ends now. What it was for has been given up before.
    @Override
    void close();
}
