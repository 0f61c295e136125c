package org.namdb.sql.engine.catalog;

import java.util.Map;
import java.util.TreeMap;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// `pg_type`: the types that there are, and those that only parameters may have.
final class SystemTypes {
    private static final int CATALOG_NAMESPACE = 11;
    private static final int OWNER = 10;
    private static final int DEFAULT_COLLATION = 100;

    /// Names, each with its number and category.
    private static final Object[][] OTHERS = {
        {"char", 18, 1, "Z"},
        {"name", 19, 64, "S"},
        {"oid", TypeOids.OID, 4, "N"},
        {"json", TypeOids.JSON, -1, "U"},
        {"unknown", 705, -2, "X"},
        {"regclass", 2205, 4, "N"},
    };

    private final SystemCatalog catalog;

    SystemTypes(SystemCatalog catalog) {
        this.catalog = catalog;
    }

    void fill() {
        SystemRelation types =
                catalog.add(
                        "pg_type",
                        "oid oid, typname text, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char,"
                                + " typcategory char, typispreferred bool, typisdefined bool, typdelim char, typtypmod int4,"
                                + " typcollation oid, typinput text, typoutput text, typreceive text, typsend text,"
                                + " typdefault text, typacl text, typrelid oid, typelem oid, typarray oid, typnotnull bool,"
                                + " typbasetype oid, typndims int4, typsubscript text");
        for (SqlType.Kind kind : SqlType.Kind.values()) {
            if (isScalar(kind)) {
                SqlType type = new SqlType(kind, 0, 0, false);
                add(types, TypeOids.oid(type), name(kind), TypeOids.size(type), category(type));
                SqlType array = SqlType.arrayOf(type);
                add(types, TypeOids.oid(array), "_" + name(kind), -1, "A");
            }
        }
        for (Object[] other : OTHERS) {
            int oid = (Integer) other[1];
            add(types, oid, (String) other[0], (Integer) other[2], (String) other[3]);
            if (TypeOids.arrayOf(oid) != 0) {
                add(types, TypeOids.arrayOf(oid), "_" + other[0], -1, "A");
            }
        }
    }

    private static boolean isScalar(SqlType.Kind kind) {
        return kind != SqlType.Kind.ARRAY && kind != SqlType.Kind.UNKNOWN;
    }

    private static void add(SystemRelation types, int oid, String name, int size, String category) {
        boolean isArray = category.equals("A");
        String function = isArray ? "array_" : name;
        types.row(
                oid,
                name,
                CATALOG_NAMESPACE,
                OWNER,
                size,
                size > 0 && size <= 8,
                "b",
                category,
                false,
                true,
                ",",
                -1,
                category.equals("S") ? DEFAULT_COLLATION : 0,
                function + "in",
                function + "out",
                function + "recv",
                function + "send",
                null,
                null,
                0,
                isArray ? TypeOids.elementOf(oid) : 0,
                isArray ? 0 : TypeOids.arrayOf(oid));
    }

    /// The names of types as `format_type` gives them, by their numbers.
    static Map<Long, String> shownNames() {
        Map<Long, String> names = new TreeMap<>();
        for (SqlType.Kind kind : SqlType.Kind.values()) {
            if (isScalar(kind)) {
                SqlType type = new SqlType(kind, 0, 0, false);
                SqlType array = SqlType.arrayOf(type);
                names.put((long) TypeOids.oid(type), type.name());
                names.put((long) TypeOids.oid(array), array.name());
            }
        }
        for (Object[] other : OTHERS) {
            String name = (String) other[0];
            int oid = (Integer) other[1];
            names.put((long) oid, name.equals("char") ? "\"char\"" : name);
            if (TypeOids.arrayOf(oid) != 0) {
                names.put((long) TypeOids.arrayOf(oid), name + "[]");
            }
        }
        return names;
    }

    /// The name of a type as `pg_type` has it.
    static String name(SqlType type) {
        return type.isArray() ? "_" + name(type.element()) : name(type.kind());
    }

    private static String name(SqlType.Kind kind) {
        return switch (kind) {
            case BOOLEAN -> "bool";
            case SMALLINT -> "int2";
            case INTEGER -> "int4";
            case BIGINT -> "int8";
            case DECIMAL -> "numeric";
            case REAL -> "float4";
            case DOUBLE -> "float8";
            case CHAR -> "bpchar";
            case VARCHAR -> "varchar";
            case TEXT, UNKNOWN -> "text";
            case DATE -> "date";
            case TIME -> "time";
            case TIMESTAMP -> "timestamp";
            case TIMESTAMPTZ -> "timestamptz";
            case INTERVAL -> "interval";
            case BYTEA -> "bytea";
            case UUID -> "uuid";
            case ARRAY -> "anyarray";
        };
    }

    private static String category(SqlType type) {
        return switch (type.category()) {
            case BOOLEAN -> "B";
            case NUMERIC -> "N";
            case STRING -> "S";
            case DATETIME -> "D";
            case INTERVAL -> "T";
            case OTHER -> "U";
            case UNKNOWN -> "X";
        };
    }
}
