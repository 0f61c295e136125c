package org.namdb.sql.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.namdb.compute.Session;

/// A session of the compute server with the row ids that it allocates: they belong to its slot, so
/// they stay with it.
record EngineSession(Session session, RowIds rowIds) {
    /// Opens one.
    ///
    /// @throws org.namdb.timestamp.SlotsExhaustedException if all slots are taken
    static EngineSession open(SqlDatabase database) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, database.instant());
        Session session = database.engine().session();
        return new EngineSession(session, new RowIds(session.slotNumber(), micros));
    }
}
