package org.namdb.sql.engine;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.ddl.RoutineErrors;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.execute.ExecutionOptions;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.plpgsql.Program;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.result.Result;

/// Runs a session's queries, its changes of rows, and its DDL. All others are [SessionStatements].
final class PlannedStatements {
    private static final long FIRST_PAUSE_NANOS = 2_000;
    private static final int MAX_DOUBLINGS = 9;

    /// How long DDL sleeps that waits for that of another session.
    private static final long SCHEMA_LOCK_NANOS = 1_000_000;

    /// How deep procedures and functions may call each other: a thread's usual stack is enough.
    private static final int MAX_DEPTH = 150;

    private final SqlDatabase database;
    private final SessionLease lease;
    private final Settings settings;
    private final TransactionBlock block;
    private final RunningStatement running;
    private final SplittableRandom random;
    private final SessionContext session;
    private final SessionUser user;
    private final SessionDdl ddl;

    /// How many procedures and functions run, each called by the one before.
    private int depth;

    /// Whether its user may not change what procedures there are.
    private boolean refusesJars;

    /// Those of the last execution: most have the same.
    private @Nullable ExecutionOptions options;

    PlannedStatements(
            SqlDatabase database,
            SessionLease lease,
            Settings settings,
            TransactionBlock block,
            RunningStatement running,
            SplittableRandom random,
            SessionContext session,
            SessionUser user) {
        this.database = database;
        this.lease = lease;
        this.settings = settings;
        this.block = block;
        this.running = running;
        this.random = random;
        this.session = session;
        this.user = user;
        this.ddl = new SessionDdl(this, database, lease, settings, block, session, user);
    }

    void refuseJars() {
        refusesJars = true;
    }

    /// @throws org.namdb.compute.StatementCancelledException if the running statement is cancelled
    void checkCancelled() {
        lease.session().checkCancelled();
    }

    SqlDatabase database() {
        return database;
    }

    /// The plan of a statement for the schema as it is now.
    CompiledStatement current(CompiledStatement compiled) {
        return block.compiler().current(compiled, block.open());
    }

    /// What the session's role may do, now.
    Authority authority() {
        return user.authority();
    }

    /// The plan of a statement for the schema as it is now, which the session's role may run.
    ///
    /// @throws SqlException 42501 if it may not
    CompiledStatement allowed(CompiledStatement compiled) {
        CompiledStatement current = current(compiled);
        current.rights().check(user.authority());
        return current;
    }

    /// Opens a query.
    Result query(CompiledStatement compiled, @Nullable Object[] values) {
        return query(compiled, values, UnaryOperator.identity());
    }

    /// Opens a query.
    ///
    /// @param kept what is read of its rows
    Result query(
            CompiledStatement compiled,
            @Nullable Object[] values,
            UnaryOperator<TupleCursor> kept) {
        requireReadable(compiled);
        boolean isFirst = !block.isRunning();
        Transaction transaction = block.transaction();
        CompiledStatement current = allowed(compiled);
        if (isFirst && current.isOfSession()) {
            block.restart(); // it reads nothing: no schema change waits while it waits
        }
        return running.open(
                "SELECT", current.columns(), kept.apply(open(transaction, current, values)));
    }

    /// The rows of a query, which is not the running statement.
    TupleCursor tuples(CompiledStatement compiled, @Nullable Object[] values) {
        Transaction transaction = block.transaction();
        return open(transaction, allowed(compiled), values);
    }

    private TupleCursor open(
            Transaction transaction, CompiledStatement current, @Nullable Object[] values) {
        QueryPlan plan = Objects.requireNonNull(current.query());
        return execution(transaction, values, false).open(plan);
    }

