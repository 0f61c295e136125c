package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// A relation of `pg_catalog` or `information_schema`: read-only, made of the tables of one version
/// of the schema, or of what the process does.
public final class SystemRelation {
    private final List<Column> columns = new ArrayList<>();
    private final List<@Nullable Object[]> rows = new ArrayList<>();
    private final @Nullable TemporarySchema temporary;
    private boolean isSecret;
    private boolean isOfSession;

    /// A column.
    public record Column(String name, SqlType type) {}

    /// A value that changes while the schema stays: the last one that a sequence has given.
    ///
    /// @param sequence its name
    public record LastValue(String sequence) {}

    /// @param columns names, each with its type: `relname text, relpages int4`
    public SystemRelation(String columns) {
        this(columns, null);
    }

    /// @param temporary shows rows about the session's temporary tables; null if it has none
    SystemRelation(String columns, @Nullable TemporarySchema temporary) {
        this.temporary = temporary;
        for (String column : columns.split(",\\s*", -1)) {
            String[] parts = column.split(" ", 2);
            this.columns.add(new Column(parts[0], type(parts[1])));
        }
    }

    private static SqlType type(String name) {
        return switch (name) {
            case "bool" -> SqlType.BOOLEAN;
            case "int2" -> SqlType.SMALLINT;
            case "int4" -> SqlType.INTEGER;
            case "int2[]" -> SqlType.arrayOf(SqlType.SMALLINT);
            case "int2vector" -> SqlType.VECTOR;
            case "oidvector" -> SqlType.OID_VECTOR;
            case "char" -> SqlType.LETTER;
            case "oid" -> SqlType.OID;
            case "int8" -> SqlType.BIGINT;
            case "float4" -> SqlType.REAL;
            case "float8" -> SqlType.DOUBLE;
            case "timestamptz" -> SqlType.TIMESTAMPTZ;
            case "text[]" -> SqlType.arrayOf(SqlType.TEXT);
            case "text" -> SqlType.TEXT;
            default -> throw new IllegalArgumentException(name);
        };
    }

    /// Superusers alone may read it.
    public SystemRelation secret() {
        isSecret = true;
        return this;
    }

    /// Whether superusers alone may read it.
    public boolean isSecret() {
        return isSecret;
    }

    /// Each session has rows of its own, which it knows when they are read.
    public SystemRelation ofSession() {
        isOfSession = true;
        return this;
    }

    /// Whether each session has rows of its own.
    public boolean isOfSession() {
        return isOfSession;
    }

    /// Adds a row.
    ///
    /// @param values those of the first columns; the others are what most rows have: 0, false, an
    ///     empty text
    public SystemRelation row(@Nullable Object... values) {
        @Nullable Object[] row = new @Nullable Object[columns.size()];
        for (int i = 0; i < row.length; i++) {
            row[i] =
                    i < values.length
                            ? value(values[i])
                            : switch (columns.get(i).type.kind()) {
                                case BOOLEAN -> false;
                                case REAL -> 0f;
                                case TEXT -> "";
                                default -> 0L;
                            };
        }
        if (temporary != null) {
            temporary.show(row, columns);
        }
        rows.add(row);
        return this;
    }

    /// Adds a row of which some columns have values, and the others NULL.
    ///
    /// @param namesAndValues names of columns, each followed by its value
    SystemRelation named(@Nullable Object... namesAndValues) {
        @Nullable Object[] row = new @Nullable Object[columns.size()];
        for (int i = 0; i < namesAndValues.length; i += 2) {
            row[column(String.valueOf(namesAndValues[i]))] = namesAndValues[i + 1];
        }
        return row(row);
    }

    private int column(String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name.equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException(name);
    }

    private static @Nullable Object value(@Nullable Object value) {
        return value instanceof Integer number ? Long.valueOf(number) : value;
    }

    public List<Column> columns() {
        return columns;
    }

    /// The rows: values of the columns' types, null for NULL; or a [LastValue].
    public List<@Nullable Object[]> rows() {
        return rows;
    }
}
