package org.namdb.sql.engine.ddl;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Names of tables, indexes and constraints: which are allowed, and which are chosen where none
/// is given.
final class Names {
    /// The most bytes of a name.
    static final int MAX_BYTES = 63;

    private Names() {}

    /// A new name, if it may be used.
    ///
    /// @throws SqlException 42622 if it is too long, 42602 if it is empty or kept for the
    ///     database itself
    static String checked(Name name) {
        String text = name.text();
        if (bytes(text) > MAX_BYTES) {
            throw new SqlException(
                    SqlState.NAME_TOO_LONG,
                    "identifier \"" + text + "\" has more than " + MAX_BYTES + " bytes",
                    name.position());
        }
        if (text.isEmpty()) {
            throw new SqlException(
                    SqlState.INVALID_NAME, "zero-length delimited identifier", name.position());
        }
        if (text.startsWith(UniqueKey.HIDDEN)) {
            throw new SqlException(
                            SqlState.INVALID_NAME,
                            "unacceptable name \"" + text + "\"",
                            name.position())
                    .withDetail(
                            "Names that start with \""
                                    + UniqueKey.HIDDEN
                                    + "\" are those of the database's own tables.");
        }
        if (TemporaryNames.isInOwn(text)) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "temporary views, sequences and functions are not supported",
                            name.position())
                    .withHint("Leave pg_temp out, or make a temporary table.");
        }
        if (TemporaryNames.isReserved(text)) {
            String schema = text.substring(0, text.indexOf('.'));
            throw new SqlException(
                            SqlState.RESERVED_NAME,
                            "unacceptable schema name \"" + schema + "\"",
                            name.position())
                    .withDetail("The prefix \"pg_\" is reserved for system schemas.")
                    .withHint("Use CREATE TEMP TABLE to make a temporary table.");
        }
        return text;
    }

    /// A new name in the schema of a relation, if it may be used.
    ///
    /// @throws SqlException as [#checked]
    static String beside(String relation, Name name) {
        String schema = TemporaryNames.schemaOf(relation);
        boolean isInside = schema != null && name.text().startsWith(schema + ".");
        String bare =
                checked(
                        isInside
                                ? new Name(TemporaryNames.bare(name.text()), name.position())
                                : name);
        return schema == null ? bare : TemporaryNames.in(schema, bare);
    }

    /// A name as PostgreSQL chooses it: the table, the columns, and what it is; with a number if it
    /// is taken.
    ///
    /// @param label as `key`, `idx`, `check`, `fkey`, `pkey`
    static String chosen(
            String table, List<String> columns, String label, Predicate<String> isTaken) {
        String middle = String.join("_", columns);
        for (int number = 0; ; number++) {
            String end = "_" + label + (number == 0 ? "" : Integer.toString(number));
            String name = shortened(table, middle, MAX_BYTES - bytes(end)) + end;
            if (!isTaken.test(name)) {
                return name;
            }
        }
    }

    /// An identifier as it must be written in SQL.
    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String shortened(String table, String columns, int mostBytes) {
        String schema = TemporaryNames.schemaOf(table);
        String first = table;
        String second = columns;
        int most = mostBytes + (schema == null ? 0 : schema.length() + 1);
        while (bytes(first) + bytes(second) + (second.isEmpty() ? 0 : 1) > most) {
            if (bytes(first) > bytes(second)) {
                first = withoutLast(first);
            } else {
                second = withoutLast(second);
            }
        }
        return second.isEmpty() ? first : first + "_" + second;
    }

    private static String withoutLast(String text) {
        return text.substring(0, text.offsetByCodePoints(text.length(), -1));
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
