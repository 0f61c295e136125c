package org.namdb.compute.read;

import org.namdb.compute.commit.CommitOutcome;
import org.namdb.fabric.FabricException;

/// Whether a transaction may go on after its reads, and what is notified if it may not.
public interface ReadGuard {
    /// Throws if what the transaction is running was cancelled. Costs one load.
    void checkCancelled();

    /// A table or an index that was dropped is to be used. Throws if this compute server has lost
    /// its lease: by joining again it has dropped what it had before.
    void checkHeld();

    /// The transaction has failed.
    ///
    /// @param outcome what its commit will return
    /// @return what to throw
    RuntimeException abort(CommitOutcome outcome);

    /// The connection to a memory server is lost.
    ///
    /// @return what to throw
    RuntimeException lost(FabricException cause);
}
