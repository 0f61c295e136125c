package org.namdb.sql.plan;

import java.util.List;
import org.namdb.sql.expression.Frame;
import org.namdb.sql.expression.Scalar;
import org.namdb.sql.expression.Volatility;
import org.namdb.sql.record.KeyWriter;
import org.namdb.sql.type.SqlType;

/// In a key of an index, the place of a column that is to be NULL. Any other expression that gives NULL finds nothing, as nothing is equal to NULL.
final class NullKey extends Scalar {
    NullKey(SqlType type) {
        super(type);
    }

    @Override
    public Object evaluate(Frame frame) {
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
