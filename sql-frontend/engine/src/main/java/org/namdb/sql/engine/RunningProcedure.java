package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.schema.Table;
import org.namdb.sql.engine.procedure.LoopCheck;
import org.namdb.sql.engine.procedure.ProcedureContext;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// One attempt to run a procedure, in the transaction that is open.
final class RunningProcedure implements ProcedureContext, CursorResult.Owner {
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

    /// Runs it.
    ///
    /// @return its rows
    /// @throws SqlException whatever it has thrown
    @SuppressWarnings("CatchingUnchecked") // it is the user's code, and the connection goes on
    List<@Nullable Object[]> run(@Nullable Object[] arguments) {
        try {
            List<@Nullable Object[]> rows =
                    LoopCheck.run(this::checkCancelled, () -> version.run(this, arguments));
            if (transaction.abortOutcome() != null) { // it has caught the conflict
                throw EngineFailures.of(transaction.abortOutcome(), planned.database().catalog());
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

    /// What is no failure of the database is one of the procedure.
    private SqlException failed(Throwable thrown) {
        SqlException failure = running.errorOf(thrown);
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
                    planned.allowed(
                            planned.database().compiler().compile(sql, List.of(), transaction));
            @Nullable Object[] values = ParameterValues.of(parameters, compiled.parameterTypes());
            return execute(compiled, values);
        } catch (RuntimeException e) {
            throw running.errorOf(e).within("statement: " + sql);
        }
    }

    private Result execute(CompiledStatement compiled, @Nullable Object[] values) {
        if (compiled.query() != null) {
            planned.requireReadable(compiled);
            CursorResult result =
                    new CursorResult(
                            this,
                            compiled.columns(),
                            planned.execution(transaction, values, false).open(compiled.query()));
            open.add(result);
            return result;
        }
        int mark = transaction.savepoint();
        int required = block.requirements().mark();
        try {
            Result result;
            if (compiled.change() != null) {
                result = planned.changeOnce(transaction, compiled, values);
            } else if (compiled.call() != null && !compiled.call().version().isUtility()) {
                result = planned.callOnce(compiled.call(), values);
            } else {
                throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED, "this can't be run in a procedure")
                        .withHint(
                                "A procedure may SELECT, INSERT, UPDATE, DELETE and CALL: it is a"
                                        + " transaction, or a part of one.");
            }
            transaction.release(mark);
            return result;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            SqlException failure = running.errorOf(e); // before an abort is forgiven
            transaction.rollbackTo(mark);
            block.requirements().truncate(required);
            throw failure;
        }
    }

    @Override
    public Transaction transaction() {
        requireRunning();
        planned.requireWritable("a procedure that uses the engine's transaction");
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
    public void ended(CursorResult result) {
        open.remove(result);
    }

    @Override
    public RuntimeException failed(CursorResult result, Throwable failure) {
        open.remove(result);
        return running.errorOf(failure);
    }
}
