package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.type.SqlType;

/// `information_schema`'s relations of functions and procedures.
final class InformationRoutines {
    private static final String DATABASE = InformationSchema.DATABASE;
    private static final String PUBLIC = InformationSchema.PUBLIC;
    private static final String CATALOG = InformationSchema.CATALOG;

    private final SystemCatalog catalog;
    private final SystemRoutines routines;

    InformationRoutines(SystemCatalog catalog, SystemRoutines routines) {
        this.catalog = catalog;
        this.routines = routines;
    }

    void fill(List<Routine> all) {
        SystemRelation relation =
                catalog.add(
                        "information_schema.routines",
                        "specific_catalog text, specific_schema text, specific_name text, routine_catalog text, routine_schema text,"
                                + " routine_name text, routine_type text, module_catalog text, module_schema text, module_name text,"
                                + " udt_catalog text, udt_schema text, udt_name text, data_type text, "
                                + InformationSchema.TYPE
                                + ", type_udt_catalog text, type_udt_schema text, type_udt_name text, "
                                + InformationSchema.SCOPE
                                + ", routine_body text, routine_definition text, external_name text, external_language text,"
                                + " parameter_style text, is_deterministic text, sql_data_access text, is_null_call text,"
                                + " sql_path text, schema_level_routine text, max_dynamic_result_sets int4,"
                                + " is_user_defined_cast text, is_implicitly_invocable text, security_type text,"
                                + " to_sql_specific_catalog text, to_sql_specific_schema text, to_sql_specific_name text,"
                                + " as_locator text, created timestamptz, last_altered timestamptz, new_savepoint_level text,"
                                + " is_udt_dependent text, result_cast_from_data_type text, result_cast_as_locator text,"
                                + " result_cast_char_max_length int4, result_cast_char_octet_length int4,"
                                + " result_cast_char_set_catalog text, result_cast_char_set_schema text,"
                                + " result_cast_char_set_name text, result_cast_collation_catalog text,"
                                + " result_cast_collation_schema text, result_cast_collation_name text,"
                                + " result_cast_numeric_precision int4, result_cast_numeric_precision_radix int4,"
                                + " result_cast_numeric_scale int4, result_cast_datetime_precision int4,"
                                + " result_cast_interval_type text, result_cast_interval_precision int4,"
                                + " result_cast_type_udt_catalog text, result_cast_type_udt_schema text,"
                                + " result_cast_type_udt_name text, result_cast_scope_catalog text,"
                                + " result_cast_scope_schema text, result_cast_scope_name text,"
                                + " result_cast_maximum_cardinality int4, result_cast_dtd_identifier text");
        SystemRelation parameters =
                catalog.add(
                        "information_schema.parameters",
                        "specific_catalog text, specific_schema text, specific_name text, ordinal_position int4,"
                                + " parameter_mode text, is_result text, as_locator text, parameter_name text, data_type text, "
                                + InformationSchema.TYPE
                                + ", udt_catalog text, udt_schema text, udt_name text, "
                                + InformationSchema.SCOPE
                                + ", parameter_default text");
        for (Routine routine : all) {
            String specific = routine.name() + "_" + routines.oid(routine.name());
            routine(relation, routine, specific);
            parameters(parameters, routine, specific);
        }
    }

    private void routine(SystemRelation relation, Routine routine, String specific) {
        boolean isFunction = !routine.isProcedure();
        SqlType type = SystemRoutines.singleType(routine);
        String rowTable = routine.rowTable();
        String shown = routine.isVoid() ? "void" : type == null ? "record" : shown(type);
        String name = type == null ? shown : SystemTypes.name(type);
        if (rowTable != null) {
            shown = "USER-DEFINED";
            name = rowTable;
        }
        if (isFunction) {
            element(type, specific, "0");
        }
        relation.named(
                "specific_catalog",
                DATABASE,
                "specific_schema",
                PUBLIC,
                "specific_name",
                specific,
                "routine_catalog",
                DATABASE,
                "routine_schema",
                PUBLIC,
                "routine_name",
                routine.name(),
                "routine_type",
                isFunction ? "FUNCTION" : "PROCEDURE",
                "data_type",
                isFunction ? shown : null,
                "type_udt_catalog",
                isFunction ? DATABASE : null,
                "type_udt_schema",
                isFunction ? rowTable == null ? CATALOG : PUBLIC : null,
                "type_udt_name",
                isFunction ? name : null,
                "dtd_identifier",
                isFunction ? "0" : null,
                "routine_body",
                routine.language().equals("sql") ? "SQL" : "EXTERNAL",
                "routine_definition",
                routine.body(),
                "external_language",
                routine.language().toUpperCase(Locale.ROOT),
                "parameter_style",
                "GENERAL",
                "is_deterministic",
                yes(routine.volatility().equals("immutable")),
                "sql_data_access",
                "MODIFIES",
                "is_null_call",
                isFunction ? yes(routine.isStrict()) : null,
                "schema_level_routine",
                "YES",
                "max_dynamic_result_sets",
                0,
                "security_type",
                "INVOKER",
                "as_locator",
                "NO",
                "is_udt_dependent",
                "NO");
    }

    private void parameters(SystemRelation relation, Routine routine, String specific) {
        for (int i = 0; i < routine.parameters().size(); i++) {
            Routine.Parameter each = routine.parameters().get(i);
            String number = String.valueOf(i + 1);
            element(each.type(), specific, number);
            relation.named(
                    "specific_catalog",
                    DATABASE,
                    "specific_schema",
                    PUBLIC,
                    "specific_name",
                    specific,
                    "ordinal_position",
                    i + 1,
                    "parameter_mode",
                    each.mode() == Mode.TABLE ? "OUT" : each.mode().toString(),
                    "is_result",
                    "NO",
                    "as_locator",
                    "NO",
                    "parameter_name",
                    each.name(),
                    "data_type",
                    shown(each.type()),
                    "udt_catalog",
                    DATABASE,
                    "udt_schema",
                    CATALOG,
                    "udt_name",
                    SystemTypes.name(each.type()),
                    "dtd_identifier",
                    number,
                    "parameter_default",
                    each.defaultText());
        }
    }

    private void element(@Nullable SqlType type, String specific, String number) {
        if (type != null && type.isArray()) {
            InformationSchema.element(catalog, type, specific, "ROUTINE", number);
        }
    }

    private static String shown(SqlType type) {
        return InformationSchema.shown(type);
    }

    private static String yes(boolean is) {
        return is ? "YES" : "NO";
    }
}
