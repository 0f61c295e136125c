package org.namdb.cache.frame;

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

    /// Ends the access; all its guards are closed.
    @Override
    void close();
}
