package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.language.ast.WindowFrame.Exclusion;
import org.namdb.sql.language.ast.WindowFrame.Kind;
import org.namdb.sql.language.ast.WindowFrame.Unit;
import org.namdb.sql.language.type.SqlType;

/// A call of a window function, before the rows are in the window's order.
public final class WindowScalar extends Scalar {
    private final String function;
    private final @Nullable Aggregate aggregate;
    private final List<Scalar> arguments;
    private final List<Scalar> partition;
    private final List<Relation.Ordering> order;
    private final Bounds bounds;

    /// Which rows around one of them it takes.
    ///
    /// @param start where they begin: an offset; in RANGE, the least value of the order that is
    ///     among them; null where the kind has none
    /// @param end where they end
    /// @param value what RANGE compares with these; null where there is no offset
    /// @param exclusion which of these rows it does not take
    public record Bounds(
            Unit unit,
            Kind startKind,
            @Nullable Scalar start,
            Kind endKind,
            @Nullable Scalar end,
            @Nullable Scalar value,
            Exclusion exclusion) {
        /// From the first row to the last one that is equal to the current one in the order.
        static final Bounds DEFAULT =
                new Bounds(
                        Unit.RANGE,
                        Kind.UNBOUNDED_PRECEDING,
                        null,
                        Kind.CURRENT_ROW,
                        null,
                        null,
                        Exclusion.NO_OTHERS);

        private List<Scalar> scalars() {
            List<Scalar> scalars = new ArrayList<>();
            addTo(scalars, start);
            addTo(scalars, end);
            addTo(scalars, value);
            return scalars;
        }

        private static void addTo(List<Scalar> scalars, @Nullable Scalar scalar) {
            if (scalar != null) {
                scalars.add(scalar);
            }
        }

        private Bounds over(List<Scalar> scalars) {
            int at = 0;
            return new Bounds(
                    unit,
                    startKind,
                    start == null ? null : scalars.get(at++),
                    endKind,
                    end == null ? null : scalars.get(at++),
                    value == null ? null : scalars.get(at),
                    exclusion);
        }
    }

    /// @param function its name, in lower case
    /// @param aggregate what it computes over the frame; null if it is no aggregate
    WindowScalar(
            String function,
            @Nullable Aggregate aggregate,
            SqlType type,
            List<Scalar> arguments,
            List<Scalar> partition,
            List<Relation.Ordering> order,
            Bounds bounds) {
        super(type);
        this.function = function;
        this.aggregate = aggregate;
        this.arguments = List.copyOf(arguments);
        this.partition = List.copyOf(partition);
        this.order = List.copyOf(order);
        this.bounds = bounds;
    }

    /// Its name, in lower case.
    public String function() {
        return function;
    }

    /// What it computes over the frame, its argument aside; null if it is no aggregate.
    public @Nullable Aggregate aggregate() {
        return aggregate;
    }

    /// Its arguments; of an aggregate, the one value that it takes of each row.
    public List<Scalar> arguments() {
        return arguments;
    }

    /// What the rows of a partition agree in.
    List<Scalar> partition() {
        return partition;
    }

    /// The order of the rows of a partition.
    List<Relation.Ordering> order() {
        return order;
    }

    /// Whether the first part of the order is a descending one.
    public boolean isDescending() {
        return !order.isEmpty() && order.getFirst().isDescending();
    }

    /// Whether rows come first that have no value in the first part of the order.
    public boolean areNullsFirst() {
        return !order.isEmpty() && order.getFirst().nullsFirst();
    }

    /// Its frame.
    public Bounds bounds() {
        return bounds;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("a window function outside of its window: " + this);
    }

    @Override
    public List<Scalar> operands() {
        List<Scalar> operands = new ArrayList<>(arguments);
        operands.addAll(partition);
        order.forEach(part -> operands.add(part.value()));
        operands.addAll(bounds.scalars());
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        int ofOrder = arguments.size() + partition.size();
        List<Relation.Ordering> newOrder = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            Relation.Ordering part = order.get(i);
            newOrder.add(
                    new Relation.Ordering(
                            newOperands.get(ofOrder + i), part.isDescending(), part.nullsFirst()));
        }
        return new WindowScalar(
                function,
                aggregate,
                type(),
                newOperands.subList(0, arguments.size()),
                newOperands.subList(arguments.size(), ofOrder),
                newOrder,
                bounds.over(newOperands.subList(ofOrder + order.size(), newOperands.size())));
    }

    /// What is compared in addition to the operands.
    private record Traits(
            String function,
            @Nullable String aggregate,
            int arguments,
            int partition,
            List<String> order,
            Unit unit,
            Kind start,
            Kind end,
            Exclusion exclusion) {}

    @Override
    protected Object traits() {
        return new Traits(
                function,
                aggregate == null ? null : aggregate.withoutArgument(),
                arguments.size(),
                partition.size(),
                order.stream().map(part -> part.isDescending() + " " + part.nullsFirst()).toList(),
                bounds.unit,
                bounds.startKind,
                bounds.endKind,
                bounds.exclusion);
    }

    @Override
    public String toString() {
        String list =
                aggregate == null
                        ? arguments.stream().map(Scalar::toString).collect(Collectors.joining(", "))
                        : "";
        String call = aggregate == null ? function + "(" + list + ")" : aggregate.toString();
        return call + " OVER (..)";
    }
}
