package org.namdb.fabric.peer;

import java.util.List;

/// Receives the requests of other compute servers.
@FunctionalInterface
public interface PeerHandler {
    /// Handles all requests that have arrived since the last call, in the order in which they came.
    /// Called by one thread at a time. A request need not be answered before this returns.
    /// If this throws, those of the batch that have no answer are rejected, and the next batch
    /// comes all the same.
    void handle(List<PeerRequest> batch);
}
