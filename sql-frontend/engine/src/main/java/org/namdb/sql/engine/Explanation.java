package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionForecast;
import org.namdb.fabric.VerbForecast;
import org.namdb.sql.engine.change.ChangeForecast;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.change.WithPlan;
import org.namdb.sql.engine.execute.CountedVerbs;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.execute.Explain;
import org.namdb.sql.engine.execute.Statistics;
import org.namdb.sql.engine.execute.VerbLines;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// EXPLAIN: shows the plan of a statement, and with ANALYZE runs it to its end. With VERBS it shows
/// what the statement is expected to cost on the fabric, and what it has cost: each operator, the
/// change itself, the transaction around it, and all together.
final class Explanation {
    static final List<ResultColumn> COLUMNS = List.of(new ResultColumn("QUERY PLAN", SqlType.TEXT));

    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final Session engine;
    private final @Nullable Object[] parameters;

    /// @param parameters the values of the statement's parameters
    Explanation(
            PlannedStatements planned,
            TransactionBlock block,
            Session engine,
            @Nullable Object[] parameters) {
        this.parameters = parameters;
        this.planned = planned;
        this.block = block;
        this.engine = engine;
    }

    /// @param compiled the statement that is explained
    Result run(Statement.Explain explain, CompiledStatement compiled) {
        if (!compiled.isPlanned() || compiled.call() != null) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "EXPLAIN is for SELECT, INSERT, UPDATE and DELETE",
                    explain.position());
        }
        if (compiled.parameterTypes().size() != parameters.length) {
            throw new SqlException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
        }
        List<String> lines =
                explain.showsVerbs() ? verbs(explain, compiled) : plain(explain, compiled);
        List<@Nullable Object[]> rows = new ArrayList<>();
        lines.forEach(line -> rows.add(new @Nullable Object[] {block.temporary().shown(line)}));
        return new ListResult(COLUMNS, rows, "EXPLAIN", rows.size(), List.of());
    }

    private List<String> plain(Statement.Explain explain, CompiledStatement before) {
        Analysis analysis = explain.isAnalyze() ? analyzed(before) : null;
        CompiledStatement compiled = analysis == null ? allowed(before) : analysis.statement;
        List<String> lines = new ArrayList<>();
        Statistics statistics = analysis == null ? null : analysis.statistics;
        ChangePlan change = compiled.change();
        Statement statement = compiled.statement();
        if (change instanceof WithPlan with && statement instanceof Statement.With of) {
            for (WithPlan.Part part : with.parts()) {
                lines.add("CTE " + part.name() + ": " + title(part.statement(), part.plan(), null));
                addSource(lines, "  ", part.plan().source(), statistics);
            }
            change = with.change();
            statement = of.statement();
        }
        if (change != null) {
            lines.add(title(statement, change, analysis));
        }
        addSource(lines, change == null ? "" : "  ", source(compiled), statistics);
        return lines;
    }

    private static void addSource(
            List<String> lines,
            String indent,
            @Nullable QueryPlan source,
            @Nullable Statistics statistics) {
        if (source != null) {
            Explain.lines(source, statistics, null).forEach(line -> lines.add(indent + line));
        }
    }

    /// Rights and plan are those of the schema that a transaction sees.
    private CompiledStatement allowed(CompiledStatement compiled) {
        Transaction _ = block.transaction();
        CompiledStatement allowed = planned.allowed(compiled);
        if (!block.isBlock()) {
            block.rollback();
        }
        return allowed;
    }

    /// The transaction begins before anything but that is foreseen: so no table goes, and nothing
    /// that others do changes what is expected.
    @SuppressWarnings("ReferenceEquality") // whether another plan was run
    private List<String> verbs(Statement.Explain explain, CompiledStatement before) {
        if (before.change() instanceof WithPlan) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "EXPLAIN VERBS of changes in WITH is not supported",
                    explain.position());
        }
        TransactionForecast transaction = engine.forecast();
        VerbForecast around = transaction.nothing();
        CountedVerbs start = CountedVerbs.of(engine.counters());
        if (!block.isRunning()) {
            transaction.begin(around);
        }
        Transaction _ = block.transaction();
        CountedVerbs begun = CountedVerbs.of(engine.counters()).minus(start);
        CompiledStatement compiled = planned.allowed(before);
        // What the change reads, and what it makes the commit do, is foreseen before it is done.
        VerbForecast own = transaction.nothing();
        ChangePlan change = compiled.change();
        if (change != null) {
            change.forecast(new ChangeForecast(transaction, own, block::table));
        }
        QueryPlan source = source(compiled);
        PlanForecast plan = new PlanForecast(transaction);
        VerbForecast total = source == null ? transaction.nothing() : plan.foresee(source.root());
        Analysis analysis = null;
        if (explain.isAnalyze()) {
            analysis = analyzed(compiled);
            if (!analysis.statement.equals(
                    compiled)) { // it was run again, after a change of the schema
                compiled = analysis.statement;
                change = compiled.change();
                source = source(compiled);
                plan = new PlanForecast(transaction);
                total = source == null ? transaction.nothing() : plan.foresee(source.root());
            }
        } else if (!block.isBlock()) {
            block.rollback();
        }
        Statistics statistics = analysis == null ? null : analysis.statistics;
        List<String> lines = new ArrayList<>();
        if (change != null) {
            lines.add(title(compiled.statement(), change, analysis));
            CountedVerbs counted = analysis == null ? null : analysis.change;
            if (!own.isNothing() || counted != null && counted.verbs() > 0) {
                VerbLines.of("Verbs", own, counted).forEach(line -> lines.add("  " + line));
            }
        }
        if (source != null) {
            addSource(lines, compiled, Explain.lines(source, statistics, plan));
        }
        addTotals(lines, transaction, around, own, total, begun, analysis);
        return lines;
    }

    private void addTotals(
            List<String> lines,
            TransactionForecast transaction,
            VerbForecast around,
            VerbForecast own,
            VerbForecast total,
            CountedVerbs begun,
            @Nullable Analysis analysis) {
        total.addAll(own);
        if (block.isBlock()) {
            VerbForecast commit = transaction.nothing();
            transaction.end(commit);
            lines.addAll(VerbLines.of("At commit", commit, null));
        } else {
            transaction.end(around);
        }
        CountedVerbs counted = analysis == null ? null : begun.plus(analysis.around);
        if (!around.isNothing()) {
            lines.addAll(VerbLines.of("Transaction", around, counted));
        }
        total.addAll(around);
        lines.addAll(
                VerbLines.of(
                        "Statement", total, analysis == null ? null : begun.plus(analysis.all)));
    }

    private static void addSource(
            List<String> lines, CompiledStatement compiled, List<String> below) {
        String indent = compiled.change() == null ? "" : "  ";
        below.forEach(line -> lines.add(indent + line));
    }

    private static @Nullable QueryPlan source(CompiledStatement compiled) {
        ChangePlan change = compiled.change();
        return change == null ? compiled.query() : change.source();
    }

    /// What a statement has cost that was run.
    private static final class Analysis {
        /// With the plan that was run.
        private final CompiledStatement statement;

        private final Statistics statistics;

        /// The change itself, without its source.
        private final CountedVerbs change;

        private final long changed;
        private final long changeNanos;
        private CountedVerbs all = CountedVerbs.NONE;

        /// What is neither the change nor of an operator: the transaction's end, and its begin if
        /// that was here.
        private CountedVerbs around = CountedVerbs.NONE;

        Analysis(CompiledStatement statement, Execution execution, long changed) {
            this.statement = statement;
            this.statistics = Objects.requireNonNull(execution.statistics());
            this.change = statistics.outside().verbs();
            this.changed = changed;
            this.changeNanos = statistics.outside().nanos() + statistics.operatorNanos();
        }
    }

    /// Runs the statement; outside of a block, what it changes is committed.
    private Analysis analyzed(CompiledStatement compiled) {
        CountedVerbs start = CountedVerbs.of(engine.counters());
        Analysis analysis;
        if (compiled.change() != null) {
            planned.requireWritable("EXPLAIN ANALYZE of a change");
            analysis =
                    planned.retryConflicts(() -> {
                        Transaction transaction = block.transaction();
                        CompiledStatement current = planned.allowed(compiled);
                        ChangePlan change = Objects.requireNonNull(current.change());
                        Execution execution = planned.execution(transaction, parameters, true);
                        ChangePlan.ChangeResult done = change.run(new ChangeRun(block, execution));
                        return new Analysis(current, execution, done.count());
                    });
        } else {
            analysis = analyzedQuery(compiled);
        }
        analysis.all = CountedVerbs.of(engine.counters()).minus(start);
        analysis.around =
                analysis.all.minus(analysis.change).minus(analysis.statistics.operators());
        return analysis;
    }

    private Analysis analyzedQuery(CompiledStatement compiled) {
        Transaction transaction = block.transaction();
        CompiledStatement current = planned.allowed(compiled);
        QueryPlan query = Objects.requireNonNull(current.query());
        Execution execution = planned.execution(transaction, parameters, true);
        try (TupleCursor cursor = execution.open(query)) {
            while (cursor.next() != null) {
                // every row is made, and none is shown
            }
        }
        Analysis analysis = new Analysis(current, execution, 0);
        if (!block.isBlock()) {
            block.commit();
        }
        return analysis;
    }

    private static String title(
            Statement statement, ChangePlan change, @Nullable Analysis analysis) {
        String name =
                switch (statement) {
                    case Statement.Insert s -> "Insert on " + s.table();
                    case Statement.Update s -> "Update on " + s.table();
                    case Statement.Delete s -> "Delete on " + s.table();
                    default -> throw new IllegalStateException("no change: " + statement);
                };
        String actual =
                analysis == null
                        ? ""
                        : Explain.actual(analysis.changed, 1, (double) analysis.changeNanos);
        return name + "  (rows=" + Math.round(change.expectedRows()) + ")" + actual;
    }
}
