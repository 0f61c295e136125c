package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.Scalar;

/// The rows of a relation of the system's catalog that shows what its session has.
public record SessionRows(String name, int columns) implements RowFunction {
    @Override
    public List<Scalar> scalars() {
        return List.of();
    }

    @Override
    public SessionRows map(UnaryOperator<Scalar> change) {
        return this;
    }
}
