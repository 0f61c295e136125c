package org.namdb.sql.engine.change;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.copy.CopyInput;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// COPY table FROM: rows of data become rows of a table, a batch at a time. All of them are one
/// transaction, so that they must fit in its write set: a few million rows.
public final class CopyPlan {
    private final SqlTable table;
    private final List<Integer> columns;

    /// @param table where the rows go
    /// @param names the columns that the data has; empty for all
    /// @throws SqlException 42703 if there is no such column
    public CopyPlan(SqlTable table, List<Name> names) {
        this.table = table;
        this.columns = columns(table, names);
    }

    /// How many columns are copied.
    public int width() {
        return columns.size();
    }

    /// The numbers of the columns that are copied.
    ///
    /// @param names empty for all
    public static List<Integer> columns(SqlTable table, List<Name> names) {
        List<Integer> columns = new ArrayList<>();
        for (Name name : names) {
            int column = ChangePlanner.column(table, name);
            if (columns.contains(column)) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + name.text() + "\" specified more than once",
                        name.position());
            }
            if (table.columns().get(column).isGenerated()) {
                throw new SqlException(
                                SqlState.INVALID_COLUMN_REFERENCE,
                                "column \"" + name.text() + "\" is a generated column",
                                name.position())
                        .withDetail("Generated columns cannot be used in COPY.");
            }
            columns.add(column);
        }
        for (int i = 0; names.isEmpty() && i < table.columns().size(); i++) {
            if (!table.columns().get(i).isHidden() && !table.columns().get(i).isGenerated()) {
                columns.add(i);
            }
        }
        return columns;
    }

    /// Takes all rows in.
    ///
    /// @return how many
    /// @throws SqlException 22P04 if the data is malformed, and what an INSERT may throw; with the
    ///     line as the context
    /// @throws IOException if the data can't be read
    public long run(ChangePlan.Run run, CopyInput data) throws IOException {
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        TableWriter writer = changes.writer(table);
        TableConstraints constraints = run.context().constraints(table);
        EvaluationFrame frame = run.frame();
        List<@Nullable Object[]> batch = new ArrayList<>();
        long[] lines = new long[TableWriter.BATCH];
        long count = 0;
        data.begin();
        while (next(data)) {
            lines[batch.size()] = data.lineNumber();
            batch.add(tuple(data, constraints, frame));
            if (batch.size() == TableWriter.BATCH) {
                count += flush(writer, batch, lines);
                batch = new ArrayList<>();
            }
        }
        count += flush(writer, batch, lines);
        changes.finish();
        return count;
    }

    private boolean next(CopyInput data) throws IOException {
        try {
            return data.next();
        } catch (SqlException e) {
            throw inLine(e, data.lineNumber(), "");
        }
    }

    private long flush(TableWriter writer, List<@Nullable Object[]> batch, long[] lines) {
        try {
            return writer.insert(batch, null).size();
        } catch (SqlException e) {
            throw inLine(e, lines[writer.at()], "");
        }
    }

    private @Nullable Object[] tuple(
            CopyInput data, TableConstraints constraints, EvaluationFrame frame)
            throws IOException {
        ZoneId zone = frame.environment().zone();
        if (data.size() > columns.size() && !isEmptyLine(data, zone)) {
            throw inLine(malformed("extra data after last expected column"), data.lineNumber(), "");
        }
        if (data.size() < columns.size()) {
            String missing = table.columns().get(columns.get(data.size())).name();
            throw inLine(
                    malformed("missing data for column \"" + missing + "\""),
                    data.lineNumber(),
                    "");
        }
        @Nullable Object[] tuple = new @Nullable Object[table.columns().size()];
        for (int i = 0; i < tuple.length; i++) {
            if (constraints.defaults().get(i) != null && !columns.contains(i)) {
                tuple[i] = constraints.defaultValue(frame, i);
            }
        }
        for (int i = 0; i < columns.size(); i++) {
            tuple[columns.get(i)] = value(data, i, table.columns().get(columns.get(i)), zone);
        }
        constraints.generate(frame, tuple);
        return tuple;
    }

    /// A row without columns is an empty line.
    private boolean isEmptyLine(CopyInput data, ZoneId zone) throws IOException {
        if (!columns.isEmpty() || data.size() > 1) {
            return false;
        }
        Object value = data.value(0, SqlType.TEXT, zone);
        return value == null || value.equals("");
    }

    private @Nullable Object value(CopyInput data, int field, SqlColumn column, ZoneId zone)
            throws IOException {
        try {
            Object value = data.value(field, column.type(), zone);
            return value == null ? null : Casts.fitted(value, column.type());
        } catch (SqlException e) {
            throw inLine(e, data.lineNumber(), ", column " + column.name() + data.shown(field));
        }
    }

    private static SqlException malformed(String message) {
        return new SqlException(SqlState.BAD_COPY_FORMAT, message);
    }

    private SqlException inLine(SqlException e, long lineNumber, String more) {
        return e.inContext("COPY " + table.name() + ", line " + lineNumber + more);
    }
}
