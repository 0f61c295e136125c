package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.Scalar;

/// A function in FROM that gives rows.
public sealed interface RowFunction permits Series, RoutineRows, ArrayRows, RowsFrom {
    /// What it is called.
    String name();

    /// How many columns its rows have.
    int columns();

    /// Its expressions.
    List<Scalar> scalars();

    /// The same function of other expressions.
    RowFunction map(UnaryOperator<Scalar> change);
}
