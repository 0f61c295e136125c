package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.Scalar;

/// What gives rows in FROM: a function, or the session.
public sealed interface RowFunction
        permits Series, RoutineRows, ArrayRows, RowsFrom, SessionRows, ReturnedRows {
    /// What it is called.
    String name();

    /// How many columns its rows have.
    int columns();

    /// Its expressions.
    List<Scalar> scalars();

    /// The same function of other expressions.
    RowFunction map(UnaryOperator<Scalar> change);
}
