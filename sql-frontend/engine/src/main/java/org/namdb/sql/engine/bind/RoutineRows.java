package org.namdb.sql.engine.bind;

import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.expression.Scalar;

/// The rows of a function that users have made. The session runs it, in the statement's
/// transaction.
///
/// @param arguments of its parameters' types
public record RoutineRows(Routine routine, List<Scalar> arguments) implements RowFunction {
    public RoutineRows {
        arguments = List.copyOf(arguments);
    }

    @Override
    public String name() {
        return routine.name();
    }

    @Override
    public int columns() {
        return routine.columns().size();
    }

    @Override
    public List<Scalar> scalars() {
        return arguments;
    }

    @Override
    public RoutineRows map(UnaryOperator<Scalar> change) {
        return new RoutineRows(routine, arguments.stream().map(change).toList());
    }
}
