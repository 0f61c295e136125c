package org.namdb.sql.engine.expression.array;

import java.util.List;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;

/// Each element of an array, in the key of an access path: a lookup replaces the key by as many as
/// the array has elements.
public final class AnyElement extends Scalar {
    private final Scalar array;

    /// @param array given before the table is read
    public AnyElement(Scalar array) {
        super(array.type().element());
        this.array = array;
    }

    /// Whose elements.
    public Scalar array() {
        return array;
    }

    @Override
    public Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("several values: " + this);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(array);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new AnyElement(newOperands.getFirst());
    }

    /// Not to be folded.
    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return "any";
    }

    @Override
    public String toString() {
        return "ANY (" + array + ")";
    }
}
