package org.namdb.compute.schema;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The schema latch of a compute server: its sessions enter it before they touch a table. It is
/// closed while the schema changes: then no transaction runs, nor any background maintenance, and
/// the changing thread alone may enter, and maintains what sessions have cached.
///
/// A session sets the count of its [SharedSchemaLatch], and checks the latch after that; the
/// closing thread closes the latch, and checks the sessions after that. Both are volatile, so one
/// of them sees the other. [SchemaExclusion] opens and closes it.
public final class SchemaLatch {
    private static final long NEVER = -1;

    private final Supplier<List<Integer>> running;
    private volatile boolean closed = true;
    private volatile long epoch = NEVER;
    private volatile @Nullable Thread ddlSession;

    /// A latch that is closed until the epoch was read.
    ///
    /// @param running the slots of the sessions that have a transaction or background maintenance
    public SchemaLatch(Supplier<List<Integer>> running) {
        this.running = running;
    }

    /// Whether a thread may not enter.
    boolean isClosedTo(Thread thread) {
        return closed && !thread.equals(ddlSession);
    }

    boolean isClosed() {
        return closed;
    }

    /// Whether a thread is about to change the schema, or does.
    public boolean isClosing() {
        return closed;
    }

    /// Whether a thread changes the schema.
    public boolean isHeldBy(Thread thread) {
        return thread.equals(ddlSession);
    }

    /// The [SchemaEpoch] that this compute server's cache of the schema is as new as. A session
    /// that finds a later one has it checked.
    public long epoch() {
        return epoch;
    }

    /// Whether it was never open.
    boolean isNew() {
        return epoch == NEVER;
    }

    void close() {
        closed = true;
    }

    void open(long newEpoch) {
        ddlSession = null;
        epoch = newEpoch;
        closed = false;
    }

    /// Lets the current thread, which changes the schema, enter the closed latch.
    void hold(long newEpoch) {
        ddlSession = Thread.currentThread();
        epoch = newEpoch;
    }

    /// The thread that changes the schema is like any other again; the latch stays closed.
    void letGo() {
        ddlSession = null;
    }

    /// The slots of the sessions that are still running.
    List<Integer> running() {
        return running.get();
    }
}
