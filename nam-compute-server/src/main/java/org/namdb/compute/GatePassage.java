package org.namdb.compute;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A session's side of the [SchemaGate]: it enters before it touches a table, in a transaction or in background work, and leaves afterwards. Used by the session's
/// thread but for what says otherwise.
final class GatePassage {
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

    /// How many times the session has entered and left, together: odd while it is inside.
    @SuppressWarnings("unused")
    private long passages;

    /// The thread that is inside. Only that thread can rely on it.
    private @Nullable Thread runner;

    /// The session works for a change of the schema.
    private boolean ignoresGate;

    GatePassage(SchemaGate gate) {
        this.gate = gate;
    }

    /// Enters, as soon as the gate is open.
    void enter() {
        PASSAGES.setVolatile(this, passages + 1);
        while (gate.isClosed() && !ignoresGate) {
            leave();
            gate.awaitOpen();
            PASSAGES.setVolatile(this, passages + 1);
        }
        runner = Thread.currentThread();
    }

    void leave() {
        runner = null;
        PASSAGES.setRelease(this, passages + 1);
    }

    /// Whether the session is inside. For any thread.
    boolean isEntered() {
        return ((long) PASSAGES.getVolatile(this) & 1) == 1;
    }

    /// Whether it is this very thread that is inside. For any thread that asks about itself.
    boolean isEnteredBy(Thread thread) {
        return thread.equals(runner);
    }

    /// Lets the session enter while the schema changes, on behalf of the change.
    void ignoreGate(boolean ignores) {
        ignoresGate = ignores;
    }
}
