package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.Scalar;

/// The rows that RETURNING has given of a change in WITH.
///
/// @param number by which the statement knows the change
/// @param rows how many are expected
public record ReturnedRows(String name, int columns, int number, double rows)
        implements RowFunction {
    @Override
    public List<Scalar> scalars() {
        return List.of();
    }

    @Override
    public ReturnedRows map(UnaryOperator<Scalar> change) {
        return this;
    }
}
