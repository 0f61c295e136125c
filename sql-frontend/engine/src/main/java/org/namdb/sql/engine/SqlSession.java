package org.namdb.sql.engine;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.copy.CopySource;
import org.namdb.sql.engine.copy.CopyTarget;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session of a database: runs statements, one at a time, for one thread at a time; only
/// [#cancel] is for others. A statement outside of a transaction block is a transaction of its own.
/// One that changes rows is tried again by itself when it loses a conflict, and a block where its
/// statements give the same again; else that is error 40001, and the program runs the whole block
/// again.
///
/// Transactions run in snapshot isolation, which PostgreSQL calls REPEATABLE READ; READ COMMITTED
/// gets the same. DDL is part of a block as other changes are; other sessions see it when it is
/// committed.
public final class SqlSession implements AutoCloseable {
    private final SqlDatabase database;
    private final SessionLease lease;
    private final Settings settings = new Settings();
    private final SessionUser user;
    private final TransactionBlock block;
    private final RunningStatement running;
    private final SessionActivity activity;
    private final PlannedStatements planned;
    private final SessionStatements statements;
    private final NamedStatements named = new NamedStatements();
    private final BlockReplay replay;
    private boolean isClosed;

    SqlSession(SqlDatabase database, SessionLease lease, int number, @Nullable CopyFiles files) {
        this.database = database;
        this.lease = lease;
        settings.setDefault(Settings.DURABILITY, database.engine().durability().toString());
        long mostBytes = database.engine().options().transactionMemoryBytes() / 2;
        settings.setDefault(Settings.TRANSACTION_MEMORY, (mostBytes >> 20) + "MB");
        SessionLocks locks = new SessionLocks(database, number, this::makeWay);
        this.block = new TransactionBlock(database, lease, settings, locks);
        this.activity = new SessionActivity(database.statistics(), database.host(), number);
        this.running = new RunningStatement(lease, block, settings, activity);
        this.user = new SessionUser(block::catalog, settings);
        SessionSettings context =
                new SessionSettings(
                        settings,
                        user,
                        block,
                        number,
                        running::endedVerbs,
                        this::snapshot,
                        new SessionSequences(
                                block::sequences,
                                name -> block.catalog().meantSequence(name),
                                user::authority,
                                () -> lease.isHeld() ? lease.session() : null,
                                block::isReadOnly),
                        locks,
                        named);
        this.planned =
                new PlannedStatements(
                        database,
                        lease,
                        settings,
                        block,
                        running,
                        new SplittableRandom(database.nextSeed()),
                        context,
                        user);
        context.callBy(planned);
        block.beforeCommit(planned.ddl()::endTemporary);
        this.statements = new SessionStatements(planned, block, settings, context, files, named);
        this.replay = new BlockReplay(planned, statements, block, settings, running);
    }

