package org.namdb.sql.engine;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.copy.CopySource;
import org.namdb.sql.engine.copy.CopyTarget;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// A statement of a session that is parsed and planned once, and run often. Parameters are `?` or
/// `$1`, `$2`.
///
/// ```java
/// PreparedStatement owner = session.prepare("SELECT owner FROM accounts WHERE id = ?");
/// try (Result result = owner.execute(17)) {
///     String name = result.next() ? result.text(0) : null;
/// }
/// ```
public final class PreparedStatement {
    private final SqlSession session;
    private CompiledStatement compiled;
    private final NamedStatements.@Nullable Entry named;
    private @Nullable Object[] values;

    PreparedStatement(SqlSession session, CompiledStatement compiled) {
        this(session, compiled, null);
    }

    /// @param named what the session knows by a name; null if it has none
    PreparedStatement(
            SqlSession session, CompiledStatement compiled, NamedStatements.@Nullable Entry named) {
        this.session = session;
        this.compiled = compiled;
        this.named = named;
        this.values = new @Nullable Object[compiled.parameterTypes().size()];
    }

    /// The types of the parameters, in order.
    public List<SqlType> parameterTypes() {
        return compiled.parameterTypes();
    }

    /// What was parsed.
    public Statement statement() {
        return compiled.statement();
    }

    /// The columns of the rows that it gives; empty if it gives none.
    public List<ResultColumn> columns() {
        compiled = session.current(compiled);
        return session.columns(compiled);
    }

    /// Sets a parameter for the next [#execute()] and those after it.
    ///
    /// @param index from 1
    /// @param value null for NULL
    public PreparedStatement set(int index, @Nullable Object value) {
        if (index < 1 || index > values.length) {
            throw new IndexOutOfBoundsException("parameter " + index + " of " + values.length);
        }
        values[index - 1] = value;
        return this;
    }

    /// Sets an integer parameter.
    public PreparedStatement setInt64(int index, long value) {
        return set(index, value);
    }

    /// Sets a text parameter.
    public PreparedStatement setText(int index, @Nullable String value) {
        return set(index, value);
    }

    /// Sets a parameter to NULL.
    public PreparedStatement setNull(int index) {
        return set(index, null);
    }

    /// Runs it with the parameters that were set.
    ///
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done
    public Result execute() {
        return execute(values);
    }

    /// Runs it with these parameters.
    ///
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done
    public Result execute(@Nullable Object... parameters) {
        compiled = session.current(compiled);
        if (named != null) {
            named.executed();
        }
        return session.run(compiled, parameters);
    }

    /// Runs `COPY .. FROM STDIN`.
    ///
    /// @param data the rows, in the format that the statement names; text is UTF-8
    /// @throws org.namdb.sql.language.error.SqlException 22P04 if the data is malformed; nothing of
    ///     it was kept
    public Result copyIn(InputStream data) {
        return session.copy(compiled, CopySource.of(data), null);
    }

    /// Runs `COPY .. TO STDOUT`.
    ///
    /// @param out gets the rows, in the format that the statement names; each is written at once
    public Result copyOut(OutputStream out) {
        return session.copy(compiled, null, CopyTarget.of(out));
    }
}
