package org.namdb.sql.engine.plan;

import java.util.List;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.record.KeyWriter;
import org.namdb.sql.language.type.SqlType;

/// The part of an index key for a column that must be NULL. Any other expression that gives NULL
/// finds nothing, as nothing is equal to NULL.
final class NullKey extends Scalar {
    NullKey(SqlType type) {
        super(type);
    }

    @Override
    public Object evaluate(EvaluationFrame frame) {
        return KeyWriter.NULL;
    }

    @Override
    public List<Scalar> operands() {
        return List.of();
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return this;
    }

    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return KeyWriter.NULL;
    }

    @Override
    public String toString() {
        return "NULL";
    }
}
