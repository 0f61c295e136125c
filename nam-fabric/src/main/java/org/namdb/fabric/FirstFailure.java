package org.namdb.fabric;

import org.jspecify.annotations.Nullable;

/// Collects the failures of several steps that are all tried, even if some of them fail: keeps the
/// first, and attaches later ones to it as suppressed. Can be used again after [#clear]; allocates
/// nothing unless something fails.
public final class FirstFailure {
    private @Nullable Throwable first;

    /// Clears the failure.
    public void clear() {
        first = null;
    }

    /// A step has failed.
    @SuppressWarnings("ReferenceEquality") // nothing can suppress itself
    public void add(Throwable failure) {
        Throwable before = first;
        if (before == null) {
            first = failure;
        } else if (before != failure) {
            before.addSuppressed(failure);
        }
    }

    /// Tries a step.
    @SuppressWarnings("CatchingUnchecked") // whatever it is, the other steps must be tried
    public void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            add(e);
        }
    }

    /// The first failure; null if all went well.
    public @Nullable Throwable first() {
        return first;
    }

    /// Throws the first failure, if there is one.
    public void rethrow() {
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
