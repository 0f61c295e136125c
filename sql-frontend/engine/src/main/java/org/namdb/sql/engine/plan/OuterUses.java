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
        // What the right side of a lateral join takes are the join's arguments.
        List<Relation> inputs =
                relation instanceof Relation.Lateral lateral
                        ? List.of(lateral.left())
                        : relation.inputs();
        return relation.scalars().stream().anyMatch(OuterUses::in)
                || inputs.stream().anyMatch(OuterUses::in);
    }
}
