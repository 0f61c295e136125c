package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.Scalar;

/// The rows of several functions side by side, with NULLs behind the end of a shorter one.
public record RowsFrom(List<RowFunction> functions) implements RowFunction {
    public RowsFrom {
        functions = List.copyOf(functions);
    }

    @Override
    public String name() {
        return "several functions";
    }

    @Override
    public int columns() {
        return functions.stream().mapToInt(RowFunction::columns).sum();
    }

    @Override
    public List<Scalar> scalars() {
        return functions.stream().flatMap(each -> each.scalars().stream()).toList();
    }

    @Override
    public RowsFrom map(UnaryOperator<Scalar> change) {
        return new RowsFrom(functions.stream().map(each -> each.map(change)).toList());
    }
}
