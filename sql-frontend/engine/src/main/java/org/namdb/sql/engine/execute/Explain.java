package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbForecast;
import org.namdb.sql.engine.plan.NodeText;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.PlannedSubquery;
import org.namdb.sql.engine.plan.QueryPlan;

/// Shows plans as EXPLAIN does: a tree of operators, with what is expected of each, and with what
/// was counted where the plan has run.
/// ```
/// Sort  (rows=10)
///   Sort Key: b
///   ->  Point Read on t  (rows=1) (actual rows=1 loops=1 time=0.004 ms)
///         Key: (id = 5)
///         Verbs: expected READ 2, 296 bytes, round trips 1
///                counted  READ 2, 296 bytes, round trips 1
/// ```
public final class Explain {
    private static final double NANOS_PER_MILLI = 1e6;

    private final @Nullable Statistics measured;
    private final @Nullable PlanForecast forecast;
    private final List<String> lines = new ArrayList<>();

    private Explain(@Nullable Statistics measured, @Nullable PlanForecast forecast) {
        this.measured = measured;
        this.forecast = forecast;
    }

    /// The lines.
    ///
    /// @param measured of an execution with [ExecutionOptions#isMeasured] that was run to its end;
    ///     null if it was not run
    /// @param forecast has foreseen the verbs of each operator; null to show none
    public static List<String> lines(
            QueryPlan plan, @Nullable Statistics measured, @Nullable PlanForecast forecast) {
        Explain explain = new Explain(measured, forecast);
        explain.add(plan.root(), 0, "");
        return explain.lines;
    }

    private void add(PlanNode node, int depth, String arrow) {
        NodeText text = NodeText.of(node);
        String indent = " ".repeat(depth);
        lines.add(indent + arrow + text.title() + estimate(node) + actual(node));
        String inner = indent + " ".repeat(arrow.length()) + "  ";
        text.details().forEach(detail -> lines.add(inner + detail));
        addSpill(node, inner);
        addVerbs(node, inner);
        int below = depth + arrow.length() + 2;
        for (PlanNode input : node.inputs()) {
            add(input, below, "->  ");
        }
        for (PlannedSubquery subquery : PlanScalars.subqueries(node)) {
            String kind = subquery.arguments().isEmpty() ? "once" : "for each row";
            lines.add(inner + "SubPlan (" + kind + ")");
            add(subquery.plan(), below + 2, "->  ");
        }
    }

    private static String estimate(PlanNode node) {
        return "  (rows=" + Math.round(Math.max(1, node.rows())) + ")";
    }

    private String actual(PlanNode node) {
        if (measured == null) {
            return "";
        }
        Statistics.OfNode counted = measured.of(node);
        return counted == null
                ? " (never executed)"
                : actual(counted.rows(), counted.loops(), nanos(node));
    }

    /// What was counted, as it is shown behind what was expected.
    public static String actual(long rows, long loops, double nanos) {
        return String.format(
                Locale.ROOT,
                " (actual rows=%d loops=%d time=%.3f ms)",
                rows,
                loops,
                nanos / NANOS_PER_MILLI);
    }

    /// The time of an operator with those below it.
    private double nanos(PlanNode node) {
        Statistics.OfNode counted = measured == null ? null : measured.of(node);
        double nanos = counted == null ? 0 : counted.nanos();
        for (PlanNode input : node.inputs()) {
            nanos += nanos(input);
        }
        for (PlannedSubquery subquery : PlanScalars.subqueries(node)) {
            nanos += nanos(subquery.plan());
        }
        return nanos;
    }

    private void addSpill(PlanNode node, String indent) {
        Statistics.OfNode counted = measured == null ? null : measured.of(node);
        if (counted != null && counted.spilledBytes() > 0) {
            lines.add(indent + "Disk: " + (counted.spilledBytes() + 1023 >> 10) + "kB");
        }
    }

    private void addVerbs(PlanNode node, String indent) {
        if (forecast == null) {
            return;
        }
        VerbForecast expected = forecast.of(node);
        Statistics.OfNode counted = measured == null ? null : measured.of(node);
        boolean isCounted = counted != null && counted.verbs().verbs() > 0;
        if (!expected.isNothing() || isCounted) {
            VerbLines.of("Verbs", expected, counted == null ? null : counted.verbs())
                    .forEach(line -> lines.add(indent + line));
        }
    }
}
