package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.PlpgsqlStatement.Target;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Where values go: one record, or variables and fields in order.
final class Destination {
    private final List<Names.Found> targets = new ArrayList<>();

    /// The types of the targets; null if one is a record's field.
    private final @Nullable List<SqlType> types;

    /// The conversion of rows of the shape that came last.
    private volatile @Nullable Conversion conversion;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Conversion(RowShape from, List<SqlType> to, Scalar[] casts) {}

    /// @throws SqlException 42601 if one is no variable, 22005 if one is a constant
    Destination(@Nullable Names names, List<Target> targets) {
        for (Target target : targets) {
            Names.Found found = Names.target(names, target);
            if (found.variable().isConstant()) {
                throw new SqlException(
                        SqlState.ERROR_IN_ASSIGNMENT,
                        "variable \"" + found.variable().name() + "\" is declared CONSTANT");
            }
            if (targets.size() > 1 && found.field() == null && found.variable().isRecord()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "record variable cannot be part of multiple-item INTO list");
            }
            this.targets.add(found);
        }
        List<SqlType> found = new ArrayList<>();
        for (Names.Found target : this.targets) {
            SqlType type = target.variable().type();
            if (type != null) {
                found.add(type);
            }
        }
        this.types = found.size() == this.targets.size() ? List.copyOf(found) : null;
    }

    boolean isEmpty() {
        return targets.isEmpty();
    }

    /// The only variable, which is a record; null if it is something else.
    @Nullable Variable record() {
        Names.Found first = targets.getFirst();
        return targets.size() == 1 && first.field() == null && first.variable().isRecord()
                ? first.variable()
                : null;
    }

    /// The type of the only variable; null if it is something else.
    @Nullable SqlType type() {
        return targets.size() == 1 && targets.getFirst().field() == null
                ? targets.getFirst().variable().type()
                : null;
    }

    /// Puts a row there.
    ///
    /// @param row null for NULL in all
    void setRow(RowShape shape, @Nullable Object @Nullable [] row, Activation a) {
        Variable record = record();
        if (record != null) {
            RowShape fixed = record.shape();
            if (fixed == null) {
                a.slots[record.slot()] =
                        row == null ? RecordValue.empty(shape) : new RecordValue(shape, row);
            } else {
                a.slots[record.slot()] =
                        row == null
                                ? RecordValue.empty(fixed)
                                : new RecordValue(fixed, converted(shape, row, fixed.types(), a));
            }
            return;
        }
        if (row == null) {
            targets.forEach(each -> put(each, null, a));
            return;
        }
        @Nullable Object[] values = converted(shape, row, types(a), a);
        for (int i = 0; i < values.length; i++) {
            put(targets.get(i), values[i], a);
        }
    }

    private List<SqlType> types(Activation a) {
        if (types != null) {
            return types;
        }
        List<SqlType> found = new ArrayList<>(targets.size());
        targets.forEach(each -> found.add(type(each, a)));
        return found;
    }

    @SuppressWarnings("ReferenceEquality") // the same ones, mostly
    private @Nullable Object[] converted(
            RowShape from, @Nullable Object[] row, List<SqlType> to, Activation a) {
        Conversion known = conversion;
        if (known == null
                || known.from != from && !known.from.equals(from)
                || known.to != to && !known.to.equals(to)) {
            known = new Conversion(from, to, SqlValue.casts(from, to));
            conversion = known;
        }
        return SqlValue.converted(known.casts, row, a);
    }

    /// Puts a value into the only target.
    void set(@Nullable Object value, SqlType type, Activation a) {
        Names.Found target = targets.getFirst();
        put(target, SqlValue.converted(value, type, type(target, a), a), a);
    }

    /// Puts a value of its type into the only target.
    void setFitting(@Nullable Object value, Activation a) {
        put(targets.getFirst(), value, a);
    }

    private static SqlType type(Names.Found target, Activation a) {
        SqlType type = target.variable().type();
        if (type != null) {
            return type;
        }
        String field = target.field();
        RecordValue record = record(target.variable(), a);
        return field == null
                ? SqlType.TEXT
                : record.shape().types().get(column(record.shape(), target.variable(), field));
    }

    private static RecordValue record(Variable variable, Activation a) {
        if (a.slots[variable.slot()] instanceof RecordValue record) {
            return record;
        }
        throw VariableScalar.unassigned(variable);
    }

    private static int column(RowShape shape, Variable variable, String field) {
        int column = shape.names().indexOf(field);
        if (column < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "record \"" + variable.name() + "\" has no field \"" + field + '"');
        }
        return column;
    }

    private static void put(Names.Found target, @Nullable Object value, Activation a) {
        Variable variable = target.variable();
        String field = target.field();
        if (field != null) {
            RecordValue record = record(variable, a);
            a.slots[variable.slot()] = record.with(column(record.shape(), variable, field), value);
            return;
        }
        if (variable.isRecord()) {
            RowShape shape = variable.shape();
            a.slots[variable.slot()] = shape == null ? null : RecordValue.empty(shape);
            return;
        }
        if (value == null && variable.isNotNull()) {
            throw new SqlException(
                    SqlState.NULL_VALUE_NOT_ALLOWED,
                    "null value cannot be assigned to variable \""
                            + variable.name()
                            + "\" declared NOT NULL");
        }
        a.slots[variable.slot()] = value;
    }
}
