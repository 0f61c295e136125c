package org.namdb.sql.language.type;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType.Kind;

/// The names of types, with their synonyms.
final class TypeNames {
    private static final int MAX_DECIMAL_DIGITS = 1000;
    private static final int MICROSECOND_DIGITS = 6;

    private static final Map<String, SqlType> TYPES =
            Map.ofEntries(
                    Map.entry("boolean", SqlType.BOOLEAN),
                    Map.entry("bool", SqlType.BOOLEAN),
                    Map.entry("smallint", SqlType.SMALLINT),
                    Map.entry("int2", SqlType.SMALLINT),
                    Map.entry("integer", SqlType.INTEGER),
                    Map.entry("int", SqlType.INTEGER),
                    Map.entry("int4", SqlType.INTEGER),
                    Map.entry("bigint", SqlType.BIGINT),
                    Map.entry("int8", SqlType.BIGINT),
                    Map.entry("numeric", SqlType.DECIMAL),
                    Map.entry("decimal", SqlType.DECIMAL),
                    Map.entry("dec", SqlType.DECIMAL),
                    Map.entry("real", SqlType.REAL),
                    Map.entry("float4", SqlType.REAL),
                    Map.entry("double precision", SqlType.DOUBLE),
                    Map.entry("double", SqlType.DOUBLE),
                    Map.entry("float8", SqlType.DOUBLE),
                    Map.entry("float", SqlType.DOUBLE),
                    Map.entry("character", SqlType.character(1)),
                    Map.entry("char", SqlType.character(1)),
                    Map.entry("nchar", SqlType.character(1)),
                    Map.entry("national character", SqlType.character(1)),
                    Map.entry("national char", SqlType.character(1)),
                    Map.entry("bpchar", SqlType.character(1)),
                    Map.entry("character varying", SqlType.VARCHAR),
                    Map.entry("char varying", SqlType.VARCHAR),
                    Map.entry("national character varying", SqlType.VARCHAR),
                    Map.entry("national char varying", SqlType.VARCHAR),
                    Map.entry("nchar varying", SqlType.VARCHAR),
                    Map.entry("varchar", SqlType.VARCHAR),
                    Map.entry("text", SqlType.TEXT),
                    Map.entry("date", SqlType.DATE),
                    Map.entry("time", SqlType.TIME),
                    Map.entry("time without time zone", SqlType.TIME),
                    Map.entry("timestamp", SqlType.TIMESTAMP),
                    Map.entry("timestamp without time zone", SqlType.TIMESTAMP),
                    Map.entry("timestamptz", SqlType.TIMESTAMPTZ),
                    Map.entry("timestamp with time zone", SqlType.TIMESTAMPTZ),
                    Map.entry("interval", SqlType.INTERVAL),
                    Map.entry("bytea", SqlType.BYTEA),
                    Map.entry("uuid", SqlType.UUID));

    private TypeNames() {}

    static SqlType resolve(TypeName name) {
        if (name.name().endsWith("[]")) {
            String element = name.name().substring(0, name.name().length() - 2);
            return SqlType.arrayOf(
                    resolve(
                            new TypeName(
                                    element, name.arguments(), name.inBytes(), name.position())));
        }
        SqlType type = TYPES.get(name.name());
        if (type == null) {
            throw unknown(name);
        }
        List<Integer> arguments = name.arguments();
        if (name.inBytes() && type.kind() != Kind.VARCHAR && type.kind() != Kind.BYTEA) {
            throw error(
                    name, SqlState.SYNTAX_ERROR, "type " + type.name() + " has no length in bytes");
        }
        return arguments.isEmpty() ? type : withArguments(name, type, arguments);
    }

    private static SqlType withArguments(TypeName name, SqlType type, List<Integer> arguments) {
        return switch (type.kind()) {
            case DECIMAL -> decimal(name, arguments);
            case CHAR, VARCHAR, BYTEA ->
                    new SqlType(
                            type.kind(),
                            length(name, arguments),
                            0,
                            name.inBytes() || type.kind() == Kind.BYTEA);
            case DOUBLE -> floating(name, type, arguments);
            case TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL -> microseconds(name, type, arguments);
            case BOOLEAN, SMALLINT, INTEGER, BIGINT, REAL, TEXT, DATE, UUID, ARRAY, UNKNOWN ->
                    throw noModifier(name, type);
        };
    }

    private static SqlType decimal(TypeName name, List<Integer> arguments) {
        int precision = arguments.getFirst();
        int scale = arguments.size() > 1 ? arguments.get(1) : 0;
        if (arguments.size() > 2) {
            throw error(name, SqlState.INVALID_PARAMETER_VALUE, "invalid NUMERIC type modifier");
        }
        if (precision < 1 || precision > MAX_DECIMAL_DIGITS) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "NUMERIC precision "
                            + precision
                            + " must be between 1 and "
                            + MAX_DECIMAL_DIGITS);
        }
        if (scale < 0 || scale > precision) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "NUMERIC scale " + scale + " must be between 0 and precision " + precision);
        }
        return SqlType.decimal(precision, scale);
    }

    private static int length(TypeName name, List<Integer> arguments) {
        int length = arguments.getFirst();
        if (arguments.size() > 1) {
            throw error(name, SqlState.INVALID_PARAMETER_VALUE, "invalid type modifier");
        }
        if (length < 1) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "length for type " + name.name() + " must be at least 1");
        }
        if (length > SqlType.MAX_LENGTH) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "length for type " + name.name() + " cannot exceed " + SqlType.MAX_LENGTH);
        }
        return length;
    }

    /// `float(n)` is named by its binary digits.
    private static SqlType floating(TypeName name, SqlType type, List<Integer> arguments) {
        if (!name.name().equals("float") || arguments.size() > 1) {
            throw noModifier(name, type);
        }
        int digits = arguments.getFirst();
        if (digits < 1) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "precision for type float must be at least 1 bit");
        }
        if (digits > 53) {
            throw error(
                    name,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "precision for type float must be less than 54 bits");
        }
        return digits <= 24 ? SqlType.REAL : SqlType.DOUBLE;
    }

    private static SqlType microseconds(TypeName name, SqlType type, List<Integer> arguments) {
        if (arguments.size() == 1 && arguments.getFirst() == MICROSECOND_DIGITS) {
            return type;
        }
        throw error(
                name,
                SqlState.FEATURE_NOT_SUPPORTED,
                "type " + type.name() + " has microseconds, and no other precision");
    }

    private static SqlException unknown(TypeName name) {
        @Nullable String instead =
                switch (name.name()) {
                    case "time with time zone", "timetz" -> "time";
                    case "blob", "binary", "varbinary" -> "bytea";
                    case "clob", "string" -> "text";
                    case "serial", "bigserial", "smallserial" -> "bigint, with values of your own";
                    default -> null;
                };
        SqlException e =
                error(
                        name,
                        SqlState.UNDEFINED_OBJECT,
                        "type \"" + name.name() + "\" does not exist");
        return instead == null ? e : e.withHint("Use type " + instead + ".");
    }

    private static SqlException noModifier(TypeName name, SqlType type) {
        return error(
                name,
                SqlState.SYNTAX_ERROR,
                "type modifier is not allowed for type \"" + type.name() + "\"");
    }

    private static SqlException error(TypeName name, SqlState state, String message) {
        return new SqlException(state, message, name.position());
    }
}
