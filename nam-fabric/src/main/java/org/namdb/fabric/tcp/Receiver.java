package org.namdb.fabric.tcp;

/// Receives for the threads that wait for replies over one [AgentLink].
interface Receiver {
    /// Whether it receives for this link.
    boolean isArmed(AgentLink link);

    /// Receives for this link from now on, until nothing is under way there.
    void arm(AgentLink link);

    /// The link has another connection: its waiters wait for that one's replies.
    void reopened(AgentLink link);
}
