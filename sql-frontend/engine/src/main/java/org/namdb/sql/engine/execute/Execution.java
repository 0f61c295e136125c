package org.namdb.sql.engine.execute;

import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.fabric.VerbCounters;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.PlanRunner;
import org.namdb.sql.engine.plan.PlannedSubquery;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TemporaryFiles;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.engine.spill.WorkMemory;

/// One execution of one statement: the context of its expressions, and what its operators share.
/// Belongs to the session's thread.
///
/// ```java
/// Execution execution = new Execution(transaction, parameters, options, counters);
/// try (TupleCursor tuples = execution.open(plan)) {
///     for (Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) { .. }
/// }
/// ```
///
/// Besides [org.namdb.sql.language.error.SqlException], cursors pass on what the transaction
/// throws: `TransactionAborted`, `StatementCancelledException`, `FabricException`.
public final class Execution implements PlanRunner {
    private static final int TICKS = 256;
    private static final @Nullable Object[] NO_VALUES = {};

    private final Transaction transaction;
    private final @Nullable Object[] parameters;
    private final ExecutionOptions options;
    private final TemporaryFiles files;
    private final WorkMemory kept;
    private final @Nullable Statistics statistics;
    private @Nullable IdentityHashMap<PlannedSubquery, SubqueryState> subqueries;
    private final Map<Integer, TupleList> workTables = new HashMap<>();
    private final Map<Integer, List<@Nullable Object[]>> returned = new HashMap<>();
    private byte[] scratch = {};
    private int ticks;

    /// Starts an execution.
    ///
    /// @param parameters the values of the statement's parameters, of the classes that their
    ///     types name
    /// @param counters those of the session; used only if the execution is measured
    public Execution(
            Transaction transaction,
            @Nullable Object[] parameters,
            ExecutionOptions options,
            VerbCounters counters) {
        this.transaction = transaction;
        this.parameters = parameters;
        this.options = options;
        this.files =
                new TemporaryFiles(options.temporaryDirectory(), options.temporaryFileLimitBytes());
        this.kept = new WorkMemory(options.workMemoryBytes(), files, _ -> {});
        this.statistics = options.isMeasured() ? new Statistics(counters, options.clock()) : null;
    }

    /// Starts a plan.
    public TupleCursor open(QueryPlan plan) {
        PlanNode source = plan.root();
        while (source.inputs().size() == 1) {
            source = source.inputs().getFirst();
        }
        if (source instanceof PlanNode.TableRead read && read.path() instanceof AccessPath.Scan) {
            options.progress().expect(read.shape().table().stored().estimatedRows());
        }
        return open(plan.root(), null);
    }

    /// Starts a plan, and reads it to its end before it gives the first tuple; what does not fit
    /// into work_mem goes to temporary files.
    public TupleCursor openCollected(QueryPlan plan) {
        TupleList tuples = collect(plan);
        TupleCursor collected = tuples.read();
        return new TupleCursor() {
            @Override
            public @Nullable Object @Nullable [] next() {
                return collected.next();
            }

            @Override
            public void close() {
                tuples.close();
            }
        };
    }

    /// Runs a plan to its end, and keeps its tuples; what does not fit into work_mem goes to
    /// temporary files.
    public TupleList collect(QueryPlan plan) {
        TupleList tuples = new TupleList(memory(plan.root()));
        boolean isDone = false;
        try (TupleCursor cursor = open(plan)) {
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                tuples.add(tuple);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                tuples.close();
            }
        }
        return tuples;
    }

    /// A frame for expressions over tuples of the statement itself, as those of SET and RETURNING.
    public EvaluationFrame frame() {
        return new EvaluationFrame(this, null);
    }

    /// What was counted; null unless the execution is measured.
    public @Nullable Statistics statistics() {
        return statistics;
    }

    /// The transaction that it runs in.
    public Transaction transaction() {
        return transaction;
    }

    @Override
    public @Nullable Object parameter(int index) {
        return parameters[index];
    }

    @Override
    public Instant transactionTime() {
        return options.time().transactionTime();
    }

    @Override
    public Instant statementTime() {
        return options.time().statementTime();
    }

    @Override
    public Instant clockTime() {
        return options.time().clockTime();
    }

    @Override
    public ZoneId zone() {
        return options.time().zone();
    }

    @Override
    public long nextRandom() {
        return options.random().getAsLong();
    }

    @Override
    public SessionContext session() {
        return options.session();
    }

    @Override
    public @Nullable Object subquery(PlannedSubquery subquery, EvaluationFrame frame) {
        IdentityHashMap<PlannedSubquery, SubqueryState> states = subqueries;
        if (states == null) {
            states = new IdentityHashMap<>();
            subqueries = states;
        }
        return states.computeIfAbsent(subquery, s -> new SubqueryState(this, s)).value(frame);
    }

    /// Starts an operator.
    ///
    /// @param outer the frame of the query around, whose tuple are the arguments; null in the
    ///     outermost query
    TupleCursor open(PlanNode node, @Nullable EvaluationFrame outer) {
        Statistics counted = statistics;
        if (counted == null) {
            return Cursors.open(this, node, outer);
        }
        return counted.measure(node, () -> Cursors.open(this, node, outer));
    }

    /// Keeps what RETURNING has given of a change in WITH.
    public void setReturned(int change, List<@Nullable Object[]> rows) {
        returned.put(change, rows);
    }

    List<@Nullable Object[]> returned(int change) {
        return Objects.requireNonNull(returned.get(change), "a change that has not run");
    }

    /// Sets what the step of a recursion goes on from.
    void setWorkTable(int recursion, TupleList tuples) {
        workTables.put(recursion, tuples);
    }

    TupleList workTable(int recursion) {
        return Objects.requireNonNull(workTables.get(recursion), "no step of a recursion");
    }

    /// Counts the memory of a tuple that is kept until the statement ends.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 53200 if that is more than work_mem
    public void keep(@Nullable Object[] tuple) {
        kept.take(tuple);
    }

    /// What an operator keeps tuples in: work_mem of its own, and temporary files.
    public WorkMemory memory(PlanNode node) {
        Statistics counted = statistics;
        return new WorkMemory(
                options.workMemoryBytes(),
                files,
                counted == null ? _ -> {} : bytes -> counted.spilled(node, bytes));
    }

    /// Counts the rows that are read.
    StatementProgress progress() {
        return options.progress();
    }

    /// Scratch memory for the bytes of one value.
    byte[] scratch(int bytes) {
        if (scratch.length < bytes) {
            scratch = new byte[bytes];
        }
        return scratch;
    }

    /// To be called for each tuple where no read of the database is waited for: checks periodically
    /// whether the statement is cancelled.
    void tick() {
        if (++ticks % TICKS == 0) {
            checkCancelled();
        }
    }

    @Override
    public void checkCancelled() {
        transaction.checkCancelled();
    }

    /// A frame whose tuple has no columns.
    EvaluationFrame emptyFrame(@Nullable EvaluationFrame outer) {
        return new EvaluationFrame(this, outer).on(NO_VALUES);
    }
}
