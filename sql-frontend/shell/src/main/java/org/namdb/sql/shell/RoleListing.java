package org.namdb.sql.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.format.ListedRows;

/// The meta commands for roles and privileges: `\du`, `\dp`. They query the session that is in use,
/// as psql does.
final class RoleListing {
    private static final String ROLES =
            "SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolcanlogin, rolvaliduntil"
                    + " FROM pg_roles ORDER BY rolname";

    private static final String MEMBERS =
            "SELECT m.rolname, r.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member"
                    + " JOIN pg_roles r ON r.oid = a.roleid ORDER BY r.rolname";

    private static final String TABLES =
            "SELECT relname, pg_get_userbyid(relowner), array_to_string(relacl, ', ')"
                    + " FROM pg_class WHERE relkind = 'r' AND relnamespace = 2200 ORDER BY relname";

    private final Sessions sessions;
    private final ShellOutput output;

    RoleListing(Sessions sessions, ShellOutput output) {
        this.sessions = sessions;
        this.output = output;
    }

    /// The roles.
    ///
    /// @param pattern what their names are like; empty for all
    void roles(String pattern) {
        Map<String, List<String>> members = new TreeMap<>();
        for (@Nullable String[] row : rows(MEMBERS)) {
            members.computeIfAbsent(String.valueOf(row[0]), _ -> new ArrayList<>())
                    .add(String.valueOf(row[1]));
        }
        List<@Nullable Object[]> listed = new ArrayList<>();
        for (@Nullable String[] row : rows(ROLES)) {
            String name = String.valueOf(row[0]);
            if (TableListing.isLike(name, pattern)) {
                listed.add(
                        ListedRows.row(
                                name,
                                attributes(row),
                                String.join(", ", members.getOrDefault(name, List.of()))));
            }
        }
        output.listing(ListedRows.ofText(List.of("role", "attributes", "member of"), listed));
    }

    private static String attributes(@Nullable String[] row) {
        List<String> attributes = new ArrayList<>();
        String[] words = {"", "superuser", "create role", "create DB", "cannot login"};
        for (int i = 1; i < words.length; i++) {
            boolean isTrue = "t".equals(row[i]);
            if (isTrue != words[i].startsWith("cannot")) {
                attributes.add(words[i]);
            }
        }
        if (row[5] != null) {
            attributes.add("password valid until " + row[5]);
        }
        return String.join(", ", attributes);
    }

    /// The owners and privileges of tables.
    ///
    /// @param pattern what the tables' names are like; empty for all
    void privileges(String pattern) {
        List<@Nullable Object[]> listed = new ArrayList<>();
        for (@Nullable String[] row : rows(TABLES)) {
            if (TableListing.isLike(String.valueOf(row[0]), pattern)) {
                listed.add(ListedRows.row(row[0], row[1], row[2]));
            }
        }
        output.listing(ListedRows.ofText(List.of("table", "owner", "privileges"), listed));
    }

    /// The same of one table, as lines; none if it is not there.
    List<String> privilegesOf(String table) {
        for (@Nullable String[] row : rows(TABLES)) {
            if (table.equals(row[0])) {
                return row[2] == null
                        ? List.of("owner " + row[1])
                        : List.of("owner " + row[1], "privileges " + row[2]);
            }
        }
        return List.of();
    }

    /// The rows of a query, as text.
    List<@Nullable String[]> rows(String query) {
        List<@Nullable String[]> rows = new ArrayList<>();
        try (Result result = sessions.connection().execute(query)) {
            while (result.next()) {
                @Nullable String[] row = new @Nullable String[result.columns().size()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = result.text(i);
                }
                rows.add(row);
            }
        } catch (SqlException e) {
            throw new ShellException(String.valueOf(e.getMessage()));
        }
        return rows;
    }
}
