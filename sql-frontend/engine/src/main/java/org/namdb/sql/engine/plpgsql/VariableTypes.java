package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.Tables;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The types that routines name: those of SQL, `%TYPE`, `%ROWTYPE`, the rows of a table, `record`.
public final class VariableTypes {
    private final Tables tables;

    public VariableTypes(Tables tables) {
        this.tables = tables;
    }

    /// A variable's type.
    ///
    /// @param single of a single value; null of a record
    /// @param shape of a record of a table's rows; null of one that takes any row
    record Type(@Nullable SqlType single, @Nullable RowShape shape) {}

    /// The type of a declaration.
    ///
    /// @param names the variables that `%TYPE` may name
    /// @throws SqlException 42704 if there is none of this name, 42P01 or 42703 if `%TYPE` names
    ///     nothing
    Type of(@Nullable TypeReference reference, @Nullable Names names) {
        TypeName name = Objects.requireNonNull(reference).type();
        return switch (reference.form()) {
            case ROW_TYPE -> new Type(null, rowOf(name.name()));
            case TYPE_OF -> typeOf(name, names);
            case PLAIN -> {
                if (name.name().equals("record")) {
                    yield new Type(null, null);
                }
                SqlTable table = tables.find(tables.resolve(name.name()));
                yield table == null
                        ? new Type(single(name), null)
                        : new Type(null, rowOf(name.name()));
            }
        };
    }

    private static SqlType single(TypeName name) {
        if (name.name().equals("void") || name.name().equals("trigger")) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "variable cannot be of type " + name.name(),
                    name.position());
        }
        return anyPrecision(SqlType.named(name));
    }

    /// NUMERIC without a precision has any, but in columns.
    private static SqlType anyPrecision(SqlType type) {
        return type.refusesRounding() ? SqlType.DECIMAL : type;
    }

    private Type typeOf(TypeName name, @Nullable Names names) {
        int point = name.name().indexOf('.');
        if (point < 0) {
            Variable variable = Names.find(names, name.name());
            if (variable == null) {
                throw undefined(name);
            }
            return new Type(variable.type(), variable.shape());
        }
        String table = name.name().substring(0, point);
        String column = name.name().substring(point + 1);
        Names.Found found = Names.find(names, table, column);
        if (found != null && found.field() == null) {
            return new Type(found.variable().type(), found.variable().shape());
        }
        if (found != null && found.variable().shape() != null) {
            int at = found.variable().shape().names().indexOf(column);
            if (at >= 0) {
                return new Type(found.variable().shape().types().get(at), null);
            }
        }
        return new Type(columnType(name), null);
    }

    /// The type of a table's column.
    ///
    /// @param path the table, a point, and the column
    SqlType columnType(TypeName path) {
        int point = path.name().indexOf('.');
        if (point < 0) {
            throw undefined(path);
        }
        String column = path.name().substring(point + 1);
        for (SqlColumn each : columns(path.name().substring(0, point))) {
            if (each.name().equals(column)) {
                return anyPrecision(each.type());
            }
        }
        throw new SqlException(
                SqlState.UNDEFINED_COLUMN,
                "column \"%s\" of relation \"%s\" does not exist"
                        .formatted(column, path.name().substring(0, point)));
    }

    private static SqlException undefined(TypeName name) {
        return new SqlException(
                SqlState.UNDEFINED_OBJECT,
                "type \"" + name.name() + "\" does not exist",
                name.position());
    }

    private List<SqlColumn> columns(String table) {
        SqlTable found = tables.find(tables.resolve(table));
        if (found == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + table + "\" does not exist");
        }
        return found.columns().stream().filter(column -> !column.isHidden()).toList();
    }

    /// The columns of a table.
    RowShape rowOf(String table) {
        List<String> names = new ArrayList<>();
        List<SqlType> types = new ArrayList<>();
        for (SqlColumn column : columns(table)) {
            names.add(column.name());
            types.add(anyPrecision(column.type()));
        }
        return new RowShape(names, types);
    }

    /// The type of a parameter or a result, which has no length.
    ///
    /// @throws SqlException as [#of]; 0A000 for a record
    public SqlType single(TypeReference reference) {
        Type type = of(reference, null);
        SqlType single = type.single();
        if (single == null) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "parameters of row types are not supported",
                    reference.type().position());
        }
        return single;
    }
}
