package org.namdb.sql.shell.format;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// Rows that are all there already: the shell's own.
public final class ListedRows implements Result {
    private final List<ResultColumn> columns;
    private final List<@Nullable Object[]> rows;
    private int current = -1;

    public ListedRows(List<ResultColumn> columns, List<@Nullable Object[]> rows) {
        this.columns = List.copyOf(columns);
        this.rows = List.copyOf(rows);
    }

    /// Rows of text.
    public static ListedRows ofText(List<String> names, List<@Nullable Object[]> rows) {
        return new ListedRows(
                names.stream().map(name -> new ResultColumn(name, SqlType.TEXT)).toList(), rows);
    }

    /// A row.
    public static @Nullable Object[] row(@Nullable Object... values) {
        return Arrays.copyOf(values, values.length);
    }

    @Override
    public List<ResultColumn> columns() {
        return columns;
    }

    @Override
    public boolean hasRows() {
        return true;
    }

    @Override
    public boolean next() {
        return ++current < rows.size();
    }

    @Override
    public @Nullable Object value(int column) {
        return rows.get(current)[column];
    }

    @Override
    public @Nullable String text(int column) {
        Object value = value(column);
        return value == null ? null : value.toString();
    }

    @Override
    public String tag() {
        return "SELECT " + rows.size();
    }

    @Override
    public long rowCount() {
        return rows.size();
    }

    @Override
    public List<Notice> notices() {
        return List.of();
    }

    @Override
    public void close() {
        current = rows.size();
    }
}