    /// Runs a query to its end, and keeps its rows for FETCH.
    Result declare(
            Statement.DeclareCursor declare,
            CompiledStatement compiled,
            @Nullable Object[] values) {
        if (!declare.isHeld() && !block.isBlock()) {
            throw new SqlException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    "DECLARE CURSOR can only be used in transaction blocks",
                    declare.position());
        }
        block.cursors().requireFree(declare.name());
        requireReadable(compiled);
        Transaction transaction = block.transaction();
        CompiledStatement current = allowed(compiled);
        QueryPlan plan = Objects.requireNonNull(current.query());
        SqlCursor cursor =
                new SqlCursor(
                        current.columns(),
                        execution(transaction, values, false).collect(plan),
                        declare.isForwardOnly());
        block.cursors().add(declare, cursor, compiled.text(), block.statementTime());
        if (!block.isBlock()) {
            block.commit();
        }
        return ListResult.done("DECLARE CURSOR", running.takeNotices());
    }

    /// Gives the rows of a cursor, or goes past them.
    Result fetch(Statement.FetchCursor fetch) {
        SqlCursor cursor = block.cursors().find(fetch.name());
        return fetch.isMove()
                ? ListResult.done("MOVE " + cursor.move(fetch), List.of())
                : running.open("FETCH", cursor.columns(), cursor.fetch(fetch));
    }

    /// Runs an INSERT, UPDATE or DELETE; outside of a block, as often as needed to win.
    Result change(CompiledStatement compiled, @Nullable Object[] values) {
        requireWritable(compiled.verb());
        return retryConflicts(() -> {
            Transaction transaction = block.transaction();
            return changeOnce(transaction, allowed(compiled), values);
        });
    }

    /// Claims the row that a change or a locking read of a block is about, if that is one by its
    /// primary key.
    ///
    /// @param isPatient whether to wait for other blocks that have claimed it
    /// @return whether it has waited
    boolean claim(CompiledStatement compiled, @Nullable Object[] values, boolean isPatient) {
        ChangePlan change = compiled.change();
        PlanForecast.PointRead read =
                change == null
                        ? PlanForecast.stableRead(Objects.requireNonNull(compiled.query()).root())
                        : change.onlyRow();
        if (read == null) {
            return false;
        }
        EvaluationFrame frame = execution(block.transaction(), values, false).frame();
        @Nullable Object[] key = new @Nullable Object[read.key().size()];
        for (int i = 0; i < key.length; i++) {
            key[i] = read.key().get(i).evaluate(frame);
        }
        int table = read.table().records().id();
        boolean isWaiting = !block.claims().claim(table, key) && isPatient;
        if (isWaiting) {
            running.stepAside(
                    () -> block.claims().claimPatiently(table, key, this::checkCancelled));
        }
        return isWaiting;
    }

    /// Runs a change in the open transaction.
    Result changeOnce(
            Transaction transaction, CompiledStatement current, @Nullable Object[] values) {
        String verb = current.verb();
        ChangePlan.ChangeResult done = changed(transaction, current, values);
        return new ListResult(
                current.columns(),
                done.returned(),
                verb.equals("INSERT") ? "INSERT 0 " + done.count() : verb + " " + done.count(),
                done.count(),
                List.of(),
                block.zone());
    }

    /// Runs a change in the open transaction.
    ChangePlan.ChangeResult changed(
            Transaction transaction, CompiledStatement current, @Nullable Object[] values) {
        requireWritable(current.verb());
        return run(transaction, current, values);
    }

    /// Deletes all rows of a table, whatever the session's role may do.
    void deleteAll(Transaction transaction, String table) {
        CompiledStatement delete =
                block.compiler()
                        .compile("DELETE FROM " + Keywords.quoted(table), List.of(), transaction);
        ChangePlan.ChangeResult _ = run(transaction, delete, new @Nullable Object[0]);
    }

    private ChangePlan.ChangeResult run(
            Transaction transaction, CompiledStatement current, @Nullable Object[] values) {
        ChangePlan plan = Objects.requireNonNull(current.change());
        return plan.run(new ChangeRun(block, execution(transaction, values, false)));
    }

    /// Calls a procedure: outside of a block as a transaction, as often as needed to win. The
    /// version stays the same.
    Result call(CompiledStatement compiled, @Nullable Object[] values) {
        database.jars().refreshIfStale(block.transaction());
        running.dropNotices();
        CallPlan plan = Objects.requireNonNull(allowed(compiled).call());
        if (plan.version().isUtility()) {
            return callUtility(plan, values);
        }
        int[] attempts = new int[1];
        boolean isDone = false;
        long begin = database.host().nanoTime();
        try {
            Result result =
                    retryConflicts(
                            settings.procedureAttempts(),
                            () -> {
                                attempts[0]++;
                                running.dropNotices(); // of an attempt that has lost
                                return callOnce(plan, values);
                            });
            isDone = true;
            return result;
        } finally {
            plan.version()
                    .statistics()
                    .ended(
                            isDone,
                            attempts[0],
                            database.host().nanoTime() - begin,
                            running.verbs());
        }
    }

    private Result callUtility(CallPlan plan, @Nullable Object[] values) {
        String name = plan.version().name();
        if (refusesJars) {
            throw new SqlException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for " + name)
                    .withHint(
                            "A procedure may do what the server's process may. Clients submit some"
                                    + " only if the server was started with --allow-procedures.");
        }
        requireWritable(name);
        if (block.isBlock()) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION, name + " cannot run inside a transaction block");
        }
        Transaction transaction = block.transaction();
        @Nullable Object[] arguments = arguments(plan, values);
        block.rollback(); // it was only for the arguments
        new JarStatements(database, user).run(name, arguments, transaction::checkCancelled);
        return called(plan, plan.shown(List.of(), block.zone()));
    }

    /// Calls a procedure in the open transaction.
    Result callOnce(CallPlan plan, @Nullable Object[] values) {
        return called(plan, rowsOf(plan, values));
    }

    /// The rows of a call in the open transaction.
    List<@Nullable Object[]> rowsOf(CallPlan plan, @Nullable Object[] values) {
        ProcedureVersion version = plan.version();
        requireExecute(version);
        @Nullable Object[] arguments = arguments(plan, values);
        Routine routine = version.routine();
        if (routine != null && routine.isStrict() && Arrays.asList(arguments).contains(null)) {
            return version.isSet() ? List.of() : plan.shown(nulls(version), block.zone());
        }
        return plan.shown(run(version, arguments), block.zone());
    }

    private static List<@Nullable Object[]> nulls(ProcedureVersion version) {
        return List.<@Nullable Object[]>of(new @Nullable Object[version.columns().size()]);
    }

    private List<@Nullable Object[]> run(ProcedureVersion version, @Nullable Object[] arguments) {
        if (depth >= MAX_DEPTH) {
            throw new SqlException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                    .withDetail(
                            "Procedures and functions call each other at most %d levels deep."
                                    .formatted(MAX_DEPTH));
        }
        depth++;
        try {
            return new RunningProcedure(this, block, running, version).run(arguments);
        } finally {
            depth--;
        }
    }

    /// Runs a block without a name as a procedure is called.
    Result runBlock(Statement.Do statement) {
        ProcedureVersion version;
        try {
            version =
                    ProcedureVersion.once(
                            RunningProcedure.block(statement, block.catalog()),
                            Program.block(statement.body()));
        } catch (SqlException e) {
            throw RoutineErrors.inBody(
                    e, Program.BLOCK, statement.bodyPosition(), statement.position());
        }
        return retryConflicts(
                settings.procedureAttempts(),
                () -> {
                    running.dropNotices(); // of an attempt that has lost
                    Object _ = run(version, new @Nullable Object[0]);
                    return ListResult.done("DO", running.takeNotices());
                });
    }

    /// Calls a function in an expression, in the open transaction.
    ///
    /// @return its value; a row as its text
    @Nullable Object callFunction(String name, @Nullable Object[] arguments) {
        ProcedureVersion version = function(name);
        List<@Nullable Object[]> rows = run(version, arguments);
        if (version.columns().isEmpty()) {
            return version.nothing();
        }
        @Nullable Object[] row = rows.getFirst();
        Routine routine = version.routine();
        boolean isRow = row.length > 1 || routine != null && routine.rowTable() != null;
        return isRow ? Program.rowText(version.columns(), row, block.zone()) : row[0];
    }

    /// Calls a function in FROM, in the open transaction.
    ///
    /// @return its rows
    List<@Nullable Object[]> callRows(String name, @Nullable Object[] arguments) {
        return run(function(name), arguments);
    }

    private ProcedureVersion function(String name) {
        ProcedureVersion version = block.procedures().find(name);
        if (version == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_FUNCTION, "function " + name + " does not exist");
        }
        requireExecute(version);
        return version;
    }

    private void requireExecute(ProcedureVersion version) {
        Authority authority = user.authority();
        if (!authority.isSuperuser()) {
            authority.require(
                    Securable.PROCEDURE,
                    version.name(),
                    version.ownership(authority.roles()),
                    Privilege.EXECUTE.bit());
        }
    }

    private Result called(CallPlan plan, List<@Nullable Object[]> rows) {
        return new ListResult(
                plan.columns(),
                rows,
                plan.isSelect() ? "SELECT " + rows.size() : "CALL",
                rows.size(),
                running.takeNotices(),
                block.zone());
    }

    private @Nullable Object[] arguments(CallPlan plan, @Nullable Object[] values) {
        EvaluationFrame frame = execution(block.transaction(), values, false).frame();
        @Nullable Object[] arguments = new @Nullable Object[plan.arguments().size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = plan.arguments().get(i).evaluate(frame);
        }
        return arguments;
    }

    /// Runs a change of rows, and outside of a block commits it: again after a conflict, as often
    /// as the setting allows.
    ///
    /// @throws SqlException 40001 if it has lost each time
    <R> R retryConflicts(Supplier<R> change) {
        return retryConflicts(settings.attempts(), change);
    }

    private <R> R retryConflicts(int most, Supplier<R> change) {
        if (block.isBlock()) {
            return change.get();
        }
        SessionLocks.Counts locks = block.locks().counts();
        for (int attempt = 1; ; attempt++) {
            try {
                R done = change.get();
                block.commit();
                return done;
            } catch (RuntimeException e) {
                SqlException failure = running.errorOf(e);
                boolean isConflict = failure.state() == SqlState.SERIALIZATION_FAILURE;
                if (!isConflict || attempt >= most) {
                    throw failure;
                }
                block.rollback();
                block.locks().releaseSince(locks);
                pause(attempt);
            }
        }
    }

    /// Waits a short while after a lost conflict.
    void pause(int attempt) {
        long longest = FIRST_PAUSE_NANOS << Math.min(attempt, MAX_DOUBLINGS);
        running.stepAside(database.host(), random.nextLong(longest));
    }

    /// Runs DDL of the session.
    SessionDdl ddl() {
        return ddl;
    }

    /// Runs a statement as a block of its own.
    Result inBlock(Supplier<Result> statement) {
        block.begin();
        boolean isDone = false;
        try {
            Result result = statement.get();
            block.commit();
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                block.rollback();
            }
        }
    }

    /// Lets others run while DDL waits for that of another session.
    void stepAside() {
        stepAside(SCHEMA_LOCK_NANOS);
    }

    /// Lets others run while a statement waits.
    void stepAside(long nanos) {
        checkCancelled();
        running.stepAside(database.host(), nanos);
    }

    Explanation explanation(@Nullable Object[] parameters) {
        return new Explanation(this, block, lease.session(), parameters);
    }

    /// What a plan is run with.
    Execution execution(Transaction transaction, @Nullable Object[] values, boolean isMeasured) {
        return new Execution(transaction, values, options(isMeasured), lease.session().counters());
    }

    private ExecutionOptions options(boolean isMeasured) {
        ExecutionOptions known = options;
        long workMemBytes = settings.workMemBytes();
        if (known == null
                || known.isMeasured() != isMeasured
                || known.workMemoryBytes() != workMemBytes
                || known.temporaryFileLimitBytes() != settings.tempFileLimitBytes()) {
            known =
                    new ExecutionOptions(
                            block,
                            random::nextLong,
                            workMemBytes,
                            Settings.DEFAULT_TEMP_DIRECTORY,
                            settings.tempFileLimitBytes(),
                            isMeasured,
                            database.host()::nanoTime,
                            session,
                            block.progress());
            options = known;
        }
        return known;
    }

    /// @throws SqlException 25006 if a query locks rows, and the transaction may not
    void requireReadable(CompiledStatement query) {
        if (query.statement() instanceof Statement.Select select && select.query().isForUpdate()) {
            requireWritable("SELECT FOR UPDATE");
        }
    }

    /// @throws SqlException 25006 if the transaction may not change anything
    void requireWritable(String statement) {
        if (block.isReadOnly()) {
            throw new SqlException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "cannot execute " + statement + " in a read-only transaction");
        }
    }
}
