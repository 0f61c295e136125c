package org.namdb.sql.engine.ddl;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.language.ast.DdlStatement.TableOption;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The options of CREATE TABLE .. WITH: a table's physical design, which never changes a result.
final class TableOptions {
    private static final String KNOWN =
            "bucket_size, cached, expected_rows, inline, load, neighbours, ordered, servers, versions";

    private static final String CACHED = "cached";

    private static final String ORDERED = "ordered";

    /// Those of PostgreSQL, which have no effect here.
    private static final Set<String> POSTGRESQL =
            Set.of(
                    "deduplicate_items",
                    "fillfactor",
                    "log_autovacuum_min_duration",
                    "oids",
                    "parallel_workers",
                    "toast_tuple_target",
                    "user_catalog_table",
                    "vacuum_index_cleanup",
                    "vacuum_truncate");

    private static final String AUTOVACUUM = "autovacuum_";

    private TableOptions() {}

    /// Whether an option is one of PostgreSQL's: of where and when it writes, which has no meaning
    /// here.
    static boolean isPostgresql(String name) {
        return POSTGRESQL.contains(name) || name.startsWith(AUTOVACUUM);
    }

    /// The names of all options, sorted.
    static List<String> names() {
        return List.of(KNOWN.split(", "));
    }

    /// Whether the primary key is to have an ordered index, which serves ranges of it.
    static boolean isOrdered(Map<String, TableOption> options) {
        TableOption option = options.get(ORDERED);
        return option == null || truth(ORDERED, option.value());
    }

    /// What ALTER TABLE .. SET says of the only option that can be changed.
    ///
    /// @param before what it is; null if it stays as it was
    /// @throws SqlException 22023 if another option is named, or it can't have its value; 0A000 if
    ///     one is named that stays as the table was made with it
    static @Nullable Boolean cached(Map<String, TableOption> options, @Nullable Boolean before) {
        options.forEach((name, option) -> {
            if (!name.equals(CACHED) && !isPostgresql(name)) {
                boolean isKnown = names().contains(name);
                throw new SqlException(
                                isKnown
                                        ? SqlState.FEATURE_NOT_SUPPORTED
                                        : SqlState.INVALID_PARAMETER_VALUE,
                                isKnown
                                        ? "parameter \"" + name + "\" can't be changed"
                                        : "unrecognized parameter \"" + name + "\"")
                        .withHint("ALTER TABLE .. SET changes cached alone.")
                        .at(option.position());
            }
        });
        TableOption option = options.get(CACHED);
        try {
            return option == null ? before : Boolean.valueOf(truth(CACHED, option.value()));
        } catch (SqlException e) {
            throw option == null ? e : e.at(option.position());
        }
    }

    /// Puts the options in a definition.
    ///
    /// @param keyColumns how many columns the primary key has
    /// @param servers how many memory servers there are
    /// @throws SqlException 22023 if one is not known, or can't have its value
    static void apply(
            Map<String, TableOption> options,
            TableDefinition.Builder builder,
            int keyColumns,
            int servers) {
        options.forEach((name, option) -> {
            try {
                apply(name, option.value(), builder, keyColumns, servers);
            } catch (SqlException e) {
                throw e.at(option.position());
            }
        });
    }

    private static void apply(
            String name,
            String value,
            TableDefinition.Builder builder,
            int keyColumns,
            int servers) {
        switch (name) {
            case "versions" -> builder.versions((int) number(name, value, 1, 64));
            case "bucket_size" -> builder.bucketRecords((int) number(name, value, 1, 64));
            case CACHED -> builder.cached(truth(name, value));
            case "inline" -> builder.inlined(truth(name, value));
            case "expected_rows" -> builder.expectedRows(number(name, value, 1, 1L << 40));
            case "load" -> builder.load((int) number(name, value, 10, 100));
            case "neighbours", "neighbors" ->
                    builder.neighbours((int) number(name, value, 1, keyColumns));
            case ORDERED -> {
                boolean _ = truth(name, value); // an index of its own: see isOrdered
            }
            case "servers" -> builder.servers(servers(name, value, servers));
            default -> {
                if (!isPostgresql(name)) {
                    throw new SqlException(
                                    SqlState.INVALID_PARAMETER_VALUE,
                                    "unrecognized parameter \"" + name + "\"")
                            .withHint("Known parameters: " + KNOWN + ".");
                }
            }
        }
    }

    private static long number(String name, String value, long least, long most) {
        try {
            long number = Long.parseLong(value.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, as a number out of range is
        }
        throw invalid(
                name,
                value,
                least == most
                        ? "It can only be " + most + " here."
                        : "It is a number from " + least + " to " + most + ".");
    }

    /// The numbers of memory servers, in the order in which they are named.
    private static int[] servers(String name, String value, int servers) {
        Set<Integer> numbers = new LinkedHashSet<>();
        for (String item : value.split(",", -1)) {
            int number = server(item.strip());
            if (number < 0) {
                throw invalid(
                        name,
                        value,
                        "It is a list of numbers of memory servers, like '0, 2'. "
                                + thereAre(servers));
            }
            if (number >= servers) {
                throw invalid(
                        name,
                        value,
                        "There is no memory server " + item.strip() + ". " + thereAre(servers));
            }
            if (!numbers.add(number)) {
                throw invalid(name, value, "Memory server " + number + " is named twice.");
            }
        }
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    /// A number of a memory server, one that there can't be if it has too many digits; -1 if the
    /// text is no number.
    private static int server(String text) {
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE;
        }
    }

    private static String thereAre(int servers) {
        return servers == 1
                ? "There is only memory server 0."
                : "There are memory servers 0 to " + (servers - 1) + ".";
    }

    private static SqlException invalid(String name, String value, String hint) {
        return new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid value for parameter \"" + name + "\": \"" + value + "\"")
                .withHint(hint);
    }

    private static boolean truth(String name, String value) {
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default -> throw invalid(name, value, "It is true or false.");
        };
    }
}
