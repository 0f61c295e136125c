package org.namdb.sql.engine.expression;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// An expression that gives one value for a tuple. Immutable once bound, and shared by all
/// executions of a plan.
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
    /// @throws org.namdb.sql.language.error.SqlException if there is none, as of a division by zero
    public abstract @Nullable Object evaluate(EvaluationFrame frame);

    /// The expressions that it is made of.
    public abstract List<Scalar> operands();

    /// The same over other operands, as many.
    public abstract Scalar withOperands(List<Scalar> newOperands);

    /// How long its value lasts while the operands keep theirs; not that of the operands. Only what
    /// is IMMUTABLE over constants is computed ahead.
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    /// What distinguishes it from others of its class and type with the same operands. Null if it
    /// is equal to none but itself.
    protected @Nullable Object traits() {
        return null;
    }

    /// Whether it is the same expression, so that both have one value for every tuple.
    @Override
    public final boolean equals(@Nullable Object other) {
        if (this == other) {
            return true;
        }
        Object traits = traits();
        return traits != null
                && other instanceof Scalar that
                && getClass() == that.getClass()
                && traits.equals(that.traits())
                && type().equals(that.type())
                && operands().equals(that.operands());
    }

    @Override
    public final int hashCode() {
        Object traits = traits();
        return traits == null
                ? System.identityHashCode(this)
                : Objects.hash(getClass(), traits, type(), operands());
    }

    /// The expression as EXPLAIN shows it.
    @Override
    public abstract String toString();
}
