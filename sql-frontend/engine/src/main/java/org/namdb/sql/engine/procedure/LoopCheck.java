package org.namdb.sql.engine.procedure;

import org.jspecify.annotations.Nullable;

/// What the loops of submitted procedures call each time round, so that one that never ends can be
/// cancelled. [ProcedureJar] puts the calls there when it loads a class.
public final class LoopCheck {
    /// So many times round cost one check, which may read a clock.
    private static final int INTERVAL = 256;

    private static final ScopedValue<LoopCheck> CURRENT = ScopedValue.newInstance();

    private final Runnable cancellation;
    private int count;

    /// Set when a check has thrown: a procedure that catches what it should not is ended by the
    /// next one.
    private @Nullable RuntimeException end;

    private LoopCheck(Runnable cancellation) {
        this.cancellation = cancellation;
    }

    /// Runs a procedure, whose loops check whether it is cancelled.
    ///
    /// @param cancellation throws if it is
    /// @throws Exception what it throws
    public static <R extends @Nullable Object> R run(
            Runnable cancellation, ScopedValue.CallableOp<R, Exception> procedure)
            throws Exception {
        LoopCheck check = new LoopCheck(cancellation);
        try {
            R result = ScopedValue.where(CURRENT, check).call(procedure);
            check.requireNoEnd(); // it may have caught that
            return result;
        } catch (Exception | LinkageError e) {
            check.requireNoEnd(); // or thrown something else
            throw e;
        }
    }

    private void requireNoEnd() {
        if (end != null) {
            throw end;
        }
    }

    /// A loop has come to its end, and begins again. Threads that a procedure has started are not
    /// checked.
    public static void again() {
        LoopCheck check = CURRENT.isBound() ? CURRENT.get() : null;
        if (check != null && (check.end != null || ++check.count % INTERVAL == 0)) {
            check.check();
        }
    }

    private void check() {
        requireNoEnd();
        try {
            cancellation.run();
        } catch (RuntimeException e) {
            end = e;
            throw e;
        }
    }
}
