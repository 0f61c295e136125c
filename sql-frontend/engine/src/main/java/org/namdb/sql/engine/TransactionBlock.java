package org.namdb.sql.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionAborted;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.change.ChangeContext;
import org.namdb.sql.engine.change.ReferenceRequirements;
import org.namdb.sql.engine.change.TableConstraints;
import org.namdb.sql.engine.expression.SessionTime;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The transaction of a session: a block between BEGIN and COMMIT, or one statement's own. The
/// engine's transaction, and with it the snapshot, begins with the first statement that needs it.
/// While there is one, the schema does not change but by the block's own DDL.
final class TransactionBlock implements ChangeContext, SessionTime {
    private final SqlDatabase database;
    private final SessionLease lease;
    private final Settings settings;
    private final ReferenceRequirements requirements = new ReferenceRequirements();
    private final StatementProgress progress = new StatementProgress();
    private final List<NamedSavepoint> savepoints = new ArrayList<>();
    private final RowClaims.Block claims;
    private final SqlCursors cursors = new SqlCursors();
    private final SessionLocks locks;
    private final TemporaryTables temporary;

    /// Does with temporary tables what a commit does.
    private Runnable beforeCommit = () -> {};

    private TransactionStatus status = TransactionStatus.IDLE;
    private @Nullable Transaction transaction;
    private @Nullable Transaction last;
    private Instant began;

    /// When the client's statement began.
    private Instant statementBegan;

    private long beganNanos;
    private boolean isReadOnly;

    /// Whether the open block is of statements that came together, and not one that BEGIN has
    /// begun.
    private boolean isImplicit;

    /// Whether the transaction was ended for a schema change, and is to begin again.
    private boolean isSetAside;

    private String isolation = Settings.SNAPSHOT_ISOLATION;

    /// What DDL of the block has changed; null if there was none.
    private @Nullable BlockSchema schema;

    /// A savepoint, and what there was when it was set.
    ///
    /// @param schema null if no DDL was run before
    private record NamedSavepoint(
            String name,
            int mark,
            int requirements,
            int cursors,
            int locks,
            Settings.Saved saved,
            BlockSchema.@Nullable Mark schema) {}

    TransactionBlock(
            SqlDatabase database, SessionLease lease, Settings settings, SessionLocks locks) {
        this.locks = locks;
        this.database = database;
        this.temporary = new TemporaryTables(database);
        this.lease = lease;
        this.settings = settings;
        this.claims = database.rowClaims().block();
        this.began = database.instant();
        this.statementBegan = began;
    }

    TransactionStatus status() {
        return status;
    }

    boolean isBlock() {
        return status != TransactionStatus.IDLE;
    }

    /// Whether a block is open that has no BEGIN: it has no savepoints.
    boolean isImplicit() {
        return isImplicit;
    }

    boolean isReadOnly() {
        return isBlock() ? isReadOnly : settings.isDefaultReadOnly();
    }

    String isolation() {
        return isBlock() ? isolation : settings.show(Settings.DEFAULT_ISOLATION);
    }

