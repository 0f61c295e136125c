package org.namdb.workload.driver;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.namdb.workload.statistics.RunEnd;

/// Makes all threads of a run end early. The first signal gives the reason.
public final class StopSignal {
    private final AtomicReference<@Nullable RunEnd> reason = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /// Whether threads are to end.
    public boolean isGiven() {
        return reason.get() != null;
    }

    /// Makes threads end.
    public void give(RunEnd why) {
        reason.compareAndSet(null, why);
    }

    /// Makes threads end, because one of them can't go on.
    void fail(Throwable why) {
        failure.compareAndSet(null, why);
        give(RunEnd.INTERRUPTED);
    }

    /// Why it was given; null if it wasn't.
    @Nullable RunEnd reason() {
        return reason.get();
    }

    /// Throws what one of the threads has failed with.
    void throwFailure() {
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new AssertionError("no checked exception is thrown", e);
        }
    }
}
