package org.namdb.sql.engine.expression;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The types of a statement's parameters: declared, or taken from where they stand while the
/// statement is bound.
public final class ParameterTypes {
    private final List<SqlType> types;

    /// Those that are declared with a type, or stand somewhere.
    private final BitSet known = new BitSet();

    /// None declared.
    public ParameterTypes() {
        this(List.of());
    }

    /// @param declared the types of the first parameters; UNKNOWN for one that the context is
    ///     to give
    public ParameterTypes(List<SqlType> declared) {
        types = new ArrayList<>(declared);
        for (int i = 0; i < declared.size(); i++) {
            known.set(i, !declared.get(i).isUnknown());
        }
    }

    /// The type of a parameter, from 0; UNKNOWN as long as nothing has given it one.
    public SqlType type(int index) {
        return index < types.size() ? types.get(index) : SqlType.UNKNOWN;
    }

    /// Gives a parameter a type, without length, unless it has one.
    public void infer(int index, SqlType type) {
        mention(index);
        if (types.get(index).isUnknown()) {
            types.set(index, type.unbounded());
        }
    }

    /// Records that there is such a parameter.
    public void mention(int index) {
        known.set(index);
        while (types.size() <= index) {
            types.add(SqlType.UNKNOWN);
        }
    }

    /// Gives the parameters a type that have none; not those that stand nowhere before others.
    public void inferRest(SqlType type) {
        known.stream().forEach(index -> infer(index, type));
    }

    /// How many parameters there are.
    public int count() {
        return types.size();
    }

    /// The types of all parameters, when the statement is bound.
    ///
    /// @throws SqlException 42P18 if nothing has given one its type
    public List<SqlType> resolved() {
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i).isUnknown()) {
                throw new SqlException(
                        SqlState.INDETERMINATE_DATATYPE,
                        "could not determine data type of parameter $" + (i + 1));
            }
        }
        return List.copyOf(types);
    }
}
