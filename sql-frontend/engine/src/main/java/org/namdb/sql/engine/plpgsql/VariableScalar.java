package org.namdb.sql.engine.plpgsql;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// A variable in an expression, or a field of a record, or a whole record as its text.
final class VariableScalar extends Scalar {
    /// For the record itself.
    static final int WHOLE = -1;

    private final Variable variable;
    private final int field;

    /// @param field the number of the record's column; [#WHOLE] for the variable itself
    VariableScalar(Variable variable, int field, SqlType type) {
        super(type);
        this.variable = variable;
        this.field = field;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = frame.environment().parameter(variable.slot());
        if (!variable.isRecord()) {
            return value;
        }
        if (field != WHOLE) {
            return ((RecordValue) Objects.requireNonNull(value)).values()[field];
        }
        return value instanceof RecordValue row && !row.isNull()
                ? RecordValue.text(row.shape(), row.values(), frame.environment().zone())
                : null;
    }

    /// The field of a record has no meaning before it has a row.
    static SqlException unassigned(Variable record) {
        return new SqlException(
                        SqlState.NOT_IN_PREREQUISITE_STATE,
                        "record \"" + record.name() + "\" is not assigned yet")
                .withDetail("The tuple structure of a not-yet-assigned record is indeterminate.");
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
    protected Object traits() {
        return List.of(variable.slot(), field);
    }

    @Override
    public String toString() {
        return variable.name();
    }
}
