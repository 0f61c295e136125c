package org.namdb.sql.engine.catalog;

import org.jspecify.annotations.Nullable;

/// How the catalog names temporary tables, their indexes and their sequences: each session has a
/// schema `nam:temp:P_N` of its own for them, P being its compute server, and the schema stands
/// before the name, as in `nam:temp:3_17.t`. Clients see it as `pg_temp_3_17`. No relation of a
/// user has such a name, as names that begin with [UniqueKey#HIDDEN] are refused.
public final class TemporaryNames {
    private static final String STORED = UniqueKey.HIDDEN + "temp:";

    /// Before the name of a permanent relation that a temporary one may hide.
    private static final String PERMANENT = UniqueKey.HIDDEN + "permanent:";

    private static final String SHOWN = "pg_temp_";

    /// What a statement calls its session's schema.
    private static final String OWN = "pg_temp.";

    private TemporaryNames() {}

    /// A new schema.
    ///
    /// @param process the compute server's number
    /// @param number one that no other schema has got
    public static String newSchema(int process, long number) {
        return STORED + process + "_" + number;
    }

    /// The schema of a temporary table, or of what was made for one; null for other names.
    public static @Nullable String schemaOf(String name) {
        int start = name.indexOf(STORED);
        boolean isHidden =
                start > 0
                        && name.startsWith(UniqueKey.HIDDEN)
                        && name.indexOf(':', UniqueKey.HIDDEN.length()) == start - 1;
        int end = start == 0 || isHidden ? name.indexOf('.', start) : -1;
        return end < 0 ? null : name.substring(start, end);
    }

    /// Whether a name is that of a temporary table, or of what was made for one.
    public static boolean isTemporary(String name) {
        return schemaOf(name) != null;
    }

    /// Whether a name is one of the hidden tables that are no relations of SQL.
    public static boolean isHidden(String name) {
        return name.startsWith(UniqueKey.HIDDEN) && !name.startsWith(STORED);
    }

    /// The number of the compute server that has made a schema, as a text.
    public static String processOf(String schema) {
        return schema.substring(STORED.length(), schema.indexOf('_', STORED.length()));
    }

    /// What clients call a schema.
    static String shown(String schema) {
        return SHOWN + schema.substring(STORED.length());
    }

    /// A name in a schema.
    public static String in(String schema, String name) {
        return schema + "." + name;
    }

    /// Whether a statement has a name in the session's own schema, as `pg_temp.t`.
    public static boolean isInOwn(String name) {
        return name.startsWith(OWN);
    }

    /// Whether a name is one in a temporary schema, as clients write it.
    public static boolean isReserved(String name) {
        return isInOwn(name) || name.startsWith(SHOWN) && name.indexOf('.') > 0;
    }

    /// A name in the session's own schema, as a statement has it.
    public static String own(String name) {
        return isInOwn(name) ? name : OWN + name;
    }

    /// A name that is found as it is, whatever hides it.
    public static String permanent(String name) {
        return PERMANENT + name;
    }

    static @Nullable String withoutPermanent(String name) {
        return name.startsWith(PERMANENT) ? name.substring(PERMANENT.length()) : null;
    }

    /// A name without its temporary schema.
    public static String bare(String name) {
        if (isInOwn(name)) {
            return name.substring(OWN.length());
        }
        return name.startsWith(STORED) && isTemporary(name)
                ? name.substring(name.indexOf('.') + 1)
                : name;
    }
}
