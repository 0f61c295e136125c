package org.namdb.compute.upkeep;

import java.util.List;

/// The sessions of a compute server, as its background work knows them. Safe for use by many
/// threads.
public interface UpkeepSessions {
    /// The upkeep of all sessions that there are now, idle ones and the background work's included.
    List<SessionUpkeep> upkeeps();

    /// Opens a session for the background work, which needs all memory servers. While one of them
    /// is gone, no slot is taken.
    ///
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached
    /// @throws org.namdb.timestamp.SlotsExhaustedException if all slots are taken
    SessionUpkeep openOwn();

    /// Takes a session back that was opened for the background work, and is of no use any more.
    void forgetOwn(SessionUpkeep used);

    /// Hands all over for clean-up that are broken, and in which nobody works.
    void handOverBroken();
}
