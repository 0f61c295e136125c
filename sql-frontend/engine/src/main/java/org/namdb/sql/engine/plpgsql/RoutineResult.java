package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// What a routine returns.
///
/// @param shape the columns of its rows; without columns if it returns nothing
/// @param isSet whether it returns any number of rows
/// @param variables the parameters that are its columns; empty if RETURN gives the value
/// @param isRow whether RETURN gives a record
record RoutineResult(RowShape shape, boolean isSet, List<Variable> variables, boolean isRow) {
    RoutineResult {
        variables = List.copyOf(variables);
    }

    boolean isVoid() {
        return shape.size() == 0;
    }

    /// The type of its values; null if they are rows.
    @Nullable SqlType type() {
        return isRow || shape.size() != 1 ? null : shape.types().getFirst();
    }

    /// The row that the parameters are now; null if it returns nothing.
    @Nullable Object @Nullable [] ofVariables(Activation a) {
        if (variables.isEmpty()) {
            return null;
        }
        @Nullable Object[] row = new @Nullable Object[variables.size()];
        for (int i = 0; i < row.length; i++) {
            row[i] = a.slots[variables.get(i).slot()];
        }
        return row;
    }

    /// The row that a value is.
    @Nullable Object @Nullable [] row(SqlValue value, Activation a) {
        Variable record = value.record();
        if (record == null && isRow) {
            if (value.evaluate(a) == null) {
                return new @Nullable Object[shape.size()];
            }
            throw new SqlException(
                    SqlState.DATATYPE_MISMATCH,
                    "cannot return non-composite value from function returning composite type");
        }
        if (record == null || !isRow) {
            return new @Nullable Object[] {value.evaluate(a)};
        }
        if (!(a.slots[record.slot()] instanceof RecordValue row)) {
            throw VariableScalar.unassigned(record);
        }
        if (row.shape().size() != shape.size()) {
            throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "returned record type does not match expected record type")
                    .withDetail(
                            "Number of returned columns (%d) does not match expected column count (%d)."
                                    .formatted(row.shape().size(), shape.size()));
        }
        Scalar[] casts = SqlValue.casts(row.shape(), shape.types());
        return SqlValue.converted(casts, row.values(), a);
    }

    /// Refuses rows of other types.
    ///
    /// @throws SqlException 42804 if their columns are others
    void requireMatch(RowShape rows) {
        List<String> details = new ArrayList<>();
        if (rows.size() != shape.size()) {
            details.add(
                    "Number of returned columns (%d) does not match expected column count (%d)."
                            .formatted(rows.size(), shape.size()));
        }
        for (int i = 0; details.isEmpty() && i < shape.size(); i++) {
            String given = rows.types().get(i).name();
            String wanted = shape.types().get(i).name();
            if (!given.equals(wanted)) {
                details.add(
                        "Returned type %s does not match expected type %s in column %d."
                                .formatted(given, wanted, i + 1));
            }
        }
        if (!details.isEmpty()) {
            throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "structure of query does not match function result type")
                    .withDetail(details.getFirst());
        }
    }
}
