package org.namdb.compute.commit;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;

/// Collects failures of a commit and of its rollback. Each step is tried even if others fail, so
/// that a lost server leaves nothing locked on the other servers.
final class Undo {
    private final QueuePair queuePair;
    private final FirstFailure failures = new FirstFailure();
    private @Nullable Throwable fatalFailure;

    Undo(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    void clear() {
        failures.clear();
        fatalFailure = null;
    }

    void add(Throwable failure) {
        failures.add(failure);
    }

    /// Something stays behind, and may be locked.
    void cannot(Throwable failure) {
        failures.add(failure);
        fatalFailure = failures.first();
    }

    boolean hasFailed() {
        return failures.first() != null;
    }

    /// What stays behind because of this; null if nothing does.
    @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    void await() {
        try {
            queuePair.await();
        } catch (Throwable e) {
            cannot(e);
        }
    }

    void rethrow() {
        failures.rethrow();
    }
}
