package org.namdb.sql.engine;

import java.io.Reader;
import java.io.Writer;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.define.Definitions;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.execute.ExecutionOptions;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.DefinitionStatement;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.SqlType;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session of a database: runs statements, one at a time, for one thread at a time; only
/// [#cancel] is for others. A statement outside of a transaction block is a transaction of its own.
/// One that changes rows is tried again by itself when it loses a conflict; in a block that is
/// error 40001, and the program runs the whole block again.
///
/// Transactions run in snapshot isolation, which PostgreSQL calls REPEATABLE READ; READ COMMITTED
/// gets the same. Statements that define tables can't stand in a block.
public final class SqlSession implements AutoCloseable {
    private static final long FIRST_PAUSE_NANOS = 2_000;
    private static final int MOST_DOUBLINGS = 9;

    private static final LocalDateTime EPOCH = LocalDate.EPOCH.atStartOfDay();

    private final SqlDatabase database;
    private final Session engine;
    private final Settings settings = new Settings();
    private final RowIds rowIds;
    private final TransactionBlock block;
    private final SessionStatements statements;
    private final SplittableRandom random;
    private final CursorResult.Owner owner = new ResultOwner();
    private @Nullable CursorResult open;
    private String text = "";
    private volatile boolean isRunning;
    private VerbTally before = VerbTally.NOTHING;
    private boolean isClosed;
    private LongConsumer copyProgress = count -> {};

    /// Those of the last execution: most have the same.
    private @Nullable ExecutionOptions options;

    SqlSession(SqlDatabase database, Session engine, @Nullable CopyFiles files) {
        this.database = database;
        this.engine = engine;
        long micros = ChronoUnit.MICROS.between(EPOCH, database.now());
        this.rowIds = new RowIds(engine.slotNumber(), micros);
        this.block = new TransactionBlock(database, engine, settings, rowIds);
        this.statements = new SessionStatements(this, block, settings, files);
        this.random = new SplittableRandom(micros ^ engine.slotNumber());
    }

    /// Runs one statement.
    ///
    /// @param sql the text; a semicolon may end it
    /// @param parameters the values of `?` or `$1`, `$2`, in order: strings, numbers, dates of
    ///     java.time, byte arrays, UUIDs; null for NULL
    /// @throws SqlException if it can't be done; nothing of it has happened
    public Result execute(String sql, @Nullable Object... parameters) {
        closeOpenResult();
        return run(compile(sql), parameters);
    }

    /// Runs all statements of a text, one after the other, until one fails.
    ///
    /// @param script statements, separated by semicolons
    /// @param results gets the result of each; rows that it leaves are skipped
    /// @throws SqlException of the first that can't be done; those before it have happened, except
    ///     those of a transaction block that is still open
    public void run(String script, Consumer<Result> results) {
        for (Statement statement : SqlParser.parse(script)) {
            closeOpenResult();
            CompiledStatement compiled = compile(script, statement);
            try (Result result = run(compiled)) {
                results.accept(result);
                while (result.next()) {
                    // a query that nobody reads to its end runs to its end, and may fail
                }
            }
        }
    }

    /// Prepares a statement.
    ///
    /// @throws SqlException if it has no meaning
    public PreparedStatement prepare(String sql) {
        return new PreparedStatement(this, compile(sql));
    }

    /// Prepares a statement whose parameters have types already.
    ///
    /// @param declared the types of the first parameters; UNKNOWN for one that the statement tells
    /// @throws SqlException if it has no meaning
    public PreparedStatement prepare(String sql, List<SqlType> declared) {
        return new PreparedStatement(this, compile(sql, declared));
    }

    /// Runs `COPY table FROM STDIN`.
    ///
    /// @param data the rows, in the format that the statement names
    /// @return how many rows came in
    /// @throws SqlException 22P04 if the data is malformed; nothing of it was kept
    public long copyIn(String sql, Reader data) {
        return copyIn(sql, data, count -> {});
    }

    /// The same; `progress` is told now and then how many rows have come in so far.
    public long copyIn(String sql, Reader data, LongConsumer progress) {
        closeOpenResult();
        copyProgress = progress;
        CompiledStatement compiled = compile(sql);
        return guarded(compiled, () -> statements.copy(compiled, data, null)).rowCount();
    }

    /// Runs `COPY table TO STDOUT`, or of a query.
    ///
    /// @param out gets the rows, in the format that the statement names
    /// @return how many rows went out
    public long copyOut(String sql, Writer out) {
        closeOpenResult();
        CompiledStatement compiled = compile(sql);
        return guarded(compiled, () -> statements.copy(compiled, null, out)).rowCount();
    }

    /// Where the session stands.
    public TransactionStatus status() {
        return block.status();
    }

    /// Makes the running statement fail with 57014; does nothing if none runs. For any thread.
    public void cancel() {
        if (isRunning) {
            engine.cancel();
        }
    }

