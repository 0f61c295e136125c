package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.sim.UnplannedFailure;

/// What clients do when something was thrown that nobody has planned for.
final class Unplanned {
    private Unplanned() {}

    /// Goes on with the session that it was thrown in, or with another one. It is for the session
    /// to know whether it can be used.
    ///
    /// @return whether to go on with the session
    static boolean isSurvived(Throwable thrown, SplittableRandom random) {
        require(thrown);
        return random.nextBoolean();
    }

    /// Throws everything again but this and a fabric that is broken.
    static void requireOrFabric(Throwable thrown) {
        if (!(thrown instanceof FabricException)) {
            require(thrown);
        }
    }

    /// Throws everything else again.
    static void require(Throwable thrown) {
        if (!UnplannedFailure.isIn(thrown)) {
            switch (thrown) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(thrown);
            }
        }
    }
}
