package org.namdb.sql.engine.execute;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.plan.StatementProgress;

/// The circumstances of an execution.
///
/// @param transactionTime gives the time when the transaction began, in the session's local time
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
        Supplier<LocalDateTime> transactionTime,
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
