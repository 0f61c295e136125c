package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.namdb.sql.engine.expression.Scalar;

/// AND of two or more conditions: false if one is, else NULL if one is, else true. Made by
/// [org.namdb.sql.engine.expression.operator.Logic].
public final class Conjunction extends Connective {
    public Conjunction(List<Scalar> operands) {
        super("AND", false, operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new Conjunction(newOperands);
    }
}
