package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.fabric.FabricException;
import org.namdb.simulated.UnplannedFailure;

/// What clients do after an unplanned failure.
final class Unplanned {
    private Unplanned() {}

    /// Goes on with the session that it was thrown in, or with another one. The session itself
    /// decides whether it can be used.
    ///
    /// @return whether to go on with the session
    static boolean isSurvived(Throwable thrown, SplittableRandom random) {
        require(thrown);
        return random.nextBoolean();
    }

    /// Throws everything again but this, a failed fabric, and leases that can't be had.
    static void requireOrFabric(Throwable thrown) {
        if (!(thrown instanceof FabricException || thrown instanceof MembershipException)) {
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
