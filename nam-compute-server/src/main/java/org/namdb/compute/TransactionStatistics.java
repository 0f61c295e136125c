package org.namdb.compute;

import java.util.EnumMap;
import java.util.Map;
import org.namdb.compute.commit.AbortCause;
import org.namdb.fabric.VerbTally;

/// Outcomes and costs of the transactions of a process since it has opened the database.
///
/// @param outcomes how many attempts ended in each way
/// @param conflicts how many attempts have lost a conflict, by the table of its record; of the
///     first thousand tables
/// @param retries how many of them were tried again
/// @param verbs what they and the maintenance between them have posted
public record TransactionStatistics(
        Map<AbortCause, Long> outcomes,
        Map<String, Long> conflicts,
        long retries,
        VerbTally verbs) {
    static final TransactionStatistics NOTHING =
            new TransactionStatistics(Map.of(), Map.of(), 0, VerbTally.NOTHING);

    public TransactionStatistics {
        outcomes = Map.copyOf(outcomes);
        conflicts = Map.copyOf(conflicts);
    }

    /// These, and those of a session.
    TransactionStatistics plus(Session session) {
        Map<AbortCause, Long> sum = new EnumMap<>(AbortCause.class);
        for (AbortCause cause : AbortCause.values()) {
            sum.put(cause, outcomes.getOrDefault(cause, 0L) + session.outcomes(cause));
        }
        return new TransactionStatistics(
                sum,
                conflicts,
                retries + session.retries(),
                verbs.plus(session.counters().tally()));
    }
}
