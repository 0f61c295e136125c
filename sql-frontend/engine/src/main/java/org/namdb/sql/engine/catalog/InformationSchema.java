package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.type.SqlType;

/// `information_schema`: the SQL standard's views of tables, columns and constraints.
final class InformationSchema {
    private static final String SCHEMA = "information_schema.";
    private static final String DATABASE = "namdb";
    private static final String PUBLIC = "public";

    private final SystemCatalog catalog;
    private final List<SqlTable> tables;
    private final List<Sequence> sequences;
    private final List<SqlView> views;

    InformationSchema(
            SystemCatalog catalog,
            List<SqlTable> tables,
            List<Sequence> sequences,
            List<SqlView> views) {
        this.catalog = catalog;
        this.tables = tables;
        this.sequences = sequences;
        this.views = views;
    }

    private SystemRelation add(String name, String columns) {
        return catalog.add(SCHEMA + name, columns);
    }

    void fill() {
        SystemRelation schemata =
                add("schemata", "catalog_name text, schema_name text, schema_owner text");
        catalog.namespaces().values().forEach(name -> schemata.row(DATABASE, name, DATABASE));
        SystemRelation all =
                add(
                        "tables",
                        "table_catalog text, table_schema text, table_name text, table_type text, is_insertable_into text, is_typed text");
        SystemRelation shown =
                add(
                        "views",
                        "table_catalog text, table_schema text, table_name text, view_definition text, check_option text, is_updatable text");
        sequences();
        add(
                "routines",
                "specific_catalog text, specific_schema text, specific_name text, routine_catalog text, routine_schema text,"
                        + " routine_name text, routine_type text, data_type text");
        for (SqlTable table : tables) {
            all.row(DATABASE, PUBLIC, table.name(), "BASE TABLE", "YES", "NO");
        }
        for (SqlView view : views) {
            all.row(DATABASE, PUBLIC, view.name(), "VIEW", "NO", "NO");
            shown.row(DATABASE, PUBLIC, view.name(), view.text() + ";", "NONE", "NO");
        }
        columns();
        constraints();
    }

    /// The sequences of identity columns are left out, as in PostgreSQL.
    private void sequences() {
        SystemRelation relation =
                add(
                        "sequences",
                        "sequence_catalog text, sequence_schema text, sequence_name text, data_type text, numeric_precision int4,"
                                + " numeric_precision_radix int4, numeric_scale int4, start_value text, minimum_value text,"
                                + " maximum_value text, increment text, cycle_option text");
        for (Sequence sequence : sequences) {
            if (sequence.owner() == null || !sequence.owner().isIdentity()) {
                relation.row(
                        DATABASE,
                        PUBLIC,
                        sequence.name(),
                        sequence.type().toString(),
                        precision(sequence.type()),
                        2,
                        0,
                        Long.toString(sequence.start()),
                        Long.toString(sequence.min()),
                        Long.toString(sequence.max()),
                        Long.toString(sequence.increment()),
                        sequence.isCycle() ? "YES" : "NO");
            }
        }
    }

    private static @Nullable String text(@Nullable Sequence of, ToLongFunction<Sequence> value) {
        return of == null ? null : Long.toString(value.applyAsLong(of));
    }

    private void columns() {
        SystemRelation columns =
                add(
                        "columns",
                        "table_catalog text, table_schema text, table_name text, column_name text, ordinal_position int4,"
                                + " column_default text, is_nullable text, data_type text, character_maximum_length int4,"
                                + " numeric_precision int4, numeric_scale int4, datetime_precision int4, udt_catalog text,"
                                + " udt_schema text, udt_name text, is_identity text, identity_generation text,"
                                + " identity_start text, identity_increment text, identity_maximum text, identity_minimum text,"
                                + " identity_cycle text, is_generated text, is_updatable text");
        for (SqlTable table : tables) {
            for (int i = 0; i < table.columns().size(); i++) {
                SqlColumn column = table.columns().get(i);
                if (!column.isHidden()) {
                    column(
                            columns,
                            table.name(),
                            column.name(),
                            i + 1,
                            column.type(),
                            column.shownDefault(),
                            column.isNullable(),
                            column.identity(),
                            true);
                }
            }
        }
        for (SqlView view : views) {
            int number = 0;
            for (SqlView.Column column : view.columns()) {
                number++;
                column(
                        columns,
                        view.name(),
                        column.name(),
                        number,
                        column.type(),
                        null,
                        true,
                        null,
                        false);
            }
        }
    }

    private void column(
            SystemRelation columns,
            String relation,
            String name,
            int number,
            SqlType type,
            @Nullable String defaultText,
            boolean isNullable,
            SqlColumn.@Nullable Identity identity,
            boolean isUpdatable) {
        Sequence source = identity == null ? null : catalog.sequence(identity.sequence());
        boolean hasFraction =
                type.category() == SqlType.Category.DATETIME && type.kind() != SqlType.Kind.DATE;
        columns.row(
                DATABASE,
                PUBLIC,
                relation,
                name,
                number,
                defaultText,
                isNullable ? "YES" : "NO",
                type.isArray() ? "ARRAY" : type.name(),
                type.isString() && type.length() > 0 ? type.length() : null,
                precision(type),
                scale(type),
                hasFraction ? 6 : null,
                DATABASE,
                "pg_catalog",
                SystemTypes.name(type),
                identity == null ? "NO" : "YES",
                identity == null ? null : identity.isAlways() ? "ALWAYS" : "BY DEFAULT",
                text(source, Sequence::start),
                text(source, Sequence::increment),
                text(source, Sequence::max),
                text(source, Sequence::min),
                source != null && source.isCycle() ? "YES" : "NO",
                "NEVER",
                isUpdatable ? "YES" : "NO");
    }

