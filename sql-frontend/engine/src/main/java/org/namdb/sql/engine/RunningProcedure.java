package org.namdb.sql.engine;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.schema.Table;
import org.namdb.sql.engine.bind.Variables;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.ddl.RoutineErrors;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.plpgsql.PreparedSql;
import org.namdb.sql.engine.plpgsql.Program;
import org.namdb.sql.engine.plpgsql.ProgramBuilder;
import org.namdb.sql.engine.plpgsql.RoutineContext;
import org.namdb.sql.engine.procedure.LoopCheck;
import org.namdb.sql.engine.procedure.ProcedureContext;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.SqlType;

/// One attempt to run a procedure, in the transaction that is open.
final class RunningProcedure implements ProcedureContext, RoutineContext, CursorResult.Owner {
    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final RunningStatement running;
    private final ProcedureVersion version;
    private final Transaction transaction;
    private final List<CursorResult> open = new ArrayList<>();
    private boolean isEnded;

    RunningProcedure(
            PlannedStatements planned,
            TransactionBlock block,
            RunningStatement running,
            ProcedureVersion version) {
        this.planned = planned;
        this.block = block;
        this.running = running;
        this.version = version;
        this.transaction = block.transaction();
    }

    /// What a routine does that the database holds the source of: its program, which is made when
    /// it is called first.
    static ProcedureVersion.Body body(Routine routine, SqlCatalog catalog) {
        return new ProcedureVersion.Body() {
            private volatile @Nullable Program program;

            @Override
            public List<@Nullable Object[]> run(
                    ProcedureContext context, @Nullable Object[] arguments) {
                Program known = program;
                if (known == null) {
                    known = ProgramBuilder.build(routine, catalog);
                    program = known;
                }
                return known.run((RunningProcedure) context, arguments);
            }
        };
    }

    /// What a DO statement does.
    ///
    /// @throws SqlException if its body has no meaning
    static ProcedureVersion.Body block(Statement.Do statement, SqlCatalog catalog) {
        RoutineErrors.requireLanguage(statement.language(), "DO", statement.position());
        Program program = ProgramBuilder.build(Program.block(statement.body()), catalog);
        return (context, arguments) -> program.run((RunningProcedure) context, arguments);
    }

    /// Runs it.
    ///
    /// @return its rows
    /// @throws SqlException whatever it has thrown
    @SuppressWarnings("CatchingUnchecked") // it is the user's code, and the connection goes on
    List<@Nullable Object[]> run(@Nullable Object[] arguments) {
        try {
            List<@Nullable Object[]> rows =
                    version.routine() == null
                            ? LoopCheck.run(
                                    this::checkCancelled, () -> version.run(this, arguments))
                            : version.run(this, arguments);
            if (transaction.abortOutcome() != null) { // it has caught the conflict
                throw EngineFailures.of(transaction.abortOutcome(), block.catalog());
            }
            return rows;
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw e; // the statement's
        } catch (Throwable e) {
            throw failed(e);
        } finally {
            isEnded = true;
            List.copyOf(open).forEach(CursorResult::close);
        }
    }

    /// What is no failure of the database is one of the procedure. A program says itself where it
    /// was.
    private SqlException failed(Throwable thrown) {
        SqlException failure = running.errorOf(thrown);
        if (version.routine() != null) {
            return failure;
        }
        if (failure.state() != SqlState.INTERNAL_ERROR || thrown instanceof SqlException) {
            return failure.within("procedure " + version.name());
        }
        String message = thrown.getMessage();
        return new SqlException(
                        SqlState.EXTERNAL_ROUTINE_EXCEPTION,
                        message == null ? thrown.getClass().getName() : message)
                .within("procedure " + version.name() + ", " + thrown.getClass().getName())
                .causedBy(thrown);
    }

    @Override
    public Result execute(String sql, @Nullable Object... parameters) {
        requireRunning();
        transaction.checkCancelled();
        try {
            CompiledStatement compiled =
                    planned.allowed(block.compiler().compile(sql, List.of(), transaction));
            @Nullable Object[] values =
                    ParameterValues.of(parameters, compiled.parameterTypes(), block.zone());
            return execute(compiled, values);
        } catch (RuntimeException e) {
            throw running.errorOf(e).within("statement: " + sql);
        }
    }

    private Result execute(CompiledStatement compiled, @Nullable Object[] values) {
        if (compiled.query() != null && !compiled.callsRoutine()) {
            return opened(compiled, execution(values).open(compiled.query()));
        }
        Savepoint savepoint = savepoint();
        try {
            Result result;
            if (compiled.query() != null) {
                // All of it, so that what its functions have changed is undone if it fails.
                result = opened(compiled, execution(values).openCollected(compiled.query()));
            } else if (compiled.change() != null) {
                result = planned.changeOnce(transaction, compiled, values);
            } else if (compiled.call() != null && !compiled.call().version().isUtility()) {
                result = planned.callOnce(compiled.call(), values);
            } else {
                throw unsupported();
            }
            release(savepoint);
            return result;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            SqlException failure = running.errorOf(e); // before an abort is forgiven
            rollbackTo(savepoint);
            throw failure;
        }
    }

