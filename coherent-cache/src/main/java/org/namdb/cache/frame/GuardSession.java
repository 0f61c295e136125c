package org.namdb.cache.frame;

import org.namdb.fabric.VerbCounters;

/// A thread's access to lines or pages under guards, of whichever protocol keeps them coherent.
public interface GuardSession extends AutoCloseable {
    /// How many bytes a line or page has.
    int lineBytes();

    /// Allocates one, of zeroes.
    ///
    /// @return its address or identifier, a multiple of its size
    long allocate();

    /// Latches one to read it.
    ///
    /// @return a guard that this thread closes
    Guard shared(long line);

    /// Latches one to change it.
    ///
    /// @return a guard that this thread closes
    Guard exclusive(long line);

    /// How many messages it has sent to other compute servers or nodes.
    long messages();

    /// The verbs that it has posted to memory servers since its last connection was opened.
    VerbCounters counters();

    /// Ends the access; all its guards are closed.
    @Override
    void close();
}
