package org.namdb.sql.engine.plpgsql;

import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;

/// A value as one of another type by way of its text: what an assignment in PL/pgSQL does where
/// there is no cast.
final class TextCastScalar extends Scalar {
    private final Scalar operand;

    private TextCastScalar(Scalar operand, SqlType type) {
        super(type);
        this.operand = operand;
    }

    /// A value as a variable of a type takes it.
    static Scalar assigned(Scalar value, SqlType type) {
        try {
            return Casts.assignment(value, type, "");
        } catch (SqlException e) {
            if (e.state() != SqlState.DATATYPE_MISMATCH) {
                throw e;
            }
            return new TextCastScalar(value, type);
        }
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        ZoneId zone = frame.environment().zone();
        return value == null
                ? null
                : Casts.fitted(
                        TextParser.parse(
                                TextFormat.format(value, operand.type(), zone),
                                type().unbounded(),
                                zone),
                        type());
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new TextCastScalar(newOperands.getFirst(), type());
    }

    @Override
    protected Object traits() {
        return type();
    }

    @Override
    public String toString() {
        return operand + "::" + type();
    }
}
