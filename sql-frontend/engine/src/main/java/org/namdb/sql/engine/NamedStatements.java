package org.namdb.sql.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// The prepared statements of a session that have names: those of PREPARE, and those that its
/// client has prepared by the protocol.
final class NamedStatements {
    private static final int MAX_OF_SQL = 1_000;
    private static final int MAX_CHARS_OF_SQL = 64 << 20;

    private final Map<String, Entry> entries = new TreeMap<>();

    /// A prepared statement, and how often it was executed.
    static final class Entry {
        private final Instant prepared;
        private final boolean isOfSql;
        private CompiledStatement compiled;
        private long executions;

        private Entry(CompiledStatement compiled, Instant prepared, boolean isOfSql) {
            this.compiled = compiled;
            this.prepared = prepared;
            this.isOfSql = isOfSql;
        }

        CompiledStatement compiled() {
            return compiled;
        }

        /// A plan for the schema as it is now.
        void replan(CompiledStatement current) {
            compiled = current;
        }

        void executed() {
            executions++;
        }
    }

    /// @throws SqlException 42P05 if there is one of this name
    void requireFree(Name name) {
        if (entries.containsKey(name.text())) {
            throw new SqlException(
                    SqlState.DUPLICATE_PREPARED_STATEMENT,
                    "prepared statement \"" + name.text() + "\" already exists",
                    name.position());
        }
    }

    /// @throws SqlException 54000 if PREPARE has made too many
    void requireSpace(String text, Position place) {
        long chars = text.length();
        int count = 0;
        for (Entry each : entries.values()) {
            if (each.isOfSql) {
                count++;
                chars += each.compiled.text().length();
            }
        }
        if (count >= MAX_OF_SQL || chars > MAX_CHARS_OF_SQL) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "the prepared statements of this session are too many, or too long",
                            place)
                    .withDetail(
                            "There may be %,d, of %,d characters together."
                                    .formatted(MAX_OF_SQL, MAX_CHARS_OF_SQL))
                    .withHint("Close those that are not used any more: DEALLOCATE.");
        }
    }

    /// @param now the time of the statement that prepares it
    /// @param isOfSql whether it is of PREPARE
    Entry add(String name, CompiledStatement compiled, Instant now, boolean isOfSql) {
        Entry entry = new Entry(compiled, now, isOfSql);
        entries.put(name, entry);
        return entry;
    }

    boolean contains(String name) {
        return entries.containsKey(name);
    }

    /// @throws SqlException 26000 if there is none of this name
    Entry find(Name name) {
        Entry found = entries.get(name.text());
        if (found == null) {
            throw unknown(name);
        }
        return found;
    }

    /// @throws SqlException 26000 if there is none of this name
    void remove(Name name) {
        if (entries.remove(name.text()) == null) {
            throw unknown(name);
        }
    }

    void clear() {
        entries.clear();
    }

    /// The rows of `pg_prepared_statements`. A plan is never made for the values of one execution.
    List<@Nullable Object[]> rows() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        entries.forEach((name, each) ->
                rows.add(
                        new @Nullable Object[] {
                            name,
                            each.compiled.text(),
                            each.prepared,
                            types(each.compiled.parameterTypes()),
                            each.isOfSql,
                            each.executions,
                            0L
                        }));
        return rows;
    }

    private static SqlArray types(List<SqlType> types) {
        return new SqlArray(SqlType.TEXT, types.stream().map(SqlType::name).toList());
    }

    private static SqlException unknown(Name name) {
        return new SqlException(
                SqlState.INVALID_STATEMENT_NAME,
                "prepared statement \"" + name.text() + "\" does not exist",
                name.position());
    }
}
