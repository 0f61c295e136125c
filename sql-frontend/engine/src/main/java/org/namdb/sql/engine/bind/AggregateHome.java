package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.OuterColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Finds the query that an aggregate belongs to: the nearest one of which it uses a column or an
/// aggregate, and the one that it is written in if it uses none. An aggregate of a query further
/// out is a value that the subquery takes from there, as columns are.
///
/// Made before the aggregate's arguments are bound, since what those take from the queries around
/// is released if the aggregate moves there itself.
final class AggregateHome {
    private final BindContext context;

    /// What the query that the aggregate is written in takes from the one around it, and so on
    /// outwards.
    private final List<Arguments> around = new ArrayList<>();

    /// How many values each of them had taken.
    private final List<Integer> taken = new ArrayList<>();

    private final @Nullable String clause;

    /// @param arguments those of the query that the aggregate is written in; null in the outermost
    /// @param clause the clause that no aggregate of that query may be in; null if they are allowed
    AggregateHome(BindContext context, @Nullable Arguments arguments, @Nullable String clause) {
        this.context = context;
        this.clause = clause;
        for (Arguments next = arguments; next != null; next = next.outer().arguments()) {
            around.add(next);
            taken.add(next.values().size());
        }
    }

    /// The aggregate, or its replacement where it is written.
    ///
    /// @throws SqlException 42803 if its query must have no aggregate there, or if it is in an
    ///     aggregate of the same query
    Scalar place(AggregateScalar call, Position position) {
        AggregateScalar moved = call;
        int level = 0;
        while (level < around.size() && !usesItsQuery(moved) && usesOuter(moved)) {
            moved = outwards(moved, around.get(level));
            level++;
        }
        refuseNested(moved);
        String forbidden = level == 0 ? clause : around.get(level - 1).clause();
        if (forbidden != null) {
            throw new SqlException(
                    SqlState.GROUPING_ERROR,
                    "aggregate functions are not allowed in " + forbidden,
                    position);
        }
        context.noteAggregate(moved, position);
        for (int i = 0; i < level; i++) {
            List<Scalar> values = around.get(i).values();
            values.subList(taken.get(i), values.size()).clear();
        }
        Scalar placed = moved;
        for (int i = level - 1; i >= 0; i--) {
            placed = around.get(i).take(placed);
        }
        return placed;
    }

    private static boolean usesItsQuery(AggregateScalar call) {
        boolean[] found = new boolean[1];
        Rewrite.visit(
                call.argument(),
                part ->
                        found[0] |=
                                part instanceof ColumnScalar || part instanceof AggregateScalar);
        return found[0];
    }

    private static boolean usesOuter(AggregateScalar call) {
        boolean[] found = new boolean[1];
        Rewrite.visit(call.argument(), part -> found[0] |= part instanceof OuterColumnScalar);
        return found[0];
    }

    /// The aggregate as an expression of the query around.
    private static AggregateScalar outwards(AggregateScalar call, Arguments arguments) {
        return call.withArgument(
                Rewrite.replace(
                        call.argument(),
                        part ->
                                part instanceof OuterColumnScalar outer
                                        ? arguments.values().get(outer.index())
                                        : null));
    }

    private void refuseNested(AggregateScalar call) {
        Rewrite.visit(
                call.argument(),
                part -> {
                    if (part instanceof AggregateScalar) {
                        throw new SqlException(
                                SqlState.GROUPING_ERROR,
                                "aggregate function calls cannot be nested",
                                context.placeOfAggregate(part));
                    }
                });
    }
}
