package org.namdb.sql.language.type;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// PostgreSQL's numbers of types, from its catalog `pg_type`: by them its clients know types.
public final class TypeOids {
    private static final int BOOL = 16;
    private static final int BYTEA = 17;
    private static final int LETTER = 18;
    private static final int NAME = 19;
    private static final int INT8 = 20;
    private static final int INT2 = 21;
    private static final int INT4 = 23;
    private static final int TEXT = 25;

    /// The type of these numbers themselves.
    public static final int OID = 26;

    /// Of values that clients parse.
    public static final int JSON = 114;

    private static final int FLOAT4 = 700;
    private static final int FLOAT8 = 701;
    private static final int UNKNOWN = 705;
    private static final int BPCHAR = 1042;
    private static final int VARCHAR = 1043;
    private static final int DATE = 1082;
    private static final int TIME = 1083;
    private static final int TIMESTAMP = 1114;
    private static final int TIMESTAMPTZ = 1184;
    private static final int INTERVAL = 1186;
    private static final int NUMERIC = 1700;
    private static final int UUID = 2950;

    /// The numbers of arrays, by those of their elements.
    private static final Map<Integer, Integer> ARRAYS =
            Map.ofEntries(
                    Map.entry(BOOL, 1000),
                    Map.entry(BYTEA, 1001),
                    Map.entry(INT2, 1005),
                    Map.entry(INT4, 1007),
                    Map.entry(TEXT, 1009),
                    Map.entry(BPCHAR, 1014),
                    Map.entry(VARCHAR, 1015),
                    Map.entry(INT8, 1016),
                    Map.entry(OID, 1028),
                    Map.entry(JSON, 199),
                    Map.entry(FLOAT4, 1021),
                    Map.entry(FLOAT8, 1022),
                    Map.entry(TIMESTAMP, 1115),
                    Map.entry(DATE, 1182),
                    Map.entry(TIME, 1183),
                    Map.entry(TIMESTAMPTZ, 1185),
                    Map.entry(INTERVAL, 1187),
                    Map.entry(NUMERIC, 1231),
                    Map.entry(UUID, 2951));

    private static final Map<Integer, Integer> ELEMENTS = elements();

    /// What a length in a type's modifier counts in addition to the value itself.
    private static final int MODIFIER_HEADER = 4;

    private TypeOids() {}

    private static Map<Integer, Integer> elements() {
        Map<Integer, Integer> elements = new HashMap<>();
        ARRAYS.forEach((element, array) -> elements.put(array, element));
        elements.put(1003, NAME);
        return elements;
    }

    /// The number of arrays whose elements have this number; 0 if there are none.
    public static int arrayOf(int element) {
        return ARRAYS.getOrDefault(element, 0);
    }

    /// The number of the elements of arrays of this number; 0 if these are no arrays.
    public static int elementOf(int array) {
        return ELEMENTS.getOrDefault(array, 0);
    }

    /// The number of a type.
    public static int oid(SqlType type) {
        return switch (type.kind()) {
            case BOOLEAN -> BOOL;
            case SMALLINT -> INT2;
            case INTEGER -> INT4;
            case BIGINT -> type.inBytes() ? OID : INT8;
            case DECIMAL -> NUMERIC;
            case REAL -> FLOAT4;
            case DOUBLE -> FLOAT8;
            case CHAR -> BPCHAR;
            case VARCHAR -> VARCHAR;
            case TEXT -> text(type);
            case UNKNOWN -> TEXT;
            case DATE -> DATE;
            case TIME -> TIME;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMPTZ -> TIMESTAMPTZ;
            case INTERVAL -> INTERVAL;
            case BYTEA -> BYTEA;
            case UUID -> UUID;
            case ARRAY -> ARRAYS.getOrDefault(oid(type.element()), ARRAYS.getOrDefault(TEXT, 0));
        };
    }

    private static int text(SqlType type) {
        if (type.equals(SqlType.JSON)) {
            return JSON;
        }
        return type.equals(SqlType.LETTER) ? LETTER : TEXT;
    }

    /// The length of a type's values in bytes; -1 if they have several.
    public static int size(SqlType type) {
        return switch (type.kind()) {
            case BOOLEAN -> 1;
            case SMALLINT -> 2;
            case INTEGER, REAL, DATE -> 4;
            case BIGINT -> type.inBytes() ? 4 : 8;
            case DOUBLE, TIME, TIMESTAMP, TIMESTAMPTZ -> 8;
            case INTERVAL, UUID -> 16;
            case DECIMAL, CHAR, VARCHAR, TEXT, BYTEA, ARRAY, UNKNOWN -> -1;
        };
    }

    /// The length and scale of a type in one number; -1 if it has none.
    public static int modifier(SqlType type) {
        if (type.isArray()) {
            return modifier(type.element());
        }
        if (type.length() == 0) {
            return -1;
        }
        return switch (type.kind()) {
            case DECIMAL -> (type.length() << 16 | type.scale()) + MODIFIER_HEADER;
            case CHAR, VARCHAR -> type.length() + MODIFIER_HEADER;
            default -> -1;
        };
    }

    /// The types that a client declares for parameters; UNKNOWN for those that the statement
    /// determines, and for those that are not supported.
    public static List<SqlType> declared(List<Integer> oids) {
        return oids.stream().map(TypeOids::declared).toList();
    }

    private static SqlType declared(int oid) {
        Integer element = ELEMENTS.get(oid);
        if (element != null) {
            return SqlType.arrayOf(declared(element));
        }
        return switch (oid) {
            case BOOL -> SqlType.BOOLEAN;
            case INT2 -> SqlType.SMALLINT;
            case INT4 -> SqlType.INTEGER;
            case INT8 -> SqlType.BIGINT;
            case OID -> SqlType.OID;
            case NUMERIC -> SqlType.DECIMAL;
            case FLOAT4 -> SqlType.REAL;
            case FLOAT8 -> SqlType.DOUBLE;
            case TEXT, NAME, JSON -> SqlType.TEXT;
            case VARCHAR -> SqlType.VARCHAR;
            case BPCHAR -> SqlType.BPCHAR;
            case BYTEA -> SqlType.BYTEA;
            case DATE -> SqlType.DATE;
            case TIME -> SqlType.TIME;
            case TIMESTAMP -> SqlType.TIMESTAMP;
            case TIMESTAMPTZ -> SqlType.TIMESTAMPTZ;
            case INTERVAL -> SqlType.INTERVAL;
            case UUID -> SqlType.UUID;
            default -> SqlType.UNKNOWN;
        };
    }

    /// Whether a client has said nothing of a parameter's type.
    public static boolean isOpen(int oid) {
        return oid == 0 || oid == UNKNOWN;
    }

    /// Whether values of this number are read as by [#declared].
    public static boolean isKnown(int oid) {
        return isOpen(oid) || !declared(oid).isUnknown();
    }
}
