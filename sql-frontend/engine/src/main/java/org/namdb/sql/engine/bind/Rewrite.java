package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// Changes parts of expressions.
public final class Rewrite {
    private Rewrite() {}

    /// The expression with some of its parts exchanged, from the top down.
    ///
    /// @param exchange the replacement of a part; null if it stays, and its own parts are visited
    @SuppressWarnings(
            "ReferenceEquality") // whether a part is another object, not whether it means the same
    public static Scalar replace(Scalar scalar, Function<Scalar, @Nullable Scalar> exchange) {
        Scalar other = exchange.apply(scalar);
        if (other != null) {
            return other;
        }
        List<Scalar> operands = scalar.operands();
        List<Scalar> changed = null;
        for (int i = 0; i < operands.size(); i++) {
            Scalar operand = replace(operands.get(i), exchange);
            if (operand != operands.get(i) && changed == null) {
                changed = new ArrayList<>(operands);
            }
            if (changed != null) {
                changed.set(i, operand);
            }
        }
        return changed == null ? scalar : scalar.withOperands(changed);
    }

    /// Shows the expression and all of its parts.
    public static void visit(Scalar scalar, Consumer<Scalar> visitor) {
        visitor.accept(scalar);
        for (Scalar operand : scalar.operands()) {
            visit(operand, visitor);
        }
    }

    /// The expression over tuples that hold these fields in this order.
    ///
    /// @throws IllegalStateException if it uses another field
    public static Scalar toPositions(Scalar scalar, List<Field> layout) {
        return replace(
                scalar,
                part ->
                        part instanceof ColumnScalar column
                                ? new ColumnScalar(
                                        position(layout, column), column.type(), column.name())
                                : null);
    }

    private static int position(List<Field> layout, ColumnScalar column) {
        for (int i = 0; i < layout.size(); i++) {
            if (layout.get(i).id() == column.index()) {
                return i;
            }
        }
        throw new IllegalStateException("column " + column.name() + " is not in " + layout);
    }
}
