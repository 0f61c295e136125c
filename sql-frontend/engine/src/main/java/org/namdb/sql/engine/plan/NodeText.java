package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.ReturnedRows;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Query;

/// EXPLAIN's text of one operator.
///
/// @param title what it is
/// @param details how it does it, a line each
public record NodeText(String title, List<String> details) {
    private static final int MAX_KEYS = 5;

    /// Describes an operator.
    public static NodeText of(PlanNode node) {
        List<String> details = new ArrayList<>();
        String title =
                switch (node) {
                    case PlanNode.TableRead read -> {
                        addPath(details, read.shape().table(), read.path());
                        add(details, "Filter", read.filter());
                        yield pathName(read.path()) + " on " + read.shape();
                    }
                    case PlanNode.IndexJoin join -> {
                        addPath(details, join.shape().table(), join.path());
                        add(details, "Join Filter", join.condition());
                        yield "Index Join"
                                + suffix(join.kind())
                                + " by "
                                + pathName(join.path())
                                + " on "
                                + join.shape();
                    }
                    case PlanNode.HashJoin join -> {
                        details.add(
                                "Hash Cond: "
                                        + join.keys().stream()
                                                .map(key -> key.probe() + " = " + key.build())
                                                .collect(Collectors.joining(" AND ", "(", ")")));
                        add(details, "Join Filter", join.condition());
                        yield "Hash Join" + suffix(join.kind());
                    }
                    case PlanNode.NestedLoop loop -> {
                        add(details, "Join Filter", loop.condition());
                        yield "Nested Loop" + suffix(loop.kind());
                    }
                    case PlanNode.Lateral lateral -> {
                        add(details, "Join Filter", lateral.condition());
                        yield "Lateral Join" + suffix(lateral.kind());
                    }
                    case PlanNode.Filter filter -> {
                        add(details, "Filter", filter.condition());
                        yield "Filter";
                    }
                    case PlanNode.Project _ -> "Project";
                    case PlanNode.Aggregation groups -> {
                        if (!groups.keys().isEmpty()) {
                            details.add("Group Key: " + joined(groups.keys()));
                        }
                        yield groups.keys().isEmpty() ? "Aggregate" : "Hash Aggregate";
                    }
                    case PlanNode.Window window -> {
                        details.add("Window: " + joined(List.copyOf(window.calls())));
                        yield "Window";
                    }
                    case PlanNode.Sort sort -> {
                        details.add("Sort Key: " + order(sort.order()));
                        yield sort.limit() == null ? "Sort" : "Top-N Sort";
                    }
                    case PlanNode.Distinct _ -> "Distinct";
                    case PlanNode.Limit limit -> {
                        add(details, "Limit", limit.limit());
                        add(details, "Offset", limit.offset());
                        yield "Limit";
                    }
                    case PlanNode.SetOperation operation ->
                            name(operation.operator()) + (operation.isAll() ? " All" : "");
                    case PlanNode.Recursion recursion ->
                            "Recursive Union" + (recursion.isAll() ? " All" : "");
                    case PlanNode.WorkTable _ -> "Work Table Scan";
                    case PlanNode.Values _ -> "Values";
                    case PlanNode.Generate generate ->
                            (generate.function() instanceof ReturnedRows
                                            ? "CTE Scan on "
                                            : "Function Scan on ")
                                    + generate.function().name();
                    case PlanNode.LockRows _ -> "Lock Rows";
                };
        return new NodeText(title, details);
    }

    private static String suffix(JoinKind kind) {
        return switch (kind) {
            case INNER -> "";
            case LEFT -> " (left)";
            case FULL -> " (full)";
            case SEMI -> " (semi)";
            case ANTI -> " (anti)";
            case NOT_IN -> " (not in)";
        };
    }

