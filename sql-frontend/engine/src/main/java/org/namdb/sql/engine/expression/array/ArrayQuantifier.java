package org.namdb.sql.engine.expression.array;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `a < ANY (array)`, and with ALL: NULL if no element decides it, but one is NULL.
public final class ArrayQuantifier extends Scalar {
    private final ComparisonOperator operator;
    private final Scalar operand;
    private final Scalar array;
    private final boolean isAll;
    private final ValueOrder order;

    /// @param operand of the class that `order` compares, as the array's elements are
    public ArrayQuantifier(
            ComparisonOperator operator,
            Scalar operand,
            Scalar array,
            boolean isAll,
            ValueOrder order) {
        super(SqlType.BOOLEAN);
        this.operator = operator;
        this.operand = operand;
        this.array = array;
        this.isAll = isAll;
        this.order = order;
    }

    /// What is compared.
    public Scalar operand() {
        return operand;
    }

    /// Whose elements it is compared with.
    public Scalar array() {
        return array;
    }

    /// Whether it is true where one element is equal.
    public boolean isEqualToAny() {
        return operator == ComparisonOperator.EQUAL && !isAll;
    }

    /// The order in which values are compared.
    public ValueOrder order() {
        return order;
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
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
            } else if (operator.holds(order.compare(value, element)) != isAll) {
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
        return new ArrayQuantifier(operator, newOperands.get(0), newOperands.get(1), isAll, order);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return List.of(operator, isAll);
    }

    @Override
    public String toString() {
        return "("
                + operand
                + " "
                + operator.symbol()
                + (isAll ? " ALL (" : " ANY (")
                + array
                + "))";
    }
}
