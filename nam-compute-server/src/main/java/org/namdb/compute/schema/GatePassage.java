package org.namdb.compute.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A session's side of the [SchemaGate]: it enters before it touches a table, in a transaction or in background work, and leaves afterwards. Used by the session's
/// thread but for what says otherwise.
public final class GatePassage {
    private static final VarHandle PASSAGES;

    static {
        try {
            PASSAGES =
                    MethodHandles.lookup().findVarHandle(GatePassage.class, "passages", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SchemaGate gate;
    private final Runnable awaitOpen;

    /// How many times the session has entered and left, together: odd while it is inside.
    @SuppressWarnings("unused")
    private long passages;

    /// The thread that is inside. Only that thread can rely on it.
    private @Nullable Thread runner;

    /// @param awaitOpen makes way for whoever has closed the gate, and waits for it
    public GatePassage(SchemaGate gate, Runnable awaitOpen) {
        this.gate = gate;
        this.awaitOpen = awaitOpen;
    }

    /// Enters, as soon as the gate is open.
    ///
    /// @throws org.namdb.fabric.FabricException if memory server 0 can't be reached; the session is outside
    public void enter() {
        Thread thread = Thread.currentThread();
        PASSAGES.setVolatile(this, passages + 1);
        while (gate.isClosedTo(thread)) {
            leave();
            awaitOpen.run();
            PASSAGES.setVolatile(this, passages + 1);
        }
        runner = thread;
    }

    public void leave() {
        runner = null;
        PASSAGES.setRelease(this, passages + 1);
    }

    /// Whether the session is inside. For any thread.
    public boolean isEntered() {
        return ((long) PASSAGES.getVolatile(this) & 1) == 1;
    }

    /// Whether it is this very thread that is inside. For any thread that asks about itself.
    public boolean isEnteredBy(Thread thread) {
        return thread.equals(runner);
    }
}
