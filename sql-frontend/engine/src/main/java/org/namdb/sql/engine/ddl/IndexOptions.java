package org.namdb.sql.engine.ddl;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.sql.language.ast.DdlStatement.TableOption;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The WITH clause of CREATE INDEX.
final class IndexOptions {
    private static final int MIN_NODE_BYTES = 256;
    private static final int MAX_NODE_BYTES = 8_192;
    private static final int NODE_STEP = 64;
    private static final long MAX_CACHE_BYTES = 1L << 40;
    private static final List<String> KNOWN =
            List.of("cache", "distribution", "node_bytes", "partition", "shares");
    private static final Pattern SHARES = Pattern.compile("[0-9]{1,7}(\\s*,\\s*[0-9]{1,7})*");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})\\s*(|kB|MB|GB)");

    private IndexOptions() {}

    /// Puts the options in a definition.
    ///
    /// @throws SqlException 22023 if one is not known, can't have its value, or is not for a hashed
    ///     index
    static IndexDefinition apply(Map<String, TableOption> options, IndexDefinition definition) {
        IndexDefinition result = definition;
        // In the order of their names, in which an option follows those that it depends on.
        for (Map.Entry<String, TableOption> option : new TreeMap<>(options).entrySet()) {
            try {
                result = apply(option.getKey(), option.getValue().value(), result);
            } catch (SqlException e) {
                throw e.at(option.getValue().position());
            }
        }
        return result;
    }

    private static IndexDefinition apply(String name, String value, IndexDefinition definition) {
        if (TableOptions.isPostgresql(name)) {
            return definition;
        }
        if (!KNOWN.contains(name)) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "unrecognized parameter \"" + name + "\"")
                    .withHint("Known parameters: " + String.join(", ", KNOWN) + ".");
        }
        if (definition.kind() == IndexDefinition.Kind.HASH) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "parameter \"" + name + "\" is for btree indexes")
                    .withHint("A hash index has no nodes.");
        }
        return switch (name) {
            case "cache" ->
                    definition.property(
                            IndexDefinition.CACHE_BYTES, String.valueOf(bytes(name, value)));
            case "node_bytes" ->
                    definition.property(
                            IndexDefinition.NODE_BYTES, String.valueOf(nodeBytes(name, value)));
            case "distribution" ->
                    definition.property(IndexDefinition.DISTRIBUTION, distribution(name, value));
            case "partition" ->
                    definition.property(
                            IndexDefinition.PARTITION, partition(name, value, definition));
            default -> shares(name, value, definition);
        };
    }

    private static String partition(String name, String value, IndexDefinition definition) {
        if (!IndexDefinition.PARTITIONS.contains(value)
                || !IndexDefinition.canBePartitioned(definition.distribution(), value)) {
            throw invalid(
                    name,
                    value,
                    "It is hash or range with distribution = 'coarse', and range with 'hybrid'; a"
                            + " fine index is not partitioned.");
        }
        return value;
    }

    private static IndexDefinition shares(String name, String value, IndexDefinition definition) {
        if (!definition.isByRange()) {
            throw invalid(name, value, "Shares are for partition = 'range'.");
        }
        try {
            if (SHARES.matcher(value.strip()).matches()) {
                return definition.property(IndexDefinition.SHARES, value.replaceAll("\\s", ""));
            }
        } catch (IllegalArgumentException e) {
            // One of them is 0, or too large.
        }
        throw invalid(
                name,
                value,
                "It is a number from 1 to %d for each memory server, like '80, 12, 5, 3'."
                        .formatted(IndexDefinition.MAX_SHARE));
    }

    private static String distribution(String name, String value) {
        if (!IndexDefinition.DISTRIBUTIONS.contains(value)) {
            throw invalid(
                    name,
                    value,
                    "It is one of " + String.join(", ", IndexDefinition.DISTRIBUTIONS) + ".");
        }
        return value;
    }

    private static long nodeBytes(String name, String value) {
        long bytes = bytes(name, value);
        if (bytes < MIN_NODE_BYTES || bytes > MAX_NODE_BYTES || bytes % NODE_STEP != 0) {
            throw invalid(
                    name,
                    value,
                    "It is a multiple of %d from %d to %d."
                            .formatted(NODE_STEP, MIN_NODE_BYTES, MAX_NODE_BYTES));
        }
        return bytes;
    }

    private static long bytes(String name, String value) {
        Matcher size = SIZE.matcher(value.strip());
        if (size.matches()) {
            long factor =
                    switch (size.group(2)) {
                        case "kB" -> 1L << 10;
                        case "MB" -> 1L << 20;
                        case "GB" -> 1L << 30;
                        default -> 1;
                    };
            long number = Long.parseLong(size.group(1));
            if (number <= MAX_CACHE_BYTES / factor) {
                return number * factor;
            }
        }
        throw invalid(name, value, "It is a number of bytes, or one of kB, MB or GB, like '64MB'.");
    }

    private static SqlException invalid(String name, String value, String hint) {
        return new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid value for parameter \"%s\": \"%s\"".formatted(name, value))
                .withHint(hint);
    }
}
