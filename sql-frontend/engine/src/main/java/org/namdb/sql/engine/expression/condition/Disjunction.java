package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.namdb.sql.engine.expression.Scalar;

/// OR of two or more conditions: true if one is, else NULL if one is, else false. Made by
/// [org.namdb.sql.engine.expression.operator.Logic].
public final class Disjunction extends Connective {
    public Disjunction(List<Scalar> operands) {
        super("OR", true, operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new Disjunction(newOperands);
    }
}