    private static String pathName(AccessPath path) {
        return switch (path) {
            case AccessPath.Scan _ -> "Scan";
            case AccessPath.ByKey byKey -> byKey.keys().size() == 1 ? "Point Read" : "Multi-Get";
            case AccessPath.ByUnique byUnique -> "Unique Read using " + byUnique.index().name();
            case AccessPath.ByNeighbours _ -> "Neighbour Read";
            case AccessPath.ByHash byHash -> "Hash Index Read using " + byHash.index().name();
            case AccessPath.ByRange range ->
                    "Index Range"
                            + (range.isDescending() ? " Backward" : "")
                            + " using "
                            + range.index().name();
        };
    }

    private static void addPath(List<String> details, SqlTable table, AccessPath path) {
        KeyLayout key = table.stored().schema().key();
        switch (path) {
            case AccessPath.Scan _ -> {}
            case AccessPath.ByKey byKey -> details.add("Key: " + keys(names(key), byKey.keys()));
            case AccessPath.ByUnique byUnique ->
                    details.add(
                            "Key: "
                                    + keys(
                                            names(table, byUnique.index().columns()),
                                            byUnique.keys()));
            case AccessPath.ByNeighbours neighbours ->
                    details.add("Key: " + keys(names(key), List.of(neighbours.prefix())));
            case AccessPath.ByHash byHash ->
                    details.add(
                            "Key: " + keys(names(table, byHash.index().columns()), byHash.keys()));
            case AccessPath.ByRange range -> addRange(details, table, range);
        }
    }

    private static void addRange(List<String> details, SqlTable table, AccessPath.ByRange range) {
        List<String> names = names(table, range.index().columns());
        List<String> parts = new ArrayList<>();
        int known = range.prefixes().getFirst().size();
        if (known > 0) {
            parts.add(keys(names, range.prefixes()));
        }
        AccessPath.Interval interval = range.interval();
        if (interval.start() != null) {
            parts.add("(" + names.get(known) + " starts with " + interval.start() + ")");
        }
        if (interval.low() != null) {
            parts.add("(" + names.get(known) + " >= " + interval.low() + ")");
        }
        if (interval.high() != null) {
            parts.add("(" + names.get(known) + " <= " + interval.high() + ")");
        }
        if (!interval.isBounded() && !interval.hasNulls()) {
            parts.add("(" + names.get(known) + " IS NOT NULL)");
        }
        if (!parts.isEmpty()) {
            details.add("Key: " + String.join(" AND ", parts));
        }
    }

    private static String keys(List<String> names, List<List<Scalar>> keys) {
        List<String> texts = new ArrayList<>();
        List<List<Scalar>> different = keys.stream().distinct().toList();
        for (List<Scalar> key : different.subList(0, Math.min(different.size(), MAX_KEYS))) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < key.size(); i++) {
                boolean isNull = key.get(i) instanceof NullKey;
                parts.add(names.get(i) + (isNull ? " IS NULL" : " = " + key.get(i)));
            }
            texts.add("(" + String.join(" AND ", parts) + ")");
        }
        if (different.size() > MAX_KEYS) {
            texts.add("... " + (different.size() - MAX_KEYS) + " more");
        }
        return String.join(" OR ", texts);
    }

    private static List<String> names(KeyLayout key) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < key.columns(); i++) {
            names.add(key.name(i));
        }
        return names;
    }

    private static List<String> names(SqlTable table, List<Integer> columns) {
        return columns.stream().map(column -> table.columns().get(column).name()).toList();
    }

    private static String order(List<Relation.Ordering> order) {
        return order.stream()
                .map(part ->
                        part.value()
                                + (part.isDescending() ? " DESC" : "")
                                + (part.nullsFirst() == part.isDescending()
                                        ? ""
                                        : part.nullsFirst() ? " NULLS FIRST" : " NULLS LAST"))
                .collect(Collectors.joining(", "));
    }

    private static String joined(List<Scalar> scalars) {
        return scalars.stream().map(Scalar::toString).collect(Collectors.joining(", "));
    }

    private static void add(List<String> details, String name, @Nullable Scalar scalar) {
        if (scalar != null) {
            details.add(name + ": " + scalar);
        }
    }

    private static String name(Query.SetOperation.Operator operator) {
        return switch (operator) {
            case UNION -> "Union";
            case EXCEPT -> "Except";
            case INTERSECT -> "Intersect";
        };
    }
}
