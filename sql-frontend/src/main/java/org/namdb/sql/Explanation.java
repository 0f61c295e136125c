package org.namdb.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.ast.Statement;
import org.namdb.sql.change.ChangePlan;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;
import org.namdb.sql.execute.Execution;
import org.namdb.sql.execute.Explain;
import org.namdb.sql.plan.QueryPlan;
import org.namdb.sql.plan.TupleCursor;
import org.namdb.sql.type.SqlType;

/// EXPLAIN: shows the plan of a statement, and with ANALYZE runs it to its end and shows what it has cost.
final class Explanation {
    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final SqlSession session;
    private final TransactionBlock block;

    Explanation(SqlSession session, TransactionBlock block) {
        this.session = session;
        this.block = block;
    }

    Result run(Statement.Explain explain, String text) {
        CompiledStatement compiled =
                session.database().compiler().compile(text, explain.statement(), List.of());
        if (!compiled.isPlanned()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "EXPLAIN is for SELECT, INSERT, UPDATE and DELETE",
                    explain.position());
        }
        if (!compiled.parameterTypes().isEmpty()) {
            throw new SqlException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
        }
        Execution execution = explain.isAnalyze() ? analyzed(compiled) : null;
        List<String> lines = lines(compiled, execution, explain.showsVerbs());
        if (execution != null && explain.showsVerbs()) {
            // Its own snapshot and its commit too, outside of a block.
            VerbTally whole = session.lastVerbs();
            lines.add(
                    "Statement: counted "
                            + Explain.verbs(whole)
                            + ", round trips "
                            + whole.roundTrips());
        }
        List<@Nullable Object[]> rows = new ArrayList<>();
        lines.forEach(line -> rows.add(new @Nullable Object[] {line}));
        return new ListResult(
                List.of(new ResultColumn("QUERY PLAN", SqlType.TEXT)),
                rows,
                "EXPLAIN",
                rows.size(),
                List.of());
    }

    /// Runs the statement; outside of a block, what it changes is committed.
    private Execution analyzed(CompiledStatement compiled) {
        QueryPlan query = compiled.query();
        ChangePlan change = compiled.change();
        if (change != null) {
            session.requireWritable("EXPLAIN ANALYZE of a change");
            return session.untilWon(() -> {
                Execution execution = session.execution(block.transaction(), NO_PARAMETERS, true);
                ChangePlan.ChangeResult _ = change.run(new ChangeRun(block, execution));
                return execution;
            });
        }
        Execution execution = session.execution(block.transaction(), NO_PARAMETERS, true);
        if (query != null) {
            try (TupleCursor cursor = execution.open(query)) {
                while (cursor.next() != null) {
                    // every row is made, and none is shown
                }
            }
        }
        if (!block.isBlock()) {
            block.commit();
        }
        return execution;
    }

    private static List<String> lines(
            CompiledStatement compiled, @Nullable Execution execution, boolean showsVerbs) {
        List<String> lines = new ArrayList<>();
        QueryPlan plan = compiled.query();
        ChangePlan change = compiled.change();
        if (change != null) {
            lines.add(title(compiled.statement()));
            plan = change.source();
        }
        if (plan != null) {
            String indent = change == null ? "" : "  ";
            List<String> below =
                    Explain.lines(
                            plan, execution == null ? null : execution.statistics(), showsVerbs);
            below.forEach(line -> lines.add(indent + line));
        }
        return lines;
    }

    private static String title(Statement statement) {
        return switch (statement) {
            case Statement.Insert s -> "Insert on " + s.table();
            case Statement.Update s -> "Update on " + s.table();
            case Statement.Delete s -> "Delete on " + s.table();
            default -> throw new IllegalStateException("no change: " + statement);
        };
    }
}
