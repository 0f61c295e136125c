package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.type.SqlType;

/// `information_schema`: the SQL standard's views of tables, columns and constraints.
final class InformationSchema {
    private static final String SCHEMA = "information_schema.";
    static final String DATABASE = "namdb";
    static final String PUBLIC = "public";
    static final String CATALOG = "pg_catalog";

    /// Columns that describe a type.
    static final String TYPE =
            "character_maximum_length int4, character_octet_length int4, character_set_catalog text,"
                    + " character_set_schema text, character_set_name text, collation_catalog text,"
                    + " collation_schema text, collation_name text, numeric_precision int4,"
                    + " numeric_precision_radix int4, numeric_scale int4, datetime_precision int4,"
                    + " interval_type text, interval_precision int4";

    /// The columns behind those of a type's name.
    static final String SCOPE =
            "scope_catalog text, scope_schema text, scope_name text, maximum_cardinality int4,"
                    + " dtd_identifier text";

    private static final String ELEMENTS = SCHEMA + "element_types";

    /// What a character takes at most.
    private static final int UTF8_BYTES = 4;

    private static final int MAX_TEXT_BYTES = 1 << 30;

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
                add(
                        "schemata",
                        "catalog_name text, schema_name text, schema_owner text, default_character_set_catalog text,"
                                + " default_character_set_schema text, default_character_set_name text, sql_path text");
        catalog.namespaces()
                .values()
                .forEach(name ->
                        schemata.named(
                                "catalog_name", DATABASE,
                                "schema_name", name,
                                "schema_owner", DATABASE));
        SystemRelation _ =
                add("information_schema_catalog_name", "catalog_name text").row(DATABASE);
        SystemRelation _ =
                add(
                        "element_types",
                        "object_catalog text, object_schema text, object_name text, object_type text,"
                                + " collection_type_identifier text, data_type text, "
                                + TYPE
                                + ", domain_default text, udt_catalog text, udt_schema text, udt_name text, "
                                + SCOPE);
        empty();
        relations();
        sequences();
        columns();
        constraints();
    }

    private void relations() {
        SystemRelation all =
                add(
                        "tables",
                        "table_catalog text, table_schema text, table_name text, table_type text,"
                                + " self_referencing_column_name text, reference_generation text,"
                                + " user_defined_type_catalog text, user_defined_type_schema text,"
                                + " user_defined_type_name text, is_insertable_into text, is_typed text, commit_action text");
        SystemRelation shown =
                add(
                        "views",
                        "table_catalog text, table_schema text, table_name text, view_definition text, check_option text,"
                                + " is_updatable text, is_insertable_into text, is_trigger_updatable text,"
                                + " is_trigger_deletable text, is_trigger_insertable_into text");
        SystemRelation used =
                add(
                        "view_table_usage",
                        "view_catalog text, view_schema text, view_name text, table_catalog text, table_schema text,"
                                + " table_name text");
        for (SqlTable table : tables) {
            relation(all, table.name(), true);
        }
        for (SqlView view : views) {
            relation(all, view.name(), false);
            shown.row(
                    DATABASE,
                    PUBLIC,
                    view.name(),
                    view.text() + ";",
                    "NONE",
                    "NO",
                    "NO",
                    "NO",
                    "NO",
                    "NO");
            view.sources().stream()
                    .sorted()
                    .forEach(source ->
                            used.row(DATABASE, PUBLIC, view.name(), DATABASE, PUBLIC, source));
        }
    }

    private static void relation(SystemRelation all, String name, boolean isTable) {
        all.named(
                "table_catalog",
                DATABASE,
                "table_schema",
                PUBLIC,
                "table_name",
                name,
                "table_type",
                isTable ? "BASE TABLE" : "VIEW",
                "is_insertable_into",
                isTable ? "YES" : "NO",
                "is_typed",
                "NO");
    }

    /// Of what the database doesn't have.
    private void empty() {
        SystemRelation _ =
                add(
                        "triggers",
                        "trigger_catalog text, trigger_schema text, trigger_name text, event_manipulation text,"
                                + " event_object_catalog text, event_object_schema text, event_object_table text,"
                                + " action_order int4, action_condition text, action_statement text,"
                                + " action_orientation text, action_timing text, action_reference_old_table text,"
                                + " action_reference_new_table text, action_reference_old_row text,"
                                + " action_reference_new_row text, created timestamptz");
        SystemRelation _ =
                add(
                        "domains",
                        "domain_catalog text, domain_schema text, domain_name text, data_type text, "
                                + TYPE
                                + ", domain_default text, udt_catalog text, udt_schema text, udt_name text, "
                                + SCOPE);
        SystemRelation _ =
                add(
                        "domain_constraints",
                        "constraint_catalog text, constraint_schema text, constraint_name text, domain_catalog text,"
                                + " domain_schema text, domain_name text, is_deferrable text, initially_deferred text");
        SystemRelation _ =
                add(
                        "attributes",
                        "udt_catalog text, udt_schema text, udt_name text, attribute_name text, ordinal_position int4,"
                                + " attribute_default text, is_nullable text, data_type text, "
                                + TYPE
                                + ", attribute_udt_catalog text, attribute_udt_schema text, attribute_udt_name text, "
                                + SCOPE
                                + ", is_derived_reference_attribute text");
    }

    /// A row of `element_types`.
    ///
    /// @param type an array
    /// @param object what has a value of this type: a relation or a routine
    /// @param number of the column or the parameter
    static void element(
            SystemCatalog catalog, SqlType type, String object, String kind, String number) {
        SqlType element = type.element();
        SystemRelation _ =
                catalog.of(ELEMENTS)
                        .named(
                                "object_catalog", DATABASE,
                                "object_schema", PUBLIC,
                                "object_name", object,
                                "object_type", kind,
                                "collection_type_identifier", number,
                                "data_type", element.name(),
                                "udt_catalog", DATABASE,
                                "udt_schema", CATALOG,
                                "udt_name", SystemTypes.name(element),
                                "dtd_identifier", "a" + number);
    }

    /// The name of a type as `data_type`.
    static String shown(SqlType type) {
        return type.isArray() ? "ARRAY" : type.name();
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
                                + " character_octet_length int4, numeric_precision int4, numeric_precision_radix int4,"
                                + " numeric_scale int4, datetime_precision int4, interval_type text, interval_precision int4,"
                                + " character_set_catalog text, character_set_schema text, character_set_name text,"
                                + " collation_catalog text, collation_schema text, collation_name text, domain_catalog text,"
                                + " domain_schema text, domain_name text, udt_catalog text, udt_schema text, udt_name text, "
                                + SCOPE
                                + ", is_self_referencing text, is_identity text, identity_generation text,"
                                + " identity_start text, identity_increment text, identity_maximum text, identity_minimum text,"
                                + " identity_cycle text, is_generated text, generation_expression text, is_updatable text");
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
                            true,
                            column.isGenerated());
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
                        false,
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
            boolean isUpdatable,
            boolean isGenerated) {
        Sequence source = identity == null ? null : catalog.sequence(identity.sequence());
        if (type.isArray()) {
            element(catalog, type, relation, "TABLE", String.valueOf(number));
        }
        boolean hasLength = type.isString() && type.length() > 0;
        SystemRelation _ =
                columns.named(
                        "table_catalog",
                        DATABASE,
                        "table_schema",
                        PUBLIC,
                        "table_name",
                        relation,
                        "column_name",
                        name,
                        "ordinal_position",
                        number,
                        "column_default",
                        isGenerated ? null : defaultText,
                        "is_nullable",
                        isNullable ? "YES" : "NO",
                        "data_type",
                        shown(type),
                        "character_maximum_length",
                        hasLength ? type.length() : null,
                        "character_octet_length",
                        octets(type),
                        "numeric_precision",
                        precision(type),
                        "numeric_precision_radix",
                        radix(type),
                        "numeric_scale",
                        scale(type),
                        "datetime_precision",
                        fraction(type),
                        "udt_catalog",
                        DATABASE,
                        "udt_schema",
                        CATALOG,
                        "udt_name",
                        SystemTypes.name(type),
                        "dtd_identifier",
                        String.valueOf(number),
                        "is_self_referencing",
                        "NO",
                        "is_identity",
                        identity == null ? "NO" : "YES",
                        "identity_generation",
                        identity == null ? null : identity.isAlways() ? "ALWAYS" : "BY DEFAULT",
                        "identity_start",
                        text(source, Sequence::start),
                        "identity_increment",
                        text(source, Sequence::increment),
                        "identity_maximum",
                        text(source, Sequence::max),
                        "identity_minimum",
                        text(source, Sequence::min),
                        "identity_cycle",
                        source != null && source.isCycle() ? "YES" : "NO",
                        "is_generated",
                        isGenerated ? "ALWAYS" : "NEVER",
                        "generation_expression",
                        isGenerated ? defaultText : null,
                        "is_updatable",
                        isUpdatable ? "YES" : "NO");
    }

    private static @Nullable Integer octets(SqlType type) {
        if (!type.isString()) {
            return null;
        }
        return type.length() == 0 ? MAX_TEXT_BYTES : UTF8_BYTES * type.length();
    }

    private static @Nullable Integer radix(SqlType type) {
        return type.isNumeric() ? type.kind() == SqlType.Kind.DECIMAL ? 10 : 2 : null;
    }

    private static @Nullable Integer fraction(SqlType type) {
        boolean isTime =
                type.category() == SqlType.Category.DATETIME
                        || type.kind() == SqlType.Kind.INTERVAL;
        return isTime ? type.kind() == SqlType.Kind.DATE ? 0 : 6 : null;
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
                                + " table_name text, constraint_type text, is_deferrable text, initially_deferred text, enforced text,"
                                + " nulls_distinct text");
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
        SystemRelation usedTables =
                add(
                        "constraint_table_usage",
                        "table_catalog text, table_schema text, table_name text, constraint_catalog text,"
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
                columns(
                        keys,
                        used,
                        table,
                        table.primaryKeyName(),
                        names,
                        table.name(),
                        names,
                        null);
                uses(usedTables, table.name(), table.primaryKeyName());
            }
            for (SqlIndex index : table.indexes()) {
                if (index.isConstraint()) {
                    List<String> names = SystemCatalog.names(table, index.columns());
                    constraint(constraints, table, index.name(), "UNIQUE");
                    columns(keys, used, table, index.name(), names, table.name(), names, null);
                    uses(usedTables, table.name(), index.name());
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
                        key.referencedColumns(),
                        uniqueColumns(key));
                uses(usedTables, key.referencedTable(), key.name());
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
                DATABASE,
                PUBLIC,
                name,
                DATABASE,
                PUBLIC,
                table.name(),
                type,
                "NO",
                "NO",
                "YES",
                type.equals("UNIQUE") ? "YES" : null);
    }

    private static void uses(SystemRelation usedTables, String table, String constraint) {
        usedTables.row(DATABASE, PUBLIC, table, DATABASE, PUBLIC, constraint);
    }

    /// @param unique the columns of the constraint that a foreign key refers to; null if it is none

    private static void columns(
            SystemRelation keys,
            SystemRelation used,
            SqlTable table,
            String name,
            List<String> columns,
            String usedTable,
            List<String> usedColumns,
            @Nullable List<String> unique) {
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
                    unique == null ? null : unique.indexOf(usedColumns.get(i)) + 1);
            used.row(DATABASE, PUBLIC, usedTable, usedColumns.get(i), DATABASE, PUBLIC, name);
        }
    }

    /// The name of the constraint that makes the referenced columns unique.
    private @Nullable String uniqueName(ForeignKeyConstraint key) {
        SqlTable table = catalog.table(catalog.oid(key.referencedTable()));
        SqlIndex index = table == null ? null : uniqueIndex(table, key);
        return index != null ? index.name() : table == null ? null : table.primaryKeyName();
    }

    private List<String> uniqueColumns(ForeignKeyConstraint key) {
        SqlTable table = catalog.table(catalog.oid(key.referencedTable()));
        if (table == null) {
            return key.referencedColumns();
        }
        SqlIndex index = uniqueIndex(table, key);
        return SystemCatalog.names(table, index == null ? table.primaryKey() : index.columns());
    }

    private static @Nullable SqlIndex uniqueIndex(SqlTable table, ForeignKeyConstraint key) {
        Set<String> columns = Set.copyOf(key.referencedColumns());
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()
                    && Set.copyOf(SystemCatalog.names(table, index.columns())).equals(columns)) {
                return index;
            }
        }
        return null;
    }
}
