package org.namdb.sql.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.plan.NodeText;
import org.namdb.sql.plan.PlanNode;
import org.namdb.sql.plan.PlanScalars;
import org.namdb.sql.plan.PlannedSubquery;
import org.namdb.sql.plan.QueryPlan;
import org.namdb.sql.plan.VerbEstimate;

/// Shows plans as EXPLAIN does: a tree of operators, with what is expected of each, and with what was counted where the plan has run.
/// ```
/// Sort  (rows=10)
///   Sort Key: b
///   ->  Point Read on t  (rows=1) (actual rows=1 loops=1 time=0.004 ms)
///         Key: (id = 5)
///         Verbs: expected READ 1, round trips 1; counted READ 2, WRITE 0, CAS 0, FAA 0, 96 bytes, round trips 1
///           server 0: READ 2, WRITE 0, CAS 0, FAA 0, 96 bytes
/// ```
public final class Explain {
    private static final double NANOS_PER_MILLI = 1e6;

    private final @Nullable Statistics measured;
    private final boolean showsVerbs;
    private final List<String> lines = new ArrayList<>();

    private Explain(@Nullable Statistics measured, boolean showsVerbs) {
        this.measured = measured;
        this.showsVerbs = showsVerbs;
    }

    /// A plan that was not run.
    ///
    /// @param showsVerbs whether the verbs are shown that it is expected to need
    public static List<String> lines(QueryPlan plan, boolean showsVerbs) {
        return lines(plan, null, showsVerbs);
    }

    /// A plan that was run to its end.
    ///
    /// @param measured of an execution with [ExecutionOptions#isMeasured]; null if it was not run
    public static List<String> lines(
            QueryPlan plan, @Nullable Statistics measured, boolean showsVerbs) {
        Explain explain = new Explain(measured, showsVerbs);
        explain.add(plan.root(), 0, "");
        return explain.lines;
    }

    private void add(PlanNode node, int depth, String arrow) {
        NodeText text = NodeText.of(node);
        String indent = " ".repeat(depth);
        lines.add(indent + arrow + text.title() + estimate(node) + actual(node));
        String inner = indent + " ".repeat(arrow.length()) + "  ";
        text.details().forEach(detail -> lines.add(inner + detail));
        if (showsVerbs) {
            addVerbs(node, inner);
        }
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
                : String.format(
                        Locale.ROOT,
                        " (actual rows=%d loops=%d time=%.3f ms)",
                        counted.rows(),
                        counted.loops(),
                        nanos(node) / NANOS_PER_MILLI);
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

    private void addVerbs(PlanNode node, String indent) {
        VerbEstimate expected = VerbEstimate.of(node);
        Statistics.OfNode counted = measured == null ? null : measured.of(node);
        boolean hasCounted = counted != null && !counted.byServer().isEmpty();
        if (expected.reads() == 0 && !hasCounted) {
            return;
        }
        String line =
                "Verbs: expected READ %d, round trips %d"
                        .formatted(Math.round(expected.reads()), Math.round(expected.roundTrips()));
        if (counted == null || !hasCounted) {
            lines.add(indent + line);
            return;
        }
        VerbTally all = VerbTally.NOTHING;
        for (VerbTally tally : counted.byServer()) {
            all = all.plus(tally);
        }
        lines.add(
                indent
                        + line
                        + "; counted "
                        + verbs(all)
                        + ", round trips "
                        + counted.roundTrips());
        for (int server = 0; server < counted.byServer().size(); server++) {
            VerbTally tally = counted.byServer().get(server);
            if (tally.verbs() > 0) {
                lines.add(indent + "  server " + server + ": " + verbs(tally));
            }
        }
    }

    /// Verbs and bytes in words.
    public static String verbs(VerbTally tally) {
        return String.format(
                Locale.ROOT,
                "READ %d, WRITE %d, CAS %d, FAA %d, %d bytes",
                tally.reads(),
                tally.writes(),
                tally.swaps(),
                tally.adds(),
                tally.bytes());
    }
}