    /// Runs one statement.
    ///
    /// @param sql the text; a semicolon may end it
    /// @param parameters the values of `?` or `$1`, `$2`, in order: strings, numbers, dates of
    ///     java.time, byte arrays, UUIDs; null for NULL
    /// @throws SqlException if it can't be done; nothing of it has happened
    public Result execute(String sql, @Nullable Object... parameters) {
        running.closeResult();
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
            running.closeResult();
            CompiledStatement compiled = compile(script, statement);
            try (Result result = run(compiled)) {
                results.accept(result);
                while (result.next()) {
                    // a query that is not read to its end runs to its end, and may fail
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
    /// @param declared the types of the first parameters; UNKNOWN for one that the statement
    ///     determines
    /// @throws SqlException if it has no meaning
    public PreparedStatement prepare(String sql, List<SqlType> declared) {
        return new PreparedStatement(this, compile(sql, declared));
    }

    /// Prepares a statement that EXECUTE and DEALLOCATE know by a name, too.
    ///
    /// @throws SqlException if it has no meaning, or 42P05 if there is one of this name
    public PreparedStatement prepare(String name, String sql, List<SqlType> declared) {
        named.requireFree(new Name(name, Position.NONE));
        CompiledStatement compiled = compile(sql, declared);
        return new PreparedStatement(
                this, compiled, named.add(name, compiled, block.statementTime(), false));
    }

    /// Whether a statement of this name is prepared.
    public boolean isPrepared(String name) {
        return named.contains(name);
    }

    /// Drops the prepared statement of a name.
    ///
    /// @throws SqlException 26000 if there is none
    public void deallocate(String name) {
        named.remove(new Name(name, Position.NONE));
    }

    /// Prepares one statement of a script.
    ///
    /// @param script what was parsed, for the places of errors
    /// @param statement one of [SqlParser#parse]
    /// @throws SqlException if it has no meaning
    public PreparedStatement prepare(String script, Statement statement) {
        requireOpen();
        return new PreparedStatement(this, compile(script, statement));
    }

    /// Lets other sessions run while the open result is not read; [#resume] ends that. The time of
    /// statement_timeout starts again then.
    public void suspend() {
        running.suspend();
    }

    /// Before the open result is read on after [#suspend].
    ///
    /// @throws SqlException if it can't be; it is closed then
    public void resume() {
        running.resume();
    }

    /// Runs `COPY table FROM STDIN` of text or CSV.
    ///
    /// @param data the rows, in the format that the statement names
    /// @return how many rows came in
    /// @throws SqlException 22P04 if the data is malformed; nothing of it was kept
    public long copyIn(String sql, Reader data) {
        return copy(sql, compiled -> statements.copy(compiled, CopySource.of(data), null));
    }

    /// The same of bytes: of the binary format too, while text is UTF-8.
    public long copyIn(String sql, InputStream data) {
        return copy(sql, compiled -> statements.copy(compiled, CopySource.of(data), null));
    }

    /// Runs `COPY table TO STDOUT`, or of a query, as text or CSV.
    ///
    /// @param out gets the rows, in the format that the statement names
    /// @return how many rows went out
    public long copyOut(String sql, Writer out) {
        return copy(sql, compiled -> statements.copy(compiled, null, CopyTarget.of(out)));
    }

    /// The same as bytes: in the binary format too, while text is UTF-8. Each row is written at
    /// once.
    public long copyOut(String sql, OutputStream out) {
        return copy(sql, compiled -> statements.copy(compiled, null, CopyTarget.of(out)));
    }

    private long copy(String sql, Function<CompiledStatement, Result> run) {
        running.closeResult();
        CompiledStatement compiled = compile(sql);
        return copy(compiled, () -> run.apply(compiled)).rowCount();
    }

    /// Runs COPY.
    ///
    /// @param in STDIN, if there is one
    /// @param out STDOUT, if there is one
    Result copy(CompiledStatement compiled, @Nullable CopySource in, @Nullable CopyTarget out) {
        requireOpen();
        return copy(compiled, () -> statements.copy(compiled, in, out));
    }

    private Result copy(CompiledStatement compiled, Supplier<Result> copy) {
        return running.run(
                compiled,
                () -> {
                    replay.goOnWithoutReplay();
                    return copy.get();
                });
    }

    /// The messages that procedures and functions have raised, by RAISE NOTICE, since the last
    /// result was read for [its own][Result#notices]: those of a statement that has failed.
    public List<Notice> takeNotices() {
        return running.takeNotices();
    }

    /// The columns of the rows that a statement gives, before it is run.
    List<ResultColumn> columns(CompiledStatement compiled) {
        if (compiled.statement() instanceof Statement.DeclareCursor) {
            return List.of();
        }
        return compiled.statement() instanceof Statement.Plain plain && !compiled.isPlanned()
                ? statements.columns(plain)
                : compiled.columns();
    }

    /// The columns of a cursor that the session has declared; null if there is none of this name.
    public @Nullable List<ResultColumn> cursorColumns(String name) {
        return block.cursors().columns(name);
    }

    /// The client has bound a portal: `pg_cursors` shows it, and what closes cursors closes it.
    public void addPortal(String name, String text) {
        block.cursors().addPortal(name, text, database.instant());
    }

    /// Whether a portal is bound that neither a statement nor [#removePortal] has closed.
    public boolean isPortal(String name) {
        return block.cursors().isPortal(name);
    }

    /// The client has closed a portal.
    public void removePortal(String name) {
        block.cursors().removePortal(name);
    }

    /// The state of the session.
    public TransactionStatus status() {
        return block.status();
    }

    /// The block that was begun just now is *implicit*: it is of statements that came together, and
    /// none of them is BEGIN. It has no savepoints.
    public void setImplicitBlock() {
        block.setImplicit();
    }

    /// Whether an implicit block is open.
    public boolean isImplicitBlock() {
        return block.isImplicit();
    }

    /// Makes the running statement fail with 57014; does nothing if none runs. For any thread.
    public void cancel() {
        running.cancel();
    }

    /// Makes the running statement fail with 57014, and all later ones with 57P01, until the
    /// session is closed. For any thread.
    public void terminate() {
        running.terminate();
    }

    /// How far the running statement is, or the last one. For any thread.
    public StatementProgress.State progress() {
        StatementProgress.State state = block.progress().state();
        return running.isRollingBack() ? state.in(StatementProgress.Phase.ROLLING_BACK) : state;
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
                slotNumber(),
                block.isRunning() && transaction != null ? transaction.writeCount() : 0,
                lease.isHeld() ? lease.session().oldVersionBytes() : 0);
    }

    /// The verbs that the last statement has cost so far; none if the session is one of a
    /// [SessionPool] and holds no slot now.
    public VerbTally lastVerbs() {
        return running.verbs();
    }

    /// What the session does. For any thread.
    public SessionActivity activity() {
        return activity;
    }

    /// The tables.
    public SqlCatalog catalog() {
        return block.catalog();
    }

    /// The number of the session's slot in the timestamp vector; -1 if it is one of a
    /// [SessionPool] and holds no slot now.
    public int slotNumber() {
        return lease.isHeld() ? lease.session().slotNumber() : -1;
    }

    /// The value of a setting, as SHOW gives it.
    ///
    /// @throws SqlException 42704 if there is none of this name
    public String setting(String name) {
        return name.equalsIgnoreCase(Settings.IS_SUPERUSER)
                ? user.authority().isSuperuser() ? "on" : "off"
                : settings.show(name);
    }

    /// The session's time zone, in which it reads and shows moments.
    public ZoneId zone() {
        return settings.zone();
    }

    /// A number that changes when a setting does.
    public long settingsVersion() {
        return settings.version();
    }

    /// Makes the session another role's: it may do what that may. At first it is that of the
    /// superuser that every database has.
    ///
    /// @param role a role of the database
    public void authenticate(Role role) {
        user.authenticate(role);
    }

    /// Sets the value of a setting before SET, and after RESET.
    ///
    /// @throws SqlException 42704 if there is none of this name, 22023 if it can't have the value,
    ///     42501 if it is a role that the session can't take
    public void setDefault(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (SessionUser.isSetting(lower)) {
            user.requireAllowed(lower, value);
        }
        settings.setDefault(name, value);
    }

    /// What idle_in_transaction_session_timeout is, in milliseconds; 0 for no limit.
    public long idleInTransactionTimeoutMillis() {
        return settings.idleInTransactionTimeoutMillis();
    }

    /// A request of the client that is no statement has failed, as one for the rows of a portal
    /// that does not exist: the open result is closed, and an open block has failed.
    public void fail() {
        try {
            running.closeResult();
        } catch (SqlException e) {
            // the client gets the earlier failure
        }
        boolean _ =
                running.undisturbed(() -> {
                    replay.giveUp();
                    block.fail();
                    return true;
                });
    }

    /// A schema change waits for this session. For any thread.
    private void makeWay() {
        running.ifIdle(() -> {
            if (replay.isRepeatable() && block.status() == TransactionStatus.ACTIVE) {
                block.setAside();
            }
        });
    }

    /// Has `sqlj.install_jar` and `sqlj.remove_jar` refused from now on: a procedure may do what
    /// this process may.
    public void refuseJars() {
        planned.refuseJars();
    }

    /// Ends the session; what is not committed is rolled back.
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            running.closeResult();
        } catch (SqlException e) {
            // what was lost is the commit of a query, which changes nothing
        } finally {
            FirstFailure failures = new FirstFailure();
            failures.attempt(() -> running.undisturbed(this::endBlock));
            failures.attempt(block.cursors()::closeAll);
            failures.attempt(block.locks()::close);
            failures.attempt(lease::close);
            failures.attempt(block.temporary()::close);
            database.sessionClosed(this);
            failures.rethrow();
        }
    }

