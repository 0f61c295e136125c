package org.namdb.sql.engine.plpgsql;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;

/// A statement of SQL in a routine, planned when it runs first, and again when the schema or the
/// columns of a record that it uses have changed.
final class SqlCode {
    private final String text;
    private final Statement statement;
    private final @Nullable Names names;

    /// Whether errors show the statement: not where they name the function and its number.
    private final boolean isShown;

    /// Sessions may overwrite each other's; each is whole.
    private volatile @Nullable Plan plan;

    /// @param shape the columns of its rows
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Plan(PreparedSql prepared, RowShape shape, Binding.Use[] uses) {}

    SqlCode(String text, Statement statement, @Nullable Names names) {
        this(text, statement, names, true);
    }

    SqlCode(String text, Statement statement, @Nullable Names names, boolean isShown) {
        this.isShown = isShown;
        this.text = text;
        this.statement = statement;
        this.names = names;
    }

    static SqlCode of(Sql sql, @Nullable Names names) {
        return new SqlCode(sql.text(), Objects.requireNonNull(sql.statement()), names);
    }

    /// The text as errors show it; null if they don't.
    @Nullable String shown() {
        return isShown ? text : null;
    }

    String text() {
        return text;
    }

    Statement statement() {
        return statement;
    }

    /// Its plan.
    ///
    /// @throws SqlException if it has no meaning
    Plan plan(Activation a) {
        Plan known = plan;
        if (known == null
                || !Binding.hold(known.uses, a.slots)
                || !a.context.isCurrent(known.prepared)) {
            Binding binding = new Binding(names, a);
            try {
                PreparedSql prepared = a.context.prepare(text, statement, binding);
                known = new Plan(prepared, RowShape.of(prepared.columns()), binding.uses());
            } catch (RuntimeException e) {
                throw failed(e, a);
            }
            plan = known;
        }
        return known;
    }

    /// A failure of the statement, which says that it is its.
    SqlException failed(RuntimeException failure, Activation a) {
        SqlException error = a.context.errorOf(failure);
        return isShown ? error.within("SQL statement \"" + text + '"') : error;
    }
}
