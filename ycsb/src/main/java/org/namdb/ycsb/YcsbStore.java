package org.namdb.ycsb;

import org.namdb.compute.Session;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;

/// Where the records are, for all threads.
sealed interface YcsbStore permits YcsbTables, YcsbLines, YcsbPages {
    /// The number of a run that begins, from 1.
    long nextRun(Session session);

    /// What a thread does.
    ///
    /// @param draw its own
    /// @param checks its own
    Work work(
            Session session,
            YcsbOptions options,
            OperationDraw draw,
            Pacing pacing,
            ReadChecks checks);
}
