package org.namdb.sql.engine.bind;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The variables of a routine, which its statements of SQL use by name, as they use columns.
public interface Variables {
    /// Of statements that are no routine's.
    Variables NONE =
            new Variables() {
                @Override
                public @Nullable Scalar find(@Nullable Name qualifier, Name name) {
                    return null;
                }

                @Override
                public @Nullable Scalar parameter(Expression.Parameter parameter) {
                    return null;
                }

                @Override
                public String conflicts() {
                    return "error";
                }
            };

    /// What a name stands for: a variable, or a field of a record; null if there is none.
    ///
    /// @param qualifier a block's label, a routine's name, or a record; null for a name alone
    @Nullable Scalar find(@Nullable Name qualifier, Name name);

    /// What `$1` stands for; null if it is a parameter of the statement itself.
    ///
    /// @throws SqlException 42P02 if there is no such parameter of the routine
    @Nullable Scalar parameter(Expression.Parameter parameter);

    /// Which one is meant if a name is a variable's and a column's: `error`, `use_variable` or
    /// `use_column`.
    String conflicts();

    /// The one that is meant: the variable, or a column of the same name.
    ///
    /// @throws SqlException 42702 if both may be
    static Scalar chosen(
            Scalar variable, Expression.ColumnName name, Scope scope, BindContext context) {
        String conflicts = context.variables().conflicts();
        Scalar column =
                conflicts.equals("use_variable")
                        ? null
                        : scope.find(name.qualifier(), name.column());
        if (column == null) {
            return variable;
        }
        if (conflicts.equals("use_column")) {
            context.noteColumn(column, name.position());
            return column;
        }
        Name qualifier = name.qualifier();
        throw new SqlException(
                        SqlState.AMBIGUOUS_COLUMN,
                        "column reference \""
                                + (qualifier == null ? "" : qualifier.text() + ".")
                                + name.column().text()
                                + "\" is ambiguous",
                        name.position())
                .withDetail("It could refer to either a PL/pgSQL variable or a table column.");
    }
}
