package org.namdb.sql.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.type.SqlType;

/// An expression that gives one value for a tuple. Immutable once bound, and shared by all executions of a plan.
public abstract class Scalar {
    private final SqlType type;

    protected Scalar(SqlType type) {
        this.type = type;
    }

    /// The type of its values.
    public SqlType type() {
        return type;
    }

    /// Its value, null for NULL.
    ///
    /// @throws org.namdb.sql.error.SqlException if there is none, as of a division by zero
    public abstract @Nullable Object evaluate(Frame frame);

    /// The expressions that it is made of.
    public abstract List<Scalar> operands();

    /// The same over other operands, as many.
    public abstract Scalar withOperands(List<Scalar> newOperands);

    /// The expression as EXPLAIN shows it.
    @Override
    public abstract String toString();
}
