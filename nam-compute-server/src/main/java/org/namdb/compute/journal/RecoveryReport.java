package org.namdb.compute.journal;

import java.time.Duration;
import java.util.Locale;

/// What a restart has found, and done.
///
/// @param tables how many there are
/// @param rows how many there are in them
/// @param checkpointBytes the length of the checkpoint; 0 if there is none
/// @param journalBytes the length of the journal's files that were read
/// @param commits how many commits were in them
/// @param tornBytes how many bytes at the end were never finished, and don't count
/// @param wasCleanShutdown whether the previous shutdown was clean
/// @param time how long it took
public record RecoveryReport(
        int tables,
        long rows,
        long checkpointBytes,
        long journalBytes,
        long commits,
        long tornBytes,
        boolean wasCleanShutdown,
        Duration time) {
    /// In a sentence.
    @Override
    public String toString() {
        String from =
                checkpointBytes == 0
                        ? ""
                        : ", from a checkpoint of %,d KB and".formatted(checkpointBytes >> 10);
        String torn =
                tornBytes == 0
                        ? ""
                        : " What was not finished at its end was dropped (%,d bytes)."
                                .formatted(tornBytes);
        return String.format(
                Locale.ROOT,
                "%,d rows in %,d %s%s %,d commits of the journal, in %.1f s.%s",
                rows,
                tables,
                tables == 1 ? "table" : "tables",
                from.isEmpty() ? ", from" : from,
                commits,
                time.toNanos() / 1e9,
                torn);
    }
}
