package org.namdb.sql.engine.expression.array;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// `ARRAY[a, b]`.
public final class ArrayScalar extends Scalar {
    private final List<Scalar> elements;

    private ArrayScalar(List<Scalar> elements, SqlType type) {
        super(type);
        this.elements = List.copyOf(elements);
    }

    /// An array of the type that all elements can be.
    ///
    /// @throws SqlException 42P18 without elements, 42804 if they have no type in common
    public static Scalar of(List<Scalar> elements) {
        if (elements.isEmpty()) {
            throw new SqlException(
                            SqlState.INDETERMINATE_DATATYPE, "cannot determine type of empty array")
                    .withHint(
                            "Explicitly cast to the desired type, for example ARRAY[]::integer[].");
        }
        SqlType element = Casts.commonType("ARRAY", elements);
        refuseNested(element);
        return new ArrayScalar(
                elements.stream().map(each -> Casts.implicit(each, element)).toList(),
                SqlType.arrayOf(element));
    }

    /// An array of this type, to whose elements each is cast.
    public static Scalar cast(List<Scalar> elements, SqlType type) {
        refuseNested(type.element());
        return new ArrayScalar(
                elements.stream().map(each -> Casts.explicit(each, type.element())).toList(), type);
    }

    private static void refuseNested(SqlType element) {
        if (element.isArray()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "arrays of several dimensions are not supported");
        }
    }

    /// The elements of an array that is written out; null of another one.
    public static @Nullable List<Scalar> elements(Scalar array) {
        if (array instanceof ArrayScalar written) {
            return written.elements;
        }
        if (array instanceof ConstantScalar constant
                && constant.value() instanceof SqlArray known) {
            List<Scalar> elements = new ArrayList<>();
            known.values().forEach(each -> elements.add(new ConstantScalar(each, known.element())));
            return elements;
        }
        return null;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        List<@Nullable Object> values = new ArrayList<>(elements.size());
        for (Scalar element : elements) {
            values.add(element.evaluate(frame));
        }
        return new SqlArray(type().element(), values);
    }

    @Override
    public List<Scalar> operands() {
        return elements;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ArrayScalar(newOperands, type());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "array";
    }

    @Override
    public String toString() {
        return elements.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", "ARRAY[", "]"));
    }
}
