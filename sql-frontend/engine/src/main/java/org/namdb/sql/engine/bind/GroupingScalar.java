package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// `GROUPING(a, b)`, before the rows are grouped: a bit for each argument, the last one the lowest,
/// which is set where the group's grouping set does not take it.
final class GroupingScalar extends Scalar {
    private final List<Scalar> arguments;

    GroupingScalar(List<Scalar> arguments) {
        super(SqlType.INTEGER);
        this.arguments = List.copyOf(arguments);
    }

    static boolean isIn(Scalar scalar) {
        boolean[] found = new boolean[1];
        Rewrite.visit(scalar, part -> found[0] |= part instanceof GroupingScalar);
        return found[0];
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("outside of a group: " + this);
    }

    @Override
    public List<Scalar> operands() {
        return arguments;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new GroupingScalar(newOperands);
    }

    @Override
    protected Object traits() {
        return "grouping";
    }

    @Override
    public String toString() {
        return arguments.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", "grouping(", ")"));
    }
}