    private static @Nullable Integer precision(SqlType type) {
        return switch (type.kind()) {
            case SMALLINT -> 16;
            case INTEGER -> 32;
            case BIGINT -> 64;
            case REAL -> 24;
            case DOUBLE -> 53;
            case DECIMAL -> type.length() > 0 ? type.length() : null;
            default -> null;
        };
    }

    private static @Nullable Integer scale(SqlType type) {
        return type.isInteger()
                ? Integer.valueOf(0)
                : type.length() > 0 && type.kind() == SqlType.Kind.DECIMAL ? type.scale() : null;
    }

    private void constraints() {
        SystemRelation constraints =
                add(
                        "table_constraints",
                        "constraint_catalog text, constraint_schema text, constraint_name text, table_catalog text, table_schema text,"
                                + " table_name text, constraint_type text, is_deferrable text, initially_deferred text, enforced text");
        SystemRelation keys =
                add(
                        "key_column_usage",
                        "constraint_catalog text, constraint_schema text, constraint_name text, table_catalog text, table_schema text,"
                                + " table_name text, column_name text, ordinal_position int4, position_in_unique_constraint int4");
        SystemRelation used =
                add(
                        "constraint_column_usage",
                        "table_catalog text, table_schema text, table_name text, column_name text, constraint_catalog text,"
                                + " constraint_schema text, constraint_name text");
        SystemRelation references =
                add(
                        "referential_constraints",
                        "constraint_catalog text, constraint_schema text, constraint_name text, unique_constraint_catalog text,"
                                + " unique_constraint_schema text, unique_constraint_name text, match_option text, update_rule text,"
                                + " delete_rule text");
        SystemRelation checks =
                add(
                        "check_constraints",
                        "constraint_catalog text, constraint_schema text, constraint_name text, check_clause text");
        for (SqlTable table : tables) {
            if (!table.hasHiddenKey()) {
                List<String> names = SystemCatalog.names(table, table.primaryKey());
                constraint(constraints, table, table.primaryKeyName(), "PRIMARY KEY");
                columns(keys, used, table, table.primaryKeyName(), names, table.name(), names);
            }
            for (SqlIndex index : table.indexes()) {
                if (index.isConstraint()) {
                    List<String> names = SystemCatalog.names(table, index.columns());
                    constraint(constraints, table, index.name(), "UNIQUE");
                    columns(keys, used, table, index.name(), names, table.name(), names);
                }
            }
            for (ForeignKeyConstraint key : table.foreignKeys()) {
                constraint(constraints, table, key.name(), "FOREIGN KEY");
                columns(
                        keys,
                        used,
                        table,
                        key.name(),
                        key.columns(),
                        key.referencedTable(),
                        key.referencedColumns());
                references.row(
                        DATABASE,
                        PUBLIC,
                        key.name(),
                        DATABASE,
                        PUBLIC,
                        uniqueName(key),
                        "NONE",
                        key.onUpdate().name().replace('_', ' '),
                        key.onDelete().name().replace('_', ' '));
            }
            for (CheckConstraint check : table.checks()) {
                constraint(constraints, table, check.name(), "CHECK");
                checks.row(DATABASE, PUBLIC, check.name(), "((" + check.condition() + "))");
            }
        }
    }

    private static void constraint(
            SystemRelation constraints, SqlTable table, String name, String type) {
        constraints.row(
                DATABASE, PUBLIC, name, DATABASE, PUBLIC, table.name(), type, "NO", "NO", "YES");
    }

    private static void columns(
            SystemRelation keys,
            SystemRelation used,
            SqlTable table,
            String name,
            List<String> columns,
            String usedTable,
            List<String> usedColumns) {
        for (int i = 0; i < columns.size(); i++) {
            keys.row(
                    DATABASE,
                    PUBLIC,
                    name,
                    DATABASE,
                    PUBLIC,
                    table.name(),
                    columns.get(i),
                    i + 1,
                    usedTable.equals(table.name()) ? null : i + 1);
            used.row(DATABASE, PUBLIC, usedTable, usedColumns.get(i), DATABASE, PUBLIC, name);
        }
    }

    /// The name of the constraint that makes the referenced columns unique.
    private @Nullable String uniqueName(ForeignKeyConstraint key) {
        for (SqlTable table : tables) {
            if (table.name().equals(key.referencedTable())) {
                for (SqlIndex index : table.indexes()) {
                    if (index.isUnique()
                            && SystemCatalog.names(table, index.columns())
                                    .equals(key.referencedColumns())) {
                        return index.name();
                    }
                }
                return table.primaryKeyName();
            }
        }
        return null;
    }
}
