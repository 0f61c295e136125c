package org.namdb.sql.engine.expression.aggregate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// The two arguments of `string_agg` as one value; NULL if the first is.
final class PieceScalar extends Scalar {
    private final Scalar value;
    private final Scalar delimiter;

    /// @param delimiter what precedes the text, unless it is the first
    record Piece(String text, String delimiter) {}

    PieceScalar(Scalar value, Scalar delimiter) {
        super(SqlType.TEXT);
        this.value = value;
        this.delimiter = delimiter;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object text = value.evaluate(frame);
        if (text == null) {
            return null;
        }
        Object before = delimiter.evaluate(frame);
        return new Piece((String) text, before == null ? "" : (String) before);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(value, delimiter);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new PieceScalar(newOperands.get(0), newOperands.get(1));
    }

    /// Not to be folded: its value is of no SQL type.
    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return "string_agg";
    }

    @Override
    public String toString() {
        return value + ", " + delimiter;
    }
}