    /// When the block began, or the statement outside of one.
    @Override
    public Instant transactionTime() {
        return began.truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public Instant statementTime() {
        return isBlock() ? statementBegan.truncatedTo(ChronoUnit.MICROS) : transactionTime();
    }

    @Override
    public Instant clockTime() {
        return database.instant().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public ZoneId zone() {
        return settings.zone();
    }

    /// A statement of the client begins.
    void statementBegins() {
        statementBegan = database.instant();
    }

    /// What a statement that is run again takes for its time.
    void setStatementTime(Instant time) {
        statementBegan = time;
    }

    private void beginsNow() {
        began = database.instant();
    }

    /// When the engine's transaction began, on the host's clock.
    long beganNanos() {
        return beganNanos;
    }

    /// The engine's transaction, or the last one, whose snapshot is still there; null if there was
    /// none.
    @Nullable Transaction lastTransaction() {
        return last;
    }

    /// The engine's transaction; null if none is open.
    @Nullable Transaction open() {
        return transaction;
    }

    /// Drops the last transaction, whose session others use from now on.
    void forgetLast() {
        last = null;
    }

    /// The schema as the block's DDL has changed it; null if there was none.
    @Nullable BlockSchema schema() {
        return schema;
    }

    /// Begins to change the schema in the block, or in one statement's transaction. The session has
    /// the [right][SqlDatabase#lockSchema] to do so.
    ///
    /// @param whenEnded run when the transaction has ended
    BlockSchema changeSchema(Runnable whenEnded) {
        BlockSchema changed = schema;
        if (changed == null) {
            boolean isDone = false;
            try {
                Transaction _ = transaction();
                changed = new BlockSchema(database, lease.session(), temporary, whenEnded);
                isDone = true;
            } finally {
                if (!isDone) {
                    whenEnded.run();
                }
            }
            schema = changed;
        }
        return changed;
    }

    /// The tables as the session sees them.
    SqlCatalog catalog() {
        BlockSchema changed = schema;
        return changed == null ? temporary.catalog() : changed.catalog();
    }

    /// What plans the session's statements.
    StatementCompiler compiler() {
        BlockSchema changed = schema;
        return changed == null ? temporary.compiler() : changed.compiler();
    }

    /// The procedures as the session sees them.
    ProcedureCatalog procedures() {
        BlockSchema changed = schema;
        return changed == null ? temporary.procedures() : changed.procedures();
    }

    /// The values of sequences as the session sees them.
    SequenceValues sequences() {
        BlockSchema changed = schema;
        return changed == null ? database.sequences() : changed.sequences();
    }

    /// The session's temporary tables.
    TemporaryTables temporary() {
        return temporary;
    }

    /// @param action does with temporary tables what a commit does
    void beforeCommit(Runnable action) {
        beforeCommit = action;
    }

    boolean isRunning() {
        return transaction != null;
    }

    /// Opens a block.
    void begin() {
        status = TransactionStatus.ACTIVE;
        isReadOnly = settings.isDefaultReadOnly();
        isolation = settings.show(Settings.DEFAULT_ISOLATION);
        beginsNow();
        settings.begin();
    }

    /// Opens a block with the modes of the one that has just ended.
    void chain() {
        boolean wasReadOnly = isReadOnly;
        String before = isolation;
        begin();
        isReadOnly = wasReadOnly;
        isolation = before;
    }

    /// The block that was begun just now has no BEGIN.
    void setImplicit() {
        isImplicit = true;
    }

    /// Sets the modes of the open block.
    ///
    /// @throws SqlException 25001 if it is too late, 0A000 if there is no such isolation
    void modes(@Nullable String newIsolation, @Nullable Boolean newReadOnly) {
        if (newIsolation != null) {
            settings.checkIsolation(newIsolation);
            if (transaction != null && !newIsolation.equals(isolation)) {
                throw tooLate("SET TRANSACTION ISOLATION LEVEL must be called before any query");
            }
            isolation = newIsolation;
        }
        if (newReadOnly != null) {
            if (transaction != null && isReadOnly && !newReadOnly) {
                throw tooLate("transaction read-write mode must be set before any query");
            }
            isReadOnly = newReadOnly;
        }
    }

    private static SqlException tooLate(String message) {
        return new SqlException(SqlState.ACTIVE_TRANSACTION, message);
    }

    /// The engine's transaction, begun if there is none.
    @Override
    public Transaction transaction() {
        Transaction current = transaction;
        if (current == null) {
            current = lease.session().begin();
            transaction = current;
            last = current;
            beganNanos = database.host().nanoTime();
            if (!isBlock()) {
                beginsNow();
            }
            requirements.clear();
        }
        current.limitMemory(settings.transactionMemoryBytes());
        return current;
    }

    /// Commits what there is, and ends the block.
    ///
    /// @throws SqlException 40001 if the transaction has lost a conflict; it is rolled back then
    void commit() {
        boolean isDone = false;
        try {
            commitTransaction();
            isDone = true;
        } finally {
            end(isDone);
        }
    }

    /// Commits what there is; the block stays open, without a transaction, until it is
    /// [ended][#end].
    ///
    /// @throws SqlException 40001 if the transaction has lost a conflict; it is rolled back then
    void commitTransaction() {
        Transaction current = transaction;
        if (current == null) {
            return;
        }
        try {
            beforeCommit.run();
            register(current);
            transaction = null;
            progress.commit();
            CommitOutcome outcome = commit(current);
            if (!(outcome instanceof CommitOutcome.Committed)) {
                throw EngineFailures.of(outcome, database.catalog());
            }
        } finally {
            if (transaction != null) {
                endWithoutCommit();
            }
        }
    }

    /// The rows that others had better not change now: the block's until it ends, as what is run
    /// again changes them again.
    RowClaims.Block claims() {
        return claims;
    }

    /// Whether it is running, and has a savepoint that can be returned to.
    boolean isReturnable() {
        return transaction != null && !savepoints.isEmpty();
    }

    /// Undoes what there is; the block stays open as it was at its begin.
    void restart() {
        savepoints.clear();
        if (transaction != null) {
            endWithoutCommit();
        }
    }

    /// Ends the transaction of an idle block, where an advisory lock is what the block is for: it
    /// begins again with the next statement that needs it, and a schema change does not wait until
    /// then.
    void setAside() {
        if (transaction != null
                && schema == null
                && locks.isOfTransaction()
                && savepoints.isEmpty()) {
            isSetAside = true;
            claims.end();
            endWithoutCommit();
        }
    }

    /// Whether the transaction was ended for a schema change; not any more from now on.
    boolean endSetAside() {
        boolean wasSetAside = isSetAside;
        isSetAside = false;
        return wasSetAside;
    }

    /// The advisory locks of the session.
    SessionLocks locks() {
        return locks;
    }

    private void register(Transaction current) {
        try {
            requirements.register(current);
        } catch (TransactionAborted e) {
            CommitOutcome abort = Objects.requireNonNull(lease.session().abortOutcome());
            throw EngineFailures.of(abort, database.catalog());
        }
    }

    private CommitOutcome commit(Transaction current) {
        BlockSchema changed = schema;
        if (changed == null) {
            return lease.session().commit();
        }
        schema = null;
        try {
            return changed.commit(current, settings.schemaWaitMillis());
        } finally {
            temporary.settle();
        }
    }

    /// The engine's transaction is rolled back, and what DDL has changed.
    private void endWithoutCommit() {
        BlockSchema changed = schema;
        transaction = null;
        schema = null;
        if (changed == null) {
            lease.session().rollback();
        } else {
            temporary.rolledBack();
            changed.rollback();
        }
    }

    /// Undoes what there is, and ends the block.
    void rollback() {
        try {
            if (transaction != null) {
                endWithoutCommit();
            }
        } finally {
            end(false);
        }
    }

    /// Ends the block, whose transaction has ended.
    void end(boolean isCommitted) {
        if (isBlock()) {
            if (isCommitted) {
                settings.commit();
            } else {
                settings.rollback();
            }
        }
        savepoints.clear();
        claims.end();
        cursors.ended(isCommitted);
        isSetAside = false;
        isImplicit = false;
        status = TransactionStatus.IDLE;
        locks.rollbackTo(0);
    }

    /// A statement has failed: in a block, only a rollback helps. Without a savepoint to roll back
    /// to, the engine's transaction ends at once and blocks no other session.
    void fail() {
        if (!isBlock()) {
            rollback();
            return;
        }
        status = TransactionStatus.FAILED;
        claims.end();
        locks.rollbackTo(savepoints.isEmpty() ? 0 : savepoints.getLast().locks);
        if (savepoints.isEmpty() && transaction != null) {
            endWithoutCommit();
        }
    }

    void savepoint(Name name) {
        savepoints.add(
                new NamedSavepoint(
                        name.text(),
                        transaction().savepoint(),
                        requirements.mark(),
                        cursors.mark(),
                        locks.mark(),
                        settings.save(),
                        schema == null ? null : schema.mark()));
    }

    /// @throws SqlException 3B001 if there is none of this name
    void rollbackTo(Name name) {
        int at = find(name);
        NamedSavepoint savepoint = savepoints.get(at);
        Objects.requireNonNull(transaction).rollbackTo(savepoint.mark);
        requirements.truncate(savepoint.requirements);
        cursors.rollbackTo(savepoint.cursors);
        locks.rollbackTo(savepoint.locks);
        if (schema != null && savepoint.schema != null) {
            schema.rollbackTo(savepoint.schema);
        } else if (schema != null) {
            schema.rollbackAll();
        }
        settings.restore(savepoint.saved);
        savepoints.subList(at + 1, savepoints.size()).clear();
        status = TransactionStatus.ACTIVE;
    }

    /// @throws SqlException 3B001 if there is none of this name
    void release(Name name) {
        int at = find(name);
        Objects.requireNonNull(transaction).release(savepoints.get(at).mark);
        savepoints.subList(at, savepoints.size()).clear();
    }

    private int find(Name name) {
        for (int i = savepoints.size() - 1; i >= 0; i--) {
            if (savepoints.get(i).name.equals(name.text())) {
                return i;
            }
        }
        throw new SqlException(
                SqlState.INVALID_SAVEPOINT,
                "savepoint \"" + name.text() + "\" does not exist",
                name.position());
    }

    /// The cursors that the session has declared.
    SqlCursors cursors() {
        return cursors;
    }

    @Override
    public SqlTable table(String name) {
        return Objects.requireNonNull(catalog().find(name), name);
    }

    @Override
    public TableConstraints constraints(SqlTable table) {
        return compiler().constraints(table);
    }

    @Override
    public long nextRowId() {
        return lease.rowIds().next();
    }

    @Override
    public StatementProgress progress() {
        return progress;
    }

    @Override
    public ReferenceRequirements requirements() {
        return requirements;
    }
}