    private CursorResult opened(CompiledStatement compiled, TupleCursor tuples) {
        CursorResult result = new CursorResult(this, "SELECT", compiled.columns(), tuples);
        open.add(result);
        return result;
    }

    private static SqlException unsupported() {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, "this can't be run in a procedure")
                .withHint(
                        "A procedure may SELECT, INSERT, UPDATE, DELETE and CALL: it is a"
                                + " transaction, or a part of one.");
    }

    @Override
    public Transaction transaction() {
        requireRunning();
        if (version.routine() == null) {
            planned.requireWritable("a procedure that uses the engine's transaction");
        }
        return transaction;
    }

    @Override
    public Table table(String name) {
        return planned.database().engine().table(name);
    }

    @Override
    public void checkCancelled() {
        transaction.checkCancelled();
    }

    private void requireRunning() {
        if (isEnded) {
            throw new IllegalStateException("the procedure has ended, and its transaction with it");
        }
    }

    @Override
    public List<Notice> notices() {
        return List.of();
    }

    @Override
    public ZoneId zone() {
        return block.zone();
    }

    @Override
    public void ended(CursorResult result) {
        open.remove(result);
    }

    @Override
    public RuntimeException failed(CursorResult result, Throwable failure) {
        open.remove(result);
        return running.errorOf(failure);
    }

    // -------------------------------------------------------------------------------- PL/pgSQL

    @Override
    public SqlCatalog catalog() {
        return block.catalog();
    }

    @Override
    public PreparedSql prepare(String text, Statement statement, Variables variables) {
        return requireRunnable(
                block.compiler().compile(text, statement, List.of(), variables, transaction));
    }

    @Override
    public PreparedSql prepare(String text, List<SqlType> types) {
        return requireRunnable(block.compiler().compile(text, types, transaction));
    }

    private static CompiledStatement requireRunnable(CompiledStatement compiled) {
        CallPlan call = compiled.call();
        if (!compiled.isPlanned() || call != null && call.version().isUtility()) {
            throw unsupported();
        }
        return compiled;
    }

    @Override
    public boolean isCurrent(PreparedSql prepared) {
        return block.compiler().isCurrent((CompiledStatement) prepared, transaction);
    }

    private CompiledStatement allowed(PreparedSql prepared) {
        CompiledStatement compiled = (CompiledStatement) prepared;
        compiled.rights().check(planned.authority());
        return compiled;
    }

    @Override
    public TupleCursor open(PreparedSql query, @Nullable Object[] values, boolean isCollected) {
        CompiledStatement compiled = allowed(query);
        CallPlan call = compiled.call();
        if (call != null) {
            return cursor(planned.rowsOf(call, values));
        }
        planned.requireReadable(compiled);
        QueryPlan plan = Objects.requireNonNull(compiled.query());
        Execution execution = execution(values);
        return isCollected ? execution.openCollected(plan) : execution.open(plan);
    }

    private static TupleCursor cursor(List<@Nullable Object[]> rows) {
        Iterator<@Nullable Object[]> left = rows.iterator();
        return new TupleCursor() {
            @Override
            public @Nullable Object @Nullable [] next() {
                return left.hasNext() ? left.next() : null;
            }

            @Override
            public void close() {
                // They are in memory.
            }
        };
    }

    @Override
    public ChangePlan.ChangeResult change(PreparedSql change, @Nullable Object[] values) {
        return planned.changed(transaction, allowed(change), values);
    }

    @Override
    public List<@Nullable Object[]> call(PreparedSql call, @Nullable Object[] values) {
        return planned.rowsOf(Objects.requireNonNull(allowed(call).call()), values);
    }

    @Override
    public Execution execution(@Nullable Object[] values) {
        return planned.execution(transaction, values, false);
    }

    @Override
    public Savepoint savepoint() {
        return new Savepoint(
                transaction.savepoint(), block.requirements().mark(), block.locks().mark());
    }

    @Override
    public void rollbackTo(Savepoint savepoint) {
        transaction.rollbackTo(savepoint.mark());
        transaction.release(savepoint.mark());
        block.requirements().truncate(savepoint.requirements());
        block.locks().rollbackTo(savepoint.locks());
    }

    @Override
    public void release(Savepoint savepoint) {
        transaction.release(savepoint.mark());
    }

    @Override
    public SqlException errorOf(Throwable failure) {
        return running.errorOf(failure);
    }

    @Override
    public void notice(Notice notice) {
        running.notice(notice);
    }
}
