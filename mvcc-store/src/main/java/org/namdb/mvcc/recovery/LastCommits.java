package org.namdb.mvcc.recovery;

import org.namdb.timestamp.TimestampSlot;

/// The last commits of dead slots, where each commit leaves an
/// [image][org.namdb.mvcc.ring.ImageRings].
/// One whose image is whole is never undone: what its session has not done of it is done by the
/// recovery.
@FunctionalInterface
public interface LastCommits {
    /// Finishes and publishes the last commit of a dead slot, if its image is whole and it is not
    /// published. Nothing that the slot, or any other dead one, has locked was released.
    ///
    /// @param slot was taken over
    /// @return whether nothing is left to finish; if not, the slot's locks must stay
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another run
    ///     goes on
    boolean finish(TimestampSlot slot);
}
