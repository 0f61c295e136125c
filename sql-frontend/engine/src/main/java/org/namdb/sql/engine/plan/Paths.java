package org.namdb.sql.engine.plan;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;

/// Changes the keys of access paths.
final class Paths {
    private Paths() {}

    /// The path with each expression of its keys exchanged.
    static AccessPath map(AccessPath path, UnaryOperator<Scalar> exchange) {
        return switch (path) {
            case AccessPath.Scan scan -> scan;
            case AccessPath.ByKey byKey -> new AccessPath.ByKey(all(byKey.keys(), exchange));
            case AccessPath.ByUnique byUnique ->
                    new AccessPath.ByUnique(byUnique.index(), all(byUnique.keys(), exchange));
            case AccessPath.ByNeighbours neighbours ->
                    new AccessPath.ByNeighbours(
                            neighbours.prefix().stream().map(exchange).toList());
            case AccessPath.ByHash byHash ->
                    new AccessPath.ByHash(byHash.index(), all(byHash.keys(), exchange));
            case AccessPath.ByRange range ->
                    new AccessPath.ByRange(
                            range.index(),
                            all(range.prefixes(), exchange),
                            interval(range.interval(), exchange),
                            range.order());
        };
    }

    private static List<List<Scalar>> all(List<List<Scalar>> keys, UnaryOperator<Scalar> exchange) {
        return keys.stream().map(key -> key.stream().map(exchange).toList()).toList();
    }

    private static AccessPath.Interval interval(
            AccessPath.Interval interval, UnaryOperator<Scalar> exchange) {
        return new AccessPath.Interval(
                one(interval.low(), exchange),
                one(interval.high(), exchange),
                one(interval.start(), exchange),
                interval.hasNulls());
    }

    private static @Nullable Scalar one(@Nullable Scalar bound, UnaryOperator<Scalar> exchange) {
        return bound == null ? null : exchange.apply(bound);
    }
}