    /// The snapshot of the open transaction, or of the last one.
    public SnapshotInfo snapshot() {
        Transaction transaction = block.lastTransaction();
        SortedMap<Integer, Long> slots = new TreeMap<>();
        long sequence = 0;
        if (transaction != null) {
            Snapshot snapshot = transaction.snapshot();
            sequence = snapshot.sequence();
            for (int slot = 0; slot < snapshot.length(); slot++) {
                if (snapshot.timestamp(slot) != 0) {
                    slots.put(slot, snapshot.timestamp(slot));
                }
            }
        }
        long now = database.host().nanoTime();
        return new SnapshotInfo(
                slots,
                sequence,
                block.isRunning() ? Duration.ofNanos(now - block.beganNanos()) : null,
                engine.slotNumber(),
                block.isRunning() && transaction != null ? transaction.writeCount() : 0,
                engine.oldVersionBytes());
    }

    /// The verbs that the last statement has cost so far.
    public VerbTally lastVerbs() {
        return engine.counters().tally().minus(before);
    }

    /// The tables.
    public SqlCatalog catalog() {
        return database.catalog();
    }

    /// The number of the session's slot in the timestamp vector.
    public int slotNumber() {
        return engine.slotNumber();
    }

    /// The value of a setting, as SHOW gives it.
    ///
    /// @throws SqlException 42704 if there is none of this name
    public String setting(String name) {
        return settings.show(name);
    }

