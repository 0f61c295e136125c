package org.namdb.sql.engine.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.expression.OuterColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// Whether something uses the query around it.
final class OuterUses {
    private OuterUses() {}

    static boolean in(@Nullable Scalar scalar) {
        if (scalar == null) {
            return false;
        }
        boolean[] found = new boolean[1];
        Rewrite.visit(scalar, part -> found[0] |= part instanceof OuterColumnScalar);
        return found[0];
    }

    static boolean in(Relation relation) {
        return switch (relation) {
            case Relation.Base _ -> false;
            case Relation.Rows rows -> rows.rows().stream().anyMatch(OuterUses::inAny);
            case Relation.Generated generated -> inAny(generated.function().scalars());
            case Relation.Filtered filtered -> in(filtered.condition()) || in(filtered.input());
            case Relation.Projected projected -> inAny(projected.values()) || in(projected.input());
            case Relation.Joined joined ->
                    in(joined.condition()) || in(joined.left()) || in(joined.right());
            case Relation.Grouped grouped ->
                    inAny(grouped.keys())
                            || grouped.calls().stream().anyMatch(OuterUses::in)
                            || in(grouped.input());
            case Relation.Windowed windowed ->
                    windowed.calls().stream().anyMatch(OuterUses::in) || in(windowed.input());
            case Relation.Sorted sorted ->
                    sorted.order().stream().anyMatch(part -> in(part.value()))
                            || in(sorted.input());
            case Relation.Distinct distinct -> in(distinct.input());
            case Relation.Limited limited ->
                    in(limited.limit()) || in(limited.offset()) || in(limited.input());
            case Relation.Combined combined -> in(combined.left()) || in(combined.right());
            case Relation.Locked locked -> in(locked.input());
        };
    }

    private static boolean inAny(List<Scalar> scalars) {
        return scalars.stream().anyMatch(OuterUses::in);
    }
}
