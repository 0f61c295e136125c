package org.namdb.simulated;

import java.util.SplittableRandom;

/// An unexpected exception that a simulated fabric throws at a verb: a [RuntimeException], an
/// [OutOfMemoryError], a [StackOverflowError], or a [LinkageError], which stands for all other
/// errors. No [AssertionError]: that is a violated invariant, and ends the process.
///
/// The process lives on, and so may the session that has caught it.
public final class UnplannedFailure {
    /// Where a verb fails.
    enum Moment {
        /// It does not fail.
        NEVER,
        /// It has not been done.
        BEFORE,
        /// It has been done, but is not confirmed.
        AFTER
    }

    private static final int KINDS = 4;

    private UnplannedFailure() {}

    /// Whether this is one, or is caused by one.
    public static boolean isIn(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof Mark) {
                return true;
            }
        }
        return false;
    }

    /// Throws one of them.
    static void raise(SplittableRandom random, String where) {
        String message = "unplanned failure: " + where;
        switch (random.nextInt(KINDS)) {
            case 0 -> throw new Unchecked(message);
            case 1 -> throw new OutOfMemory(message);
            case 2 -> throw new StackOverflow(message);
            default -> throw new Linkage(message);
        }
    }

    private interface Mark {}

    private static final class Unchecked extends RuntimeException implements Mark {
        private static final long serialVersionUID = 1L;

        Unchecked(String message) {
            super(message);
        }
    }

    private static final class OutOfMemory extends OutOfMemoryError implements Mark {
        private static final long serialVersionUID = 1L;

        OutOfMemory(String message) {
            super(message);
        }
    }

    private static final class StackOverflow extends StackOverflowError implements Mark {
        private static final long serialVersionUID = 1L;

        StackOverflow(String message) {
            super(message);
        }
    }

    private static final class Linkage extends LinkageError implements Mark {
        private static final long serialVersionUID = 1L;

        Linkage(String message) {
            super(message);
        }
    }
}