    /// Ends the session; what is not committed is rolled back.
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            closeOpenResult();
        } catch (SqlException e) {
            // what was lost is the commit of a query, which changes nothing
        } finally {
            try {
                block.rollback();
            } finally {
                engine.close();
                database.sessionClosed(this);
            }
        }
    }

    CompiledStatement current(CompiledStatement compiled) {
        return database.compiler().current(compiled);
    }

    /// Runs a statement with its parameters.
    Result run(CompiledStatement compiled, @Nullable Object... parameters) {
        return guarded(
                compiled,
                () ->
                        dispatch(
                                compiled,
                                ParameterValues.of(parameters, compiled.parameterTypes())));
    }

    /// Runs a statement: it can be cancelled meanwhile, and what goes wrong becomes an error of
    /// SQL.
    private Result guarded(CompiledStatement compiled, Supplier<Result> statement) {
        requireOpen();
        closeOpenResult();
        text = compiled.text();
        if (block.status() == TransactionStatus.FAILED) {
            requireRecovery(compiled.statement());
        }
        begin();
        boolean isLeftOpen = false;
        try {
            Result result = statement.get();
            isLeftOpen = open != null;
            return result;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw failed(e);
        } finally {
            if (!isLeftOpen) {
                end();
            }
        }
    }

    private Result dispatch(CompiledStatement compiled, @Nullable Object[] values) {
        if (compiled.query() != null) {
            return query(compiled, values);
        }
        if (compiled.change() != null) {
            return change(compiled, values);
        }
        return switch (compiled.statement()) {
            case DefinitionStatement definition -> define(definition);
            case Statement.Plain plain -> statements.run(plain, compiled);
        };
    }

    /// Opens a query.
    Result query(CompiledStatement compiled, @Nullable Object[] values) {
        if (compiled.statement() instanceof Statement.Select select
                && select.query().isForUpdate()) {
            requireWritable("SELECT FOR UPDATE");
        }
        Transaction transaction = block.transaction();
        CompiledStatement current = current(compiled);
        QueryPlan plan = Objects.requireNonNull(current.query());
        Execution execution = execution(transaction, values, false);
        CursorResult result = new CursorResult(owner, current.columns(), execution.open(plan));
        open = result;
        return result;
    }

    /// Runs an INSERT, UPDATE or DELETE; outside of a block, as often as needed to win.
    Result change(CompiledStatement compiled, @Nullable Object[] values) {
        String verb = verb(compiled.statement());
        requireWritable(verb);
        return untilWon(() -> {
            Transaction transaction = block.transaction();
            CompiledStatement current = current(compiled);
            ChangePlan plan = Objects.requireNonNull(current.change());
            ChangePlan.ChangeResult done =
                    plan.run(new ChangeRun(block, execution(transaction, values, false)));
            return new ListResult(
                    current.columns(),
                    done.returned(),
                    verb.equals("INSERT") ? "INSERT 0 " + done.count() : verb + " " + done.count(),
                    done.count(),
                    List.of());
        });
    }

    /// Runs a change of rows, and outside of a block commits it: again after a conflict, as often
    /// as the setting says.
    ///
    /// @throws SqlException 40001 if it has lost each time
    <R> R untilWon(Supplier<R> change) {
        int attempts = block.isBlock() ? 1 : settings.attempts();
        for (int attempt = 1; ; attempt++) {
            try {
                R done = change.get();
                if (!block.isBlock()) {
                    block.commit();
                }
                return done;
            } catch (RuntimeException e) {
                SqlException failure = EngineFailures.of(e, engine.abortOutcome(), catalog());
                boolean isConflict = failure.state() == SqlState.SERIALIZATION_FAILURE;
                if (!isConflict || attempt >= attempts) {
                    throw failure;
                }
                block.rollback();
                pause(attempt);
            }
        }
    }

    private void pause(int attempt) {
        long longest = FIRST_PAUSE_NANOS << Math.min(attempt, MOST_DOUBLINGS);
        engine.admission().leave();
        try {
            database.host().sleep(random.nextLong(longest));
        } finally {
            engine.admission().enter();
        }
    }

    private static String verb(Statement statement) {
        return switch (statement) {
            case Statement.Insert i -> "INSERT";
            case Statement.Update u -> "UPDATE";
            default -> "DELETE";
        };
    }

    private Result define(DefinitionStatement statement) {
        String name = SessionStatements.name(statement);
        requireWritable(name);
        if (block.isBlock()) {
            throw new SqlException(
                            SqlState.ACTIVE_TRANSACTION,
                            name + " cannot run inside a transaction block",
                            statement.position())
                    .withHint(
                            "Definitions take effect at once and can't be rolled back. End the"
                                    + " transaction first.");
        }
        long wait = settings.lockTimeoutMillis();
        SessionDefinitions context = new SessionDefinitions(database, engine, rowIds);
        List<String> tag = new ArrayList<>();
        database.define(
                wait == 0 ? SqlDatabase.DEFINITION_WAIT_MILLIS : wait,
                () -> tag.add(Definitions.run(statement, context)));
        return ListResult.done(tag.getFirst(), context.notices());
    }

    Explanation explanation() {
        return new Explanation(this, block, engine);
    }

    /// What a plan is run with.
    Execution execution(Transaction transaction, @Nullable Object[] values, boolean isMeasured) {
        return new Execution(transaction, values, options(isMeasured), engine.counters());
    }

    private ExecutionOptions options(boolean isMeasured) {
        ExecutionOptions known = options;
        long workMemBytes = settings.workMemBytes();
        if (known == null
                || known.isMeasured() != isMeasured
                || known.workMemoryBytes() != workMemBytes) {
            known =
                    new ExecutionOptions(
                            block::began,
                            random::nextLong,
                            workMemBytes,
                            isMeasured,
                            database.host()::nanoTime);
            options = known;
        }
        return known;
    }

    /// @throws SqlException 25006 if the transaction may not change anything
    void requireWritable(String statement) {
        if (block.isReadOnly()) {
            throw new SqlException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "cannot execute " + statement + " in a read-only transaction");
        }
    }

    private static void requireRecovery(Statement statement) {
        boolean ends =
                statement instanceof Statement.Rollback
                        || statement instanceof Statement.RollbackTo
                        || statement instanceof Statement.Commit;
        if (!ends) {
            throw new SqlException(
                    SqlState.IN_FAILED_TRANSACTION,
                    "current transaction is aborted, commands ignored until end of transaction"
                            + " block");
        }
    }

    /// So many rows of a COPY have come in.
    void copied(long count) {
        copyProgress.accept(count);
    }

    SqlDatabase database() {
        return database;
    }

    private CompiledStatement compile(String sql) {
        return compile(sql, List.of());
    }

    private CompiledStatement compile(String sql, List<SqlType> declared) {
        requireOpen();
        try {
            return database.compiler().compile(sql, declared);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            text = sql;
            throw failed(e);
        }
    }

    private CompiledStatement compile(String script, Statement statement) {
        try {
            return database.compiler().compile(script, statement, List.of());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            text = script;
            throw failed(e);
        }
    }

    /// A statement begins when it is admitted: from now on it can be cancelled, and is when it
    /// takes too long.
    private void begin() {
        before = engine.counters().tally();
        engine.admission().enter();
        engine.clearCancel();
        isRunning = true;
        long millis = settings.statementTimeoutMillis();
        if (millis > 0) {
            engine.cancelAfter(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    private void end() {
        if (!isRunning) {
            return;
        }
        isRunning = false;
        engine.clearCancel();
        if (engine.isOpen()) {
            engine.admission().pause();
        } else {
            engine.admission().leave();
        }
    }

    /// A statement has failed.
    ///
    /// @return the error
    private SqlException failed(Throwable failure) {
        SqlException error = EngineFailures.of(failure, engine.abortOutcome(), catalog());
        try {
            block.fail();
        } catch (FabricException e) {
            error.addSuppressed(e);
        }
        return error.inText(text);
    }

    private void closeOpenResult() {
        CursorResult result = open;
        if (result != null) {
            result.close();
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the session is closed");
        }
    }

    /// What becomes of the session when a query ends.
    private final class ResultOwner implements CursorResult.Owner {
        @Override
        public void ended(CursorResult result) {
            open = null;
            try {
                if (!block.isBlock()) {
                    block.commit();
                }
            } catch (RuntimeException e) {
                throw SqlSession.this.failed(e);
            } finally {
                end();
            }
        }

        @Override
        public RuntimeException failed(CursorResult result, Throwable failure) {
            open = null;
            end();
            return SqlSession.this.failed(failure);
        }
    }
}
