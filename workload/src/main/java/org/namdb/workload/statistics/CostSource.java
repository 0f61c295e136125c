package org.namdb.workload.statistics;

import org.namdb.compute.Session;
import org.namdb.compute.commit.AbortCause;
import org.namdb.fabric.VerbCounters;

/// What a thread's transactions are counted by; all of it ever grows.
public interface CostSource {
    /// Verbs, bytes and round trips.
    VerbCounters counters();

    /// Attempts after the first one.
    long retries();

    /// Attempts that were aborted for a cause.
    long outcomes(AbortCause cause);

    /// That of a session's transactions.
    static CostSource of(Session session) {
        return new CostSource() {
            @Override
            public VerbCounters counters() {
                return session.counters();
            }

            @Override
            public long retries() {
                return session.retries();
            }

            @Override
            public long outcomes(AbortCause cause) {
                return session.outcomes(cause);
            }
        };
    }
}
