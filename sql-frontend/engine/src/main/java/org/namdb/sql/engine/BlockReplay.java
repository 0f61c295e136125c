package org.namdb.sql.engine;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlArray;

/// Runs the statements of a transaction block again when the block loses a conflict: in a new
/// transaction, whose snapshot is later. If each of them gives what it has given before, the client
/// can't tell, and the block goes on; it is as if the client had begun it later. Else the client
/// gets the conflict.
/// ```
/// A  BEGIN; UPDATE t SET n = n + 1 WHERE id = 1     "UPDATE 1"
/// B  UPDATE t SET n = n + 1 WHERE id = 1            committed
/// A  COMMIT                                         conflict: the UPDATE again, "UPDATE 1"
/// ```
/// Had A read `n` before, it would have been another value the second time: error 40001. So a block
/// that changes a row waits first for another one that has changed it ([RowClaims]), and gives its
/// client what that has left.
///
/// A block whose transaction was ended for a [schema change][TransactionBlock#setAside] is run
/// again in the same way, by its next statement.
///
/// Not run again is a block with a statement that has failed, that calls a function or procedure of
/// a user, or one like setval, or that is no query, change or savepoint; or whose results are
/// large, or were not read to their end. Nor is one that has a savepoint for its client to return
/// to, but at its COMMIT.
final class BlockReplay {
    private static final int MAX_STATEMENTS = 1_000;

    /// How much of statements, parameters and results is kept.
    private static final int MAX_BYTES = 256 << 10;

    private static final int VALUE_BYTES = 32;

    /// What a plan takes for each character of its statement, about.
    private static final int PLAN_BYTES = 4;

    private final PlannedStatements planned;
    private final SessionStatements statements;
    private final TransactionBlock block;
    private final Settings settings;
    private final RunningStatement running;
    private final List<Done> done = new ArrayList<>();
    private long bytes;

    /// How often the open block is tried; 1 if it can't be run again.
    private int attempts = 1;

    BlockReplay(
            PlannedStatements planned,
            SessionStatements statements,
            TransactionBlock block,
            Settings settings,
            RunningStatement running) {
        this.planned = planned;
        this.statements = statements;
        this.block = block;
        this.settings = settings;
        this.running = running;
    }

    /// A statement of the block, and what the client has got from it.
    private record Done(
            CompiledStatement compiled,
            List<@Nullable Object> values,
            Instant time,
            List<@Nullable Object[]> rows,
            String tag) {}

    /// The open block is not run again.
    void giveUp() {
        attempts = 1;
        bytes = 0;
        done.clear();
    }

    /// Whether the open block can be run again.
    boolean isRepeatable() {
        return attempts > 1;
    }

    /// The open block goes on with what is not run again.
    void goOnWithoutReplay() {
        resume();
        giveUp();
    }

    /// Begins the transaction again that was ended for a schema change.
    ///
    /// @throws SqlException 40001 if the block would have got something else from it
    private void resume() {
        if (!block.endSetAside()) {
            return;
        }
        Instant time = block.statementTime();
        SqlException changed =
                new SqlException(
                                SqlState.SERIALIZATION_FAILURE,
                                "could not serialize access due to a concurrent schema change")
                        .withHint("Run the transaction again.");
        boolean isDone = false;
        try {
            if (!areSame()) {
                throw changed;
            }
            isDone = true;
        } catch (RuntimeException e) {
            SqlException failure = running.errorOf(e);
            throw failure.state() == SqlState.QUERY_CANCELED ? failure : changed;
        } finally {
            if (!isDone) {
                block.restart(); // a part of the block is nothing to return to
            }
        }
        block.setStatementTime(time);
    }

    /// Runs a statement; in a block, again with those before it if it loses a conflict.
    ///
    /// @param statement does it
    Result run(CompiledStatement compiled, @Nullable Object[] values, Supplier<Result> statement) {
        if (block.status() == TransactionStatus.FAILED) {
            giveUp(); // it may have failed before a statement was run, as in its parameters
        }
        boolean isFirst = isChained(compiled.statement()) || !block.isBlock();
        if (attempts == 1 || !block.isBlock()) {
            Result result = statement.get();
            if (isFirst && block.isBlock()) {
                begin();
            }
            return result;
        }
        boolean isDone = false;
        try {
            Result result = runInBlock(compiled, values, statement);
            isDone = true;
            if (isFirst) {
                begin();
            }
            return result;
        } finally {
            if (!isDone) {
                giveUp();
            }
        }
    }

