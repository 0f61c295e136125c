package org.namdb.sql.engine.expression.function;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// `starts_with(column, text)`.
///
/// @param text what the column's value is to begin with
public record StartsWith(ColumnScalar column, Scalar text) {
    /// A condition of this form; null if it is another one.
    public static @Nullable StartsWith of(Scalar condition) {
        if (!(condition instanceof FunctionScalar call) || !call.name().equals("starts_with")) {
            return null;
        }
        List<Scalar> arguments = call.operands();
        return arguments.getFirst() instanceof ColumnScalar column
                ? new StartsWith(column, arguments.getLast())
                : null;
    }
}
