package org.namdb.sql.engine.expression.aggregate;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// A call of an aggregate: evaluate the argument for each tuple of a group, and give the value to
/// the group's [Accumulator]. Found by [Aggregates].
public final class Aggregate {
    private final String name;
    private final Scalar argument;
    private final boolean isStar;
    private final boolean isDistinct;
    private final SqlType type;
    private final Supplier<Accumulator> accumulators;

    Aggregate(
            String name,
            Scalar argument,
            boolean isStar,
            boolean isDistinct,
            SqlType type,
            Supplier<Accumulator> accumulators) {
        this.name = name;
        this.argument = argument;
        this.isStar = isStar;
        this.isDistinct = isDistinct;
        this.type = type;
        this.accumulators = accumulators;
    }

    /// Its name, in lower case.
    public String name() {
        return name;
    }

    /// What is evaluated for each tuple; a constant for `count(*)`.
    public Scalar argument() {
        return argument;
    }

    /// Whether equal values count once. Accumulators ensure it, but for those of
    /// [#newAccumulatorOfDistinct].
    public boolean isDistinct() {
        return isDistinct;
    }

    /// The type of the result.
    public SqlType type() {
        return type;
    }

    /// An accumulator for one group.
    public Accumulator newAccumulator() {
        Accumulator accumulator = newAccumulatorOfDistinct();
        return isDistinct
                ? new DistinctAccumulator(ValueOrder.of(argument.type()), accumulator)
                : accumulator;
    }

    /// Whether its values can be kept as a tuple's: those of `string_agg` are pairs, and
    /// those of `array_agg` may be NULL.
    public boolean hasPlainValues() {
        return !name.equals("string_agg") && !name.equals("array_agg");
    }

    /// An accumulator for one group to which equal values are given once.
    public Accumulator newAccumulatorOfDistinct() {
        SortedPieceScalar sorted =
                argument instanceof FilteredScalar filtered
                                && filtered.value() instanceof SortedPieceScalar inner
                        ? inner
                        : argument instanceof SortedPieceScalar own ? own : null;
        return sorted == null
                ? accumulators.get()
                : new SortingAccumulator(sorted.keys(), accumulators.get());
    }

    /// The same over only those tuples for which a condition is true.
    public Aggregate where(Scalar condition) {
        return new Aggregate(
                name,
                new FilteredScalar(argument, condition),
                isStar,
                isDistinct,
                type,
                accumulators);
    }

    /// The same over the tuples in an order. Only `string_agg` and `array_agg` use one; a later
    /// order takes the place of an earlier one.
    public Aggregate ordered(List<SortedPieceScalar.Key> keys) {
        if (argument instanceof SortedPieceScalar sorted) {
            return unordered(sorted).ordered(keys);
        }
        return argument instanceof PieceScalar || argument instanceof ElementScalar
                ? new Aggregate(
                        name,
                        new SortedPieceScalar(argument, keys),
                        isStar,
                        isDistinct,
                        type,
                        accumulators)
                : this;
    }

    private Aggregate unordered(SortedPieceScalar sorted) {
        return new Aggregate(
                name, sorted.operands().getFirst(), isStar, isDistinct, type, accumulators);
    }

    /// The same over another argument of the same type.
    public Aggregate withArgument(Scalar newArgument) {
        return new Aggregate(name, newArgument, isStar, isDistinct, type, accumulators);
    }

    /// What distinguishes it from others over the same argument.
    public String withoutArgument() {
        return name + " " + isStar + " " + isDistinct;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Aggregate that
                && name.equals(that.name)
                && isStar == that.isStar
                && isDistinct == that.isDistinct
                && argument.equals(that.argument);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, isStar, isDistinct, argument);
    }

    @Override
    public String toString() {
        FilteredScalar filtered = argument instanceof FilteredScalar f ? f : null;
        String arguments =
                isStar ? "*" : (filtered == null ? argument : filtered.value()).toString();
        return name
                + "("
                + (isDistinct ? "DISTINCT " : "")
                + arguments
                + ")"
                + (filtered == null ? "" : " FILTER (WHERE " + filtered.condition() + ")");
    }
}
