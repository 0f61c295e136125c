package org.namdb.fabric.peer;

import java.util.List;

/// Receives the requests of other compute servers.
@FunctionalInterface
public interface PeerHandler {
    /// Handles all requests that have arrived since the last call, in the order in which they came.
    /// Called by one thread at a time. A request need not be answered before this returns.
    void handle(List<PeerRequest> batch);
}
