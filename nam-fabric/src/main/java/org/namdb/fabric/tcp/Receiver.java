package org.namdb.fabric.tcp;

/// Receives for those who wait for replies over an [AgentLink] while others do, too.
interface Receiver {
    /// Whether it receives for this link.
    boolean isArmed(AgentLink link);

    /// Receives for this link from now on, until nothing is under way there.
    void arm(AgentLink link);

    /// The link has another connection: who waits for its replies waits for those of that one.
    void reopened(AgentLink link);
}