    /// A block has been opened.
    private void begin() {
        giveUp();
        attempts = settings.blockAttempts();
    }

    /// Whether a statement ends the block, and opens another one.
    private static boolean isChained(Statement statement) {
        return statement instanceof Statement.Commit commit && commit.isChained()
                || statement instanceof Statement.Rollback rollback && rollback.isChained();
    }

    private Result runInBlock(
            CompiledStatement compiled, @Nullable Object[] values, Supplier<Result> statement) {
        boolean isOfSession =
                compiled.isOfSession() || compiled.statement() instanceof Statement.SetVariable;
        if (isOfSession) {
            if (done.stream().anyMatch(each -> each.compiled.change() != null)) {
                resume();
                giveUp(); // changes would be made again with the settings as they are at the end
            }
            return statement.get(); // it stays done, and what is read again is compared
        }
        boolean isEnd =
                compiled.statement() instanceof Statement.Commit
                        || compiled.statement() instanceof Statement.Rollback;
        if (!isEnd) {
            resume();
        }
        if (compiled.call() != null || compiled.callsRoutine() || compiled.hasEffect()) {
            giveUp();
            return statement.get();
        }
        return switch (compiled.statement()) {
            case Statement.Select s ->
                    retryConflicts(() -> {
                        if (s.query().isForUpdate()) {
                            claim(compiled, values);
                        }
                        return query(compiled, values, s);
                    });
            case Statement.Insert _, Statement.Update _, Statement.Delete _, Statement.With _ ->
                    kept(
                            compiled,
                            values,
                            (ListResult)
                                    retryConflicts(() -> {
                                        claim(compiled, values);
                                        return statement.get();
                                    }));
            case Statement.Savepoint _, Statement.RollbackTo _, Statement.Release _ ->
                    kept(compiled, values, (ListResult) statement.get());
            case Statement.Commit c when c.isChained() && block.isImplicit() -> statement.get();
            case Statement.Commit c -> commit(c);
            case Statement.Show _, Statement.Prepare _, Statement.Deallocate _ -> statement.get();
            default -> {
                giveUp();
                yield statement.get();
            }
        };
    }

    /// Has the row of a change be the block's alone. What another block has committed meanwhile is
    /// seen at once if the client has got nothing of what was before.
    private void claim(CompiledStatement compiled, @Nullable Object[] values) {
        boolean hasWaited = planned.claim(compiled, values, !block.isReturnable());
        if (hasWaited && done.isEmpty()) {
            block.restart();
        }
    }

    private Result kept(CompiledStatement compiled, @Nullable Object[] values, ListResult result) {
        result.rows().forEach(this::take);
        keep(compiled, values, result.rows(), result.tag());
        return result;
    }

    private void keep(
            CompiledStatement compiled,
            @Nullable Object[] values,
            List<@Nullable Object[]> rows,
            String tag) {
        if (attempts > 1) {
            List<@Nullable Object> kept = Arrays.asList(values);
            done.add(new Done(compiled, kept, block.statementTime(), rows, tag));
            bytes += (long) PLAN_BYTES * compiled.text().length();
            take(values);
            if (done.size() > MAX_STATEMENTS) {
                giveUp();
            }
        }
    }

    private void take(@Nullable Object[] values) {
        for (Object value : values) {
            bytes += size(value);
        }
        if (bytes > MAX_BYTES) {
            giveUp();
        }
    }

    private static long size(@Nullable Object value) {
        return switch (value) {
            case String text -> VALUE_BYTES + 2L * text.length();
            case ByteString bytes -> VALUE_BYTES + bytes.length();
            case BigDecimal number -> VALUE_BYTES + number.precision();
            case SqlArray array ->
                    array.values().stream().mapToLong(BlockReplay::size).sum() + VALUE_BYTES;
            case null, default -> VALUE_BYTES;
        };
    }

    private Result query(
            CompiledStatement compiled, @Nullable Object[] values, Statement.Select select) {
        return planned.query(
                compiled,
                values,
                tuples -> {
                    KeptTuples kept = new KeptTuples(compiled, values, tuples);
                    if (select.query().isForUpdate()) {
                        kept.readFirst();
                    }
                    return kept;
                });
    }

