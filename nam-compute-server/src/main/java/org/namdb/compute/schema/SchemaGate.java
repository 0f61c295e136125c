package org.namdb.compute.schema;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a compute server's sessions go through before they touch a table. It is closed while the
/// schema changes: then no transaction runs, nor any background work, and what sessions remember is
/// the changing thread's to look after. Only that thread may go through.
///
/// A session says that it runs, by the count of its [GatePassage], and looks at the gate after
/// that; the closing thread closes the gate, and looks at the sessions after that. Both are
/// volatile, so one of them sees the other. [DefinitionTurn] opens and closes it.
public final class SchemaGate {
    private static final long NEVER = -1;

    private final Supplier<List<Integer>> running;
    private volatile boolean closed = true;
    private volatile long epoch = NEVER;
    private volatile @Nullable Thread definer;

    /// A gate that is closed, until someone has looked at the epoch.
    ///
    /// @param running the slots of the sessions that have a transaction or background work
    public SchemaGate(Supplier<List<Integer>> running) {
        this.running = running;
    }

    /// Whether a thread may not go through.
    boolean isClosedTo(Thread thread) {
        return closed && !thread.equals(definer);
    }

    boolean isClosed() {
        return closed;
    }

    /// Whether somebody is about to change the schema, or does.
    public boolean isClosing() {
        return closed;
    }

    /// Whether a thread changes the schema.
    public boolean isHeldBy(Thread thread) {
        return thread.equals(definer);
    }

    /// The [SchemaEpoch] that everything which this compute server knows of the schema is as new
    /// as. Whoever finds a later one has it looked at.
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
        definer = null;
        epoch = newEpoch;
        closed = false;
    }

    /// Lets the definition's own thread through the closed gate.
    void hold(long newEpoch) {
        definer = Thread.currentThread();
        epoch = newEpoch;
    }

    /// The definition's own thread is like any other again; the gate stays closed.
    void letGo() {
        definer = null;
    }

    /// The slots of the sessions that have not come to rest.
    List<Integer> running() {
        return running.get();
    }
}
