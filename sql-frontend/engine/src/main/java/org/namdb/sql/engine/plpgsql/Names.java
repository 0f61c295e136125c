package org.namdb.sql.engine.plpgsql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.PlpgsqlStatement.Target;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The variables that a statement of a routine may use: the last that was declared, and those
/// before it. Immutable.
///
/// @param outer null of the first one
record Names(Variable variable, @Nullable Names outer) {
    /// A variable, and a field of it if it is a record.
    ///
    /// @param field null for the variable itself
    record Found(Variable variable, @Nullable String field) {}

    /// The variable of a name; null if there is none.
    static @Nullable Variable find(@Nullable Names names, String name) {
        for (Names each = names; each != null; each = each.outer) {
            if (each.variable.name().equals(name)) {
                return each.variable;
            }
        }
        return null;
    }

    /// What a name of two parts stands for, a record's field or a block's variable; null if that is
    /// nothing.
    static @Nullable Found find(@Nullable Names names, String first, String second) {
        for (Names each = names; each != null; each = each.outer) {
            Variable variable = each.variable;
            if (variable.name().equals(first) && variable.isRecord()) {
                return new Found(variable, second);
            }
            if (first.equals(variable.label()) && variable.name().equals(second)) {
                return new Found(variable, null);
            }
        }
        return null;
    }

    /// What an assignment or INTO means.
    ///
    /// @throws SqlException 42601 if it is no variable
    static Found target(@Nullable Names names, Target target) {
        List<String> path = target.path();
        Found found = null;
        if (path.size() == 1) {
            Variable variable = find(names, path.getFirst());
            found = variable == null ? null : new Found(variable, null);
        } else if (path.size() == 2) {
            found = find(names, path.get(0), path.get(1));
        } else if (path.size() == 3) {
            Found record = find(names, path.get(0), path.get(1));
            found =
                    record == null || record.field != null
                            ? null
                            : new Found(record.variable, path.get(2));
        }
        if (found == null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "\"" + target + "\" is not a known variable");
        }
        return found;
    }
}