    private boolean endBlock() {
        block.rollback();
        return true;
    }

    CompiledStatement current(CompiledStatement compiled) {
        return running.undisturbed(() -> planned.current(compiled));
    }

    /// Runs a statement with its parameters.
    Result run(CompiledStatement compiled, @Nullable Object... parameters) {
        requireOpen();
        return running.run(
                compiled,
                () -> {
                    @Nullable Object[] values =
                            ParameterValues.of(
                                    parameters, compiled.parameterTypes(), settings.zone());
                    return replay.run(compiled, values, () -> dispatch(compiled, values));
                });
    }

    private Result dispatch(CompiledStatement compiled, @Nullable Object[] values) {
        if (compiled.statement() instanceof Statement.DeclareCursor declare) {
            return planned.declare(declare, compiled, values);
        }
        if (compiled.query() != null) {
            return planned.query(compiled, values);
        }
        if (compiled.change() != null) {
            return planned.change(compiled, values);
        }
        if (compiled.call() != null) {
            return planned.call(compiled, values);
        }
        Result result =
                switch (compiled.statement()) {
                    case DdlStatement definition -> planned.ddl().run(definition);
                    case Statement.Plain plain -> statements.run(plain, compiled);
                };
        return result instanceof ListResult list ? list.withNotices(settings::shows) : result;
    }

    private CompiledStatement compile(String sql) {
        return compile(sql, List.of());
    }

    private CompiledStatement compile(String sql, List<SqlType> declared) {
        requireOpen();
        try {
            return running.undisturbed(() -> block.compiler().compile(sql, declared, block.open()));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw failed(sql, e);
        }
    }

    private CompiledStatement compile(String script, Statement statement) {
        try {
            return running.undisturbed(
                    () -> block.compiler().compile(script, statement, List.of(), block.open()));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw failed(script, e);
        }
    }

    /// In a failed block no name is looked up, but texts are parsed.
    private RuntimeException failed(String text, Throwable e) {
        boolean isAborted =
                status() == TransactionStatus.FAILED
                        && e instanceof SqlException error
                        && error.state() != SqlState.SYNTAX_ERROR;
        return running.failed(text, isAborted ? RunningStatement.aborted() : e);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the session is closed");
        }
    }
}
