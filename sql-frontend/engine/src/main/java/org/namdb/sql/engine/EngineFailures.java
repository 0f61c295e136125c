package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.StatementCancelledException;
import org.namdb.compute.TransactionAborted;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.timestamp.SlotsExhaustedException;

/// Failures below SQL, as errors of SQL.
final class EngineFailures {
    private static final String RUN_AGAIN = "Run the transaction again.";
    private static final String LARGER_HEAP =
            "Change fewer rows in a transaction, or give the process a larger heap: -Xmx in"
                    + " NAM_JAVA_OPTS.";

    private EngineFailures() {}

    /// The error that a failure is.
    ///
    /// @param abort how the engine's transaction was aborted, if it was
    /// @param catalog finds the table and constraint of a record
    static SqlException of(Throwable failure, @Nullable CommitOutcome abort, SqlCatalog catalog) {
        return switch (failure) {
            case SqlException e -> e;
            case TransactionAborted e when abort != null -> of(abort, catalog);
            case TransactionException e -> of(e.outcome(), catalog);
            case StatementCancelledException e ->
                    new SqlException(
                            SqlState.QUERY_CANCELED,
                            e.isTimeout()
                                    ? "canceling statement due to statement timeout"
                                    : "canceling statement due to user request");
            case FabricException e ->
                    new SqlException(
                                    SqlState.CONNECTION_FAILURE,
                                    "the connection to a memory server is lost: " + e.getMessage())
                            .causedBy(e);
            case LeaseLostException e when !e.isDatabaseLost() -> // nothing is committed
                    new SqlException(SqlState.SERIALIZATION_FAILURE, String.valueOf(e.getMessage()))
                            .withHint("Run the transaction again.")
                            .causedBy(e);
            case LeaseLostException e ->
                    new SqlException(SqlState.CONNECTION_FAILURE, String.valueOf(e.getMessage()))
                            .causedBy(e);
            case MemoryFullException e -> full(String.valueOf(e.getMessage()));
            case JournalFullException e -> diskFull(String.valueOf(e.getMessage()));
            case JournalException e ->
                    new SqlException(SqlState.IO_ERROR, String.valueOf(e.getMessage())).causedBy(e);
            case SchemaBusyException e when e.isBeingChanged() ->
                    new SqlException(
                                    SqlState.LOCK_NOT_AVAILABLE,
                                    "the schema is being changed, and for too long")
                            .withDetail(String.valueOf(e.getMessage()))
                            .withHint("Try again when that has ended.");
            case SchemaBusyException e ->
                    new SqlException(
                                    SqlState.LOCK_NOT_AVAILABLE,
                                    "the schema can't be changed while transactions run")
                            .withDetail(inTheWay(e))
                            .withHint(
                                    "End the open transactions of other sessions, or raise"
                                            + " lock_timeout.");
            case LatchTimeoutException e ->
                    new SqlException(
                                    SqlState.LOCK_NOT_AVAILABLE,
                                    "another session does not let go of what it is changing")
                            .withDetail(String.valueOf(e.getMessage()))
                            .causedBy(e);
            case SlotsExhaustedException e ->
                    new SqlException(SqlState.TOO_MANY_SESSIONS, "sorry, too many clients already")
                            .withDetail(String.valueOf(e.getMessage()));
            case StackOverflowError e ->
                    new SqlException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                            .causedBy(e);
            case OutOfMemoryError e ->
                    tooLarge(String.valueOf(e.getMessage()), LARGER_HEAP).causedBy(e);
            default ->
                    new SqlException(
                                    SqlState.INTERNAL_ERROR,
                                    "internal error: "
                                            + failure.getClass().getSimpleName()
                                            + ": "
                                            + failure.getMessage())
                            .causedBy(failure);
        };
    }

    /// The error that an outcome is. A key that is there already although the snapshot does not
    /// show it is a conflict with a transaction that runs at the same time: when it is retried, the
    /// statement finds the row and reports it.
    static SqlException of(CommitOutcome outcome, SqlCatalog catalog) {
        return switch (outcome) {
            case CommitOutcome.WriteConflict c ->
                    conflict(RecordText.of(catalog, c.table(), c.key()));
            case CommitOutcome.DuplicateKey d ->
                    conflict(RecordText.of(catalog, d.table(), d.key()));
            case CommitOutcome.SnapshotTooOld s ->
                    new SqlException(
                                    SqlState.SERIALIZATION_FAILURE,
                                    "could not serialize access: the snapshot is too old")
                            .withHint(RUN_AGAIN);
            case CommitOutcome.MemoryFull m ->
                    switch (m.where()) {
                        case SERVER -> full(m.message());
                        case TRANSACTION ->
                                tooLarge(
                                        m.message(),
                                        "Raise transaction_memory, or change fewer rows in a"
                                                + " transaction.");
                        case TRANSACTIONS ->
                                tooLarge(
                                        m.message(),
                                        "Try again when other transactions have ended, or change"
                                                + " fewer rows in a transaction.");
                        case HEAP -> tooLarge(m.message(), LARGER_HEAP);
                    };
            case CommitOutcome.JournalFull j -> diskFull(j.message());
            case CommitOutcome.RolledBack r ->
                    new SqlException(
                                    SqlState.SERIALIZATION_FAILURE,
                                    "the transaction was rolled back")
                            .withHint(RUN_AGAIN);
            case CommitOutcome.Committed c ->
                    throw new IllegalArgumentException("a commit is no failure");
        };
    }

    private static SqlException diskFull(String message) {
        return new SqlException(SqlState.DISK_FULL, message)
                .withHint("Free space on the disk of the data directory; reads go on meanwhile.");
    }

    /// What a schema change waits for.
    private static String inTheWay(SchemaBusyException busy) {
        List<String> holders = new ArrayList<>();
        if (!busy.slots().isEmpty()) {
            String slots = list(busy.slots());
            holders.add(
                    busy.slots().size() == 1
                            ? "A transaction is open in the session with slot " + slots + "."
                            : "Transactions are open in the sessions with the slots "
                                    + slots
                                    + ".");
        }
        if (!busy.computeServers().isEmpty()) {
            String numbers = list(busy.computeServers());
            holders.add("The schema is used, or changed, by compute server " + numbers + ".");
        }
        return holders.isEmpty() ? "Another session is changing it." : String.join(" ", holders);
    }

    private static String list(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static SqlException conflict(String record) {
        return new SqlException(
                        SqlState.SERIALIZATION_FAILURE,
                        "could not serialize access due to concurrent update")
                .withDetail("Another transaction has changed " + record + ".")
                .withHint(RUN_AGAIN);
    }

    private static SqlException tooLarge(String message, String hint) {
        return new SqlException(SqlState.OUT_OF_MEMORY, "out of memory: " + message).withHint(hint);
    }

    private static SqlException full(String message) {
        return new SqlException(SqlState.OUT_OF_MEMORY, "out of memory")
                .withDetail(message)
                .withHint(
                        "Delete rows, some at a time, as DELETE takes memory first; truncate or drop a"
                                + " table; or give the memory servers more: nam sql --memory.");
    }
}
