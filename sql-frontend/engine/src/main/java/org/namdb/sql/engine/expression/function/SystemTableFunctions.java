package org.namdb.sql.engine.expression.function;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.sql.engine.catalog.SystemCatalog;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.text.FormatText;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// Functions that clients call in addition to the system's catalog, and those of the session.
final class SystemTableFunctions {
    private static final SqlType[] OID = {SqlType.BIGINT};
    private static final long[] UNITS = {1L << 40, 1L << 30, 1L << 20, 1L << 10};
    private static final String[] NAMES = {" TB", " GB", " MB", " kB"};
    private static final long FIRST_UNIT_LIMIT = 10;

    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private SystemTableFunctions() {}

    static void addTo(FunctionTable table) {
        session(table);
        locks(table);
        SqlType text = SqlType.TEXT;
        table.add(
                "array_contains",
                SqlType.BOOLEAN,
                a -> ArrayText.elements((String) a[0]).contains((String) a[1]),
                text,
                text);
        table.add("vector_text", text, a -> ArrayText.ofVector((String) a[0]), text);
        table.add(
                "array_to_string",
                text,
                a -> String.join((String) a[1], ArrayText.elements((String) a[0])),
                text,
                text);
        table.add(
                "cardinality",
                SqlType.INTEGER,
                a -> (long) ArrayText.elements((String) a[0]).size(),
                text);
        table.add(
                "array_upper",
                SqlType.INTEGER,
                a -> ArrayText.upperBound((String) a[0], (Long) a[1]),
                text,
                SqlType.INTEGER);
        table.add(
                "array_pair",
                text,
                a -> ArrayText.pair((String) a[0], (Long) a[1]),
                text,
                SqlType.BIGINT);
        SqlType numbers = SqlType.arrayOf(SqlType.SMALLINT);
        table.add(
                "array_pair",
                text,
                a -> ArrayText.pair(TextFormat.format(a[0], numbers), (Long) a[1]),
                numbers,
                SqlType.BIGINT);
        table.add(
                "record_field",
                SqlType.INTEGER,
                a -> ArrayText.field((String) a[0], (String) a[1]),
                text,
                text);
        table.add(
                "array_text",
                text,
                a -> ArrayText.subscript((String) a[0], (Long) a[1]),
                text,
                SqlType.BIGINT);
        table.add(
                "array_number",
                SqlType.BIGINT,
                a -> ArrayText.number(ArrayText.subscript((String) a[0], (Long) a[1])),
                text,
                SqlType.BIGINT);
        table.add("pg_relation_is_publishable", SqlType.BOOLEAN, a -> true, OID);
        table.add("pg_partition_ancestors", SqlType.BIGINT, a -> a[0], OID);
        Map<Long, String> types = SystemCatalog.typeNames();
        table.add(
                "format_type",
                text,
                a -> typeName(types, (Long) a[0], (Long) a[1]),
                SqlType.BIGINT,
                SqlType.INTEGER);
        table.add(
                "oidvectortypes",
                text,
                a ->
                        NUMBER.matcher((String) a[0])
                                .results()
                                .map(number -> typeName(types, Long.valueOf(number.group()), -1))
                                .collect(Collectors.joining(", ")),
                text);
        table.add("pg_get_expr", text, a -> a[0], text, SqlType.BIGINT);
        table.add("pg_get_expr", text, a -> a[0], text, SqlType.BIGINT, SqlType.BOOLEAN);
        table.add("pg_encoding_to_char", text, a -> "UTF8", SqlType.INTEGER);
        table.add("pg_size_pretty", text, a -> size((Long) a[0]), SqlType.BIGINT);
        table.add("quote_ident", text, a -> FormatText.name((String) a[0]), text);
        table.add("quote_literal", text, a -> FormatText.literal((String) a[0]), text);
        for (String kind : new String[] {"table", "type", "function", "collation", "operator"}) {
            table.add("pg_" + kind + "_is_visible", SqlType.BOOLEAN, a -> true, OID);
        }
        table.add("shobj_description", text, a -> null, SqlType.BIGINT, text);
        for (String name :
                new String[] {
                    "pg_relation_size",
                    "pg_table_size",
                    "pg_total_relation_size",
                    "pg_indexes_size",
                    "pg_database_size",
                    "pg_tablespace_size"
                }) {
            table.add(name, SqlType.BIGINT, a -> null, OID);
        }
        table.add("pg_database_size", SqlType.BIGINT, a -> null, text);
        for (String name :
                new String[] {
                    "pg_get_triggerdef",
                    "pg_get_ruledef",
                    "pg_get_partkeydef",
                    "pg_get_statisticsobjdef_columns",
                    "pg_get_function_result",
                    "pg_get_function_arguments",
                    "pg_get_function_identity_arguments",
                    "pg_get_functiondef",
                    "pg_tablespace_location"
                }) {
            table.add(name, text, a -> null, OID);
            table.add(name, text, a -> null, SqlType.BIGINT, SqlType.BOOLEAN);
        }
        for (SqlType database : new SqlType[] {text, SqlType.BIGINT}) {
            table.add("has_database_privilege", SqlType.BOOLEAN, a -> true, database, text);
        }
    }

