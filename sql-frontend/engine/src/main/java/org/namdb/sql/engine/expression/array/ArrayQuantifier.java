package org.namdb.sql.engine.expression.array;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `a < ANY (array)`, `a LIKE ALL (array)`: NULL if no element decides it, but one is NULL.
public final class ArrayQuantifier extends Scalar {
    private final ElementTest test;
    private final Scalar operand;
    private final Scalar array;
    private final boolean isAll;

    /// @param operand of the class that the test takes, as the array's elements are
    public ArrayQuantifier(ElementTest test, Scalar operand, Scalar array, boolean isAll) {
        super(SqlType.BOOLEAN);
        this.test = test;
        this.operand = operand;
        this.array = array;
        this.isAll = isAll;
    }

    /// What is compared.
    public Scalar operand() {
        return operand;
    }

    /// Whose elements it is compared with.
    public Scalar array() {
        return array;
    }

    /// The order in which values are compared, if it is true where one element is equal; else null.
    public @Nullable ValueOrder orderOfEqual() {
        return !isAll
                        && test instanceof ElementTest.Compared compared
                        && compared.operator() == ComparisonOperator.EQUAL
                ? compared.order()
                : null;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        SqlArray elements = (SqlArray) array.evaluate(frame);
        if (elements == null) {
            return null;
        }
        if (elements.values().isEmpty()) {
            return isAll;
        }
        Object value = operand.evaluate(frame);
        if (value == null) {
            return null;
        }
        boolean hasNull = false;
        for (Object element : elements.values()) {
            if (element == null) {
                hasNull = true;
            } else if (test.holds(frame.environment(), value, element) != isAll) {
                return !isAll;
            }
        }
        return hasNull ? null : (Object) isAll;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand, array);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ArrayQuantifier(test, newOperands.get(0), newOperands.get(1), isAll);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return List.of(test, isAll);
    }

    @Override
    public String toString() {
        return "(" + operand + " " + test.symbol() + (isAll ? " ALL (" : " ANY (") + array + "))";
    }
}
