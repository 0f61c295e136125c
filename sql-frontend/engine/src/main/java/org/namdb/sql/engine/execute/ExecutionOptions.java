package org.namdb.sql.engine.execute;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.expression.SessionTime;
import org.namdb.sql.engine.plan.StatementProgress;

/// The context of an execution.
///
/// @param time when the transaction and the statement began, and the session's time zone
/// @param random gives random bits
/// @param workMemoryBytes the most memory that each operator of the statement may keep tuples in
/// @param temporaryDirectory where tuples are written that don't fit into it
/// @param temporaryFileLimitBytes the most that all temporary files of the statement may hold
/// @param isMeasured whether rows, time and verbs are counted for each operator, as EXPLAIN ANALYZE
///     shows them
/// @param clock nanoseconds that only go forward, to measure by
/// @param session the session, for its functions
/// @param progress counts the rows that are read
public record ExecutionOptions(
        SessionTime time,
        LongSupplier random,
        long workMemoryBytes,
        Path temporaryDirectory,
        long temporaryFileLimitBytes,
        boolean isMeasured,
        LongSupplier clock,
        SessionContext session,
        StatementProgress progress) {
    /// What `work_mem` is unless it is set, in bytes.
    public static final long DEFAULT_WORK_MEMORY_BYTES = 256L << 20;
}
