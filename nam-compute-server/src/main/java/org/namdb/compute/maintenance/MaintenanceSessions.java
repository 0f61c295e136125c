package org.namdb.compute.maintenance;

import java.util.List;

/// The sessions of a compute server, as its background maintenance sees them. Safe for use by many
/// threads.
public interface MaintenanceSessions {
    /// The maintenance of all sessions that there are now, idle ones and those of background
    /// maintenance included.
    List<SessionMaintenance> maintenances();

    /// Opens a session for background maintenance, which needs all memory servers. While one of
    /// them is down, no slot is taken.
    ///
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached
    /// @throws org.namdb.timestamp.SlotsExhaustedException if all slots are taken
    SessionMaintenance openOwn();

    /// Releases a session that was opened for background maintenance, and can't be used any more.
    void forgetOwn(SessionMaintenance used);

    /// Hands all failed sessions over for recovery in which no thread works.
    void handOverFailed();
}