    /// Keeps what a client reads of a query.
    private final class KeptTuples implements TupleCursor {
        private final CompiledStatement compiled;
        private final @Nullable Object[] values;
        private final TupleCursor tuples;
        private final List<@Nullable Object[]> rows = new ArrayList<>();
        private @Nullable Object @Nullable [] next;
        private boolean isNextThere;
        private boolean isAtEnd;

        KeptTuples(CompiledStatement compiled, @Nullable Object[] values, TupleCursor tuples) {
            this.compiled = compiled;
            this.values = values;
            this.tuples = tuples;
        }

        /// Reads the first tuple, so that it can be read again if another transaction has changed
        /// its row.
        void readFirst() {
            boolean isDone = false;
            try {
                next = tuples.next();
                isNextThere = true;
                isDone = true;
            } finally {
                if (!isDone) {
                    tuples.close();
                }
            }
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            @Nullable Object @Nullable [] tuple = isNextThere ? next : tuples.next();
            isNextThere = false;
            if (tuple == null) {
                isAtEnd = true;
                keep(compiled, values, rows, "");
            } else if (attempts > 1) {
                rows.add(tuple);
                take(tuple);
                if (attempts == 1) {
                    rows.clear();
                }
            }
            return tuple;
        }

        @Override
        public void close() {
            if (!isAtEnd) {
                giveUp();
            }
            tuples.close();
        }
    }

    private Result commit(Statement.Commit statement) {
        boolean isCommitted = false;
        try {
            resume();
            Object _ =
                    retryConflicts(() -> {
                        block.commitTransaction();
                        return block;
                    });
            isCommitted = true;
        } finally {
            block.end(isCommitted);
            giveUp();
        }
        if (statement.isChained()) {
            block.chain();
        }
        return ListResult.done("COMMIT", List.of());
    }

    private <R> R retryConflicts(Supplier<R> statement) {
        Instant time = block.statementTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return statement.get();
            } catch (RuntimeException e) {
                if (block.isReturnable() || !running.isConflict(e)) {
                    throw e;
                }
                attempt = replay(running.laterErrorOf(e), attempt);
                block.setStatementTime(time);
            }
        }
    }

    /// Runs the statements before again.
    ///
    /// @param lost why
    /// @param attempt the number of attempts until now
    /// @return the same without the last one, which is going on
    /// @throws SqlException `lost` if one gives something else than before
    private int replay(Supplier<SqlException> lost, int attempt) {
        for (int lostAttempts = attempt; lostAttempts < attempts; lostAttempts++) {
            block.restart();
            planned.pause(lostAttempts);
            boolean isDone = false;
            try {
                isDone = areSame();
                if (isDone) {
                    return lostAttempts;
                }
                break;
            } catch (RuntimeException e) {
                if (!running.isConflict(e)) {
                    SqlException failure = running.errorOf(e);
                    throw failure.state() == SqlState.QUERY_CANCELED ? failure : lost.get();
                }
            } finally {
                if (!isDone) {
                    block.restart(); // a part of the block is nothing to go on with
                }
            }
        }
        throw lost.get();
    }

    private boolean areSame() {
        for (Done each : done) {
            block.setStatementTime(each.time);
            if (!isSame(each)) {
                return false;
            }
        }
        return true;
    }

    /// Runs a statement again.
    ///
    /// @return whether it gives what it has given before
    private boolean isSame(Done before) {
        CompiledStatement compiled = before.compiled;
        @Nullable Object[] values = before.values.toArray();
        if (compiled.query() != null) {
            return isSame(before.rows, planned.tuples(compiled, values));
        }
        Result result;
        if (compiled.change() != null) {
            planned.claim(compiled, values, false);
            result = planned.change(compiled, values);
        } else {
            result = statements.run((Statement.Plain) compiled.statement(), compiled);
        }
        List<@Nullable Object[]> rows = ((ListResult) result).rows();
        if (rows.size() != before.rows.size() || !result.tag().equals(before.tag)) {
            return false;
        }
        for (int i = 0; i < rows.size(); i++) {
            if (!Arrays.deepEquals(rows.get(i), before.rows.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(List<@Nullable Object[]> before, TupleCursor tuples) {
        try (tuples) {
            for (@Nullable Object[] row : before) {
                if (!Arrays.deepEquals(row, tuples.next())) {
                    return false;
                }
            }
            return tuples.next() == null;
        }
    }
}