    private static void session(FunctionTable table) {
        SqlType text = SqlType.TEXT;
        table.add(
                "current_setting",
                text,
                Volatility.STABLE,
                (frame, a) -> frame.environment().session().setting((String) a[0]),
                text);
        table.add(
                "current_setting",
                text,
                Volatility.STABLE,
                (frame, a) -> {
                    try {
                        return frame.environment().session().setting((String) a[0]);
                    } catch (SqlException e) {
                        if ((Boolean) a[1] && e.state() == SqlState.UNDEFINED_OBJECT) {
                            return null;
                        }
                        throw e;
                    }
                },
                text,
                SqlType.BOOLEAN);
        table.add(
                "set_config",
                text,
                Volatility.VOLATILE,
                (frame, a) -> {
                    frame.environment().session().set((String) a[0], (String) a[1], (Boolean) a[2]);
                    return frame.environment().session().setting((String) a[0]);
                },
                text,
                text,
                SqlType.BOOLEAN);
        table.add(
                "nextval",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, a) -> sequences(frame).next((String) a[0]),
                text);
        table.add(
                "currval",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, a) -> sequences(frame).current((String) a[0]),
                text);
        table.add(
                "lastval",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, _) -> sequences(frame).last());
        table.add(
                "setval",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, a) -> sequences(frame).set((String) a[0], (Long) a[1], true),
                text,
                SqlType.BIGINT);
        table.add(
                "setval",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, a) -> sequences(frame).set((String) a[0], (Long) a[1], (Boolean) a[2]),
                text,
                SqlType.BIGINT,
                SqlType.BOOLEAN);
        table.add(
                "pg_sequence_last_value",
                SqlType.BIGINT,
                Volatility.VOLATILE,
                (frame, a) -> sequences(frame).lastGiven(SessionSequences.name((String) a[0])),
                text);
        table.add(
                "pg_backend_pid",
                SqlType.INTEGER,
                Volatility.STABLE,
                (frame, _) -> (long) frame.environment().session().number());
        table.add("pg_is_in_recovery", SqlType.BOOLEAN, Volatility.STABLE, (_, _) -> false);
        table.add("pg_client_encoding", text, Volatility.STABLE, (_, _) -> "UTF8");
        table.add(
                "current_schemas",
                text,
                Volatility.STABLE,
                (_, a) -> (Boolean) a[0] ? "{pg_catalog,public}" : "{public}",
                SqlType.BOOLEAN);
    }

    private static void locks(FunctionTable table) {
        for (String shared : new String[] {"", "_shared"}) {
            boolean isExclusive = shared.isEmpty();
            for (String scope : new String[] {"", "xact_"}) {
                boolean isOfTransaction = !scope.isEmpty();
                String lock = scope + "lock" + shared;
                lock(
                        table,
                        "pg_advisory_" + lock,
                        SqlType.TEXT,
                        (frame, key) -> {
                            boolean _ =
                                    session(frame).lock(key, isExclusive, isOfTransaction, true);
                            return "";
                        });
                lock(
                        table,
                        "pg_try_advisory_" + lock,
                        SqlType.BOOLEAN,
                        (frame, key) ->
                                session(frame).lock(key, isExclusive, isOfTransaction, false));
            }
            lock(
                    table,
                    "pg_advisory_unlock" + shared,
                    SqlType.BOOLEAN,
                    (frame, key) -> session(frame).unlock(key, isExclusive));
        }
        table.add(
                "pg_advisory_unlock_all",
                SqlType.TEXT,
                Volatility.VOLATILE,
                (frame, _) -> {
                    session(frame).unlockAll();
                    return "";
                });
    }

    /// A function of a lock's key: of one number, or of two smaller ones.
    private static void lock(
            FunctionTable table,
            String name,
            SqlType result,
            BiFunction<EvaluationFrame, AdvisoryLocks.Key, Object> function) {
        table.add(
                name,
                result,
                Volatility.VOLATILE,
                (frame, a) -> function.apply(frame, new AdvisoryLocks.Key(1, (Long) a[0])),
                SqlType.BIGINT);
        table.add(
                name,
                result,
                Volatility.VOLATILE,
                (frame, a) -> {
                    long key = (Long) a[0] << Integer.SIZE | (Long) a[1] & 0xffffffffL;
                    return function.apply(frame, new AdvisoryLocks.Key(2, key));
                },
                SqlType.INTEGER,
                SqlType.INTEGER);
    }

    private static SessionContext session(EvaluationFrame frame) {
        return frame.environment().session();
    }

    private static SessionSequences sequences(EvaluationFrame frame) {
        return frame.environment().session().sequences();
    }

    private static String typeName(Map<Long, String> names, long oid, long modifier) {
        String name = names.getOrDefault(oid, "???");
        if (modifier < 4) {
            return name;
        }
        if (name.endsWith("[]")) {
            String element = name.substring(0, name.length() - 2);
            return typeName(Map.of(oid, element), oid, modifier) + "[]";
        }
        long length = modifier - 4;
        return name.equals("numeric")
                ? name + "(" + (length >> 16) + "," + (length & 0xffff) + ")"
                : name + "(" + length + ")";
    }

    private static @Nullable String size(long bytes) {
        for (int i = 0; i < UNITS.length; i++) {
            if (bytes >= FIRST_UNIT_LIMIT * UNITS[i]) {
                return (bytes + UNITS[i] / 2) / UNITS[i] + NAMES[i];
            }
        }
        return bytes + " bytes";
    }
}
