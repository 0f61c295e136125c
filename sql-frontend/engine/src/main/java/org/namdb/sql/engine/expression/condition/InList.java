package org.namdb.sql.engine.expression.condition;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `a [NOT] IN (b, c)`. Constants are looked up in a hash table, so that the length of the list
/// does not matter.
public final class InList extends Scalar {
    private final Scalar operand;
    private final List<Scalar> values;
    private final ValueOrder order;
    private final boolean isNegated;
    private final Set<Object> constants;
    private final Scalar[] others;
    private final boolean hasNull;

    private InList(
            Scalar operand,
            List<Scalar> values,
            ValueOrder order,
            boolean isNegated,
            Set<Object> constants,
            List<Scalar> others,
            boolean hasNull) {
        super(SqlType.BOOLEAN);
        this.operand = operand;
        this.values = List.copyOf(values);
        this.order = order;
        this.isNegated = isNegated;
        this.constants = constants;
        this.others = others.toArray(new Scalar[0]);
        this.hasNull = hasNull;
    }

    public static InList of(
            Scalar operand, List<Scalar> values, ValueOrder order, boolean isNegated) {
        Set<Object> constants = new HashSet<>();
        List<Scalar> others = new ArrayList<>();
        boolean hasNull = false;
        for (Scalar value : values) {
            if (!(value instanceof ConstantScalar constant)) {
                others.add(value);
            } else if (constant.value() == null) {
                hasNull = true;
            } else {
                constants.add(order.key(constant.value()));
            }
        }
        return new InList(operand, values, order, isNegated, constants, others, hasNull);
    }

    /// The order in which values are equal.
    public ValueOrder order() {
        return order;
    }

    /// The value that is searched for.
    public Scalar operand() {
        return operand;
    }

    /// The values that are searched.
    public List<Scalar> values() {
        return values;
    }

    /// Whether it is NOT IN.
    public boolean isNegated() {
        return isNegated;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        if (value == null) {
            return null;
        }
        if (!constants.isEmpty() && constants.contains(order.key(value))) {
            return !isNegated;
        }
        boolean isUnknown = hasNull;
        for (Scalar scalar : others) {
            Object other = scalar.evaluate(frame);
            if (other == null) {
                isUnknown = true;
            } else if (order.isEqual(value, other)) {
                return !isNegated;
            }
        }
        return isUnknown ? null : (Object) isNegated;
    }

    @Override
    public List<Scalar> operands() {
        List<Scalar> operands = new ArrayList<>(values.size() + 1);
        operands.add(operand);
        operands.addAll(values);
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return of(
                newOperands.getFirst(),
                newOperands.subList(1, newOperands.size()),
                order,
                isNegated);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return isNegated;
    }

    @Override
    public String toString() {
        String list = values.stream().map(Scalar::toString).collect(Collectors.joining(", "));
        return "(" + operand + (isNegated ? " NOT IN (" : " IN (") + list + "))";
    }
}
