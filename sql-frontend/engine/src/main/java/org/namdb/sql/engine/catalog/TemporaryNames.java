package org.namdb.sql.engine.catalog;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How the catalog names temporary tables, their indexes and their sequences: each session has a
/// schema `pg_temp_P_N` of its own for them, P being its compute server, and the schema stands
/// before the name, as in `pg_temp_3_17.t`. No user's relation is called so.
public final class TemporaryNames {
    /// What a session calls its own schema by.
    private static final String OWN = "pg_temp.";

    private static final String PUBLIC = "public.";

    private static final Pattern QUALIFIED =
            Pattern.compile("(?:" + UniqueKey.HIDDEN + "[a-z]+:)?(pg_temp_(\\d+)_\\d+)\\..*");

    private TemporaryNames() {}

    /// A new schema.
    ///
    /// @param process the compute server's number
    /// @param number one that no other schema has got
    public static String newSchema(int process, long number) {
        return "pg_temp_" + process + "_" + number;
    }

    /// The schema of a temporary table, or of what was made for one; null for other names.
    public static @Nullable String schemaOf(String name) {
        Matcher matcher = QUALIFIED.matcher(name);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /// Whether a name is that of a temporary table, or of what was made for one.
    public static boolean isTemporary(String name) {
        return schemaOf(name) != null;
    }

    /// The number of the compute server that has made a schema.
    public static int processOf(String schema) {
        return Integer.parseInt(schema.split("_", -1)[2]);
    }

    /// A name in a schema.
    public static String in(String schema, String name) {
        return schema + "." + name;
    }

    /// Whether a name is said to be one of the session's own schema.
    public static boolean isInOwn(String name) {
        return name.startsWith(OWN);
    }

    /// A name in the session's own schema.
    public static String own(String name) {
        return OWN + name;
    }

    /// A name that is to be found as it is, whatever hides it.
    public static String permanent(String name) {
        return PUBLIC + name;
    }

    static @Nullable String withoutPublic(String name) {
        return name.startsWith(PUBLIC) ? name.substring(PUBLIC.length()) : null;
    }

    /// A name without its temporary schema.
    public static String bare(String name) {
        String schema = name.startsWith(OWN) ? "pg_temp" : schemaOf(name);
        return schema == null || !name.startsWith(schema)
                ? name
                : name.substring(schema.length() + 1);
    }
}
