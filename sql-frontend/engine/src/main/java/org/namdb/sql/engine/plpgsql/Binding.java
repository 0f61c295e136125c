package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Variables;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The variables of a routine while SQL of it is planned. A record has the columns that it has at
/// that time: the plan is good as long as [it has them][Use#holds].
final class Binding implements Variables {
    private final @Nullable Names names;
    private final Program program;
    private final @Nullable Object[] slots;
    private final List<Use> uses = new ArrayList<>();

    /// A record that SQL uses, and its columns.
    record Use(int slot, RowShape shape) {
        @SuppressWarnings("ReferenceEquality") // the same one, mostly
        boolean holds(@Nullable Object[] slots) {
            return slots[slot] instanceof RecordValue value
                    && (value.shape() == shape || value.shape().equals(shape));
        }
    }

    Binding(@Nullable Names names, Activation a) {
        this.names = names;
        this.program = a.program;
        this.slots = a.slots;
    }

    /// The records that were used.
    Use[] uses() {
        return uses.toArray(new Use[0]);
    }

    static boolean hold(Use[] uses, @Nullable Object[] slots) {
        for (Use use : uses) {
            if (!use.holds(slots)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public @Nullable Scalar find(@Nullable Name qualifier, Name name) {
        if (qualifier == null) {
            Variable variable = Names.find(names, name.text());
            return variable == null ? null : whole(variable);
        }
        Names.Found found = Names.find(names, qualifier.text(), name.text());
        if (found == null) {
            return null;
        }
        return found.field() == null ? whole(found.variable()) : field(found, name);
    }

    private static Scalar whole(Variable variable) {
        SqlType type = variable.type();
        return new VariableScalar(
                variable, VariableScalar.WHOLE, type == null ? SqlType.TEXT : type);
    }

    private Scalar field(Names.Found found, Name name) {
        Variable record = found.variable();
        if (!(slots[record.slot()] instanceof RecordValue value)) {
            throw VariableScalar.unassigned(record);
        }
        int column = value.shape().names().indexOf(name.text());
        if (column < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "record \"" + record.name() + "\" has no field \"" + name.text() + '"',
                    name.position());
        }
        uses.add(new Use(record.slot(), value.shape()));
        return new VariableScalar(record, column, value.shape().types().get(column));
    }

    @Override
    public Scalar parameter(Expression.Parameter parameter) {
        Variable variable = program.parameter(parameter.index());
        if (variable == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_PARAMETER,
                    "there is no parameter $" + (parameter.index() + 1),
                    parameter.position());
        }
        return whole(variable);
    }

    @Override
    public String conflicts() {
        return program.conflicts();
    }
}
