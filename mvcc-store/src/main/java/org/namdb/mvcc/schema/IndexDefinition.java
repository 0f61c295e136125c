package org.namdb.mvcc.schema;

import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What a secondary index is: an ordered or a hashed set of entries, each the indexed columns
/// followed by the primary key. It holds no versions: every hit is checked against the record
/// (NAM-DB, section 5.2). Where an indexed column is NULL, the entry sorts last.
///
/// @param name the index's name
/// @param table the table's name
/// @param columns the indexed columns' names
/// @param kind how entries are found
/// @param properties what is kept with the index, in order: what [#NODE_BYTES], [#CACHE_BYTES],
///     [#DISTRIBUTION], [#PARTITION], [#SHARES] and [#BOUNDS] name, and what a layer above keeps,
///     which is opaque here
public record IndexDefinition(
        String name,
        String table,
        List<String> columns,
        Kind kind,
        Map<String, String> properties) {
    /// The property with the bytes of a node of an ordered index.
    public static final String NODE_BYTES = "node_bytes";

    /// The property with the bytes that a process may use for copies of inner nodes of an ordered
    /// index; 0 for no copies.
    public static final String CACHE_BYTES = "cache_bytes";

    /// The property that says where the entries of an ordered index lie: [#FINE], [#COARSE] or
    /// [#HYBRID].
    public static final String DISTRIBUTION = "distribution";

    /// The nodes of one tree are spread over the memory servers, and clients work on them by
    /// one-sided verbs.
    public static final String FINE = "fine";

    /// Each memory server has a tree with a [part][#PARTITION] of the entries, and clients send
    /// requests to its workers.
    public static final String COARSE = "coarse";

    /// The leaves are spread over the memory servers, and clients work on them by one-sided verbs;
    /// one memory server has what says where they are, or each a [range][#BY_RANGE] of it, and
    /// clients request that of its workers.
    public static final String HYBRID = "hybrid";

    /// What [#DISTRIBUTION] can be.
    public static final List<String> DISTRIBUTIONS = List.of(FINE, COARSE, HYBRID);

    /// The property that says how entries are divided among the memory servers, of an index whose
    /// [#DISTRIBUTION] is [#COARSE] or [#HYBRID]; set behind that one.
    public static final String PARTITION = "partition";

    /// [#PARTITION] by the entries' hash: the default of a coarse index, and for these alone.
    public static final String BY_HASH = "hash";

    /// [#PARTITION] by ranges of entries, one for each memory server. Their [#BOUNDS] come from a
    /// sample of the rows when the index is made. Without bounds for all of its memory servers, a
    /// coarse index is by hash, and a hybrid one has its separators on one server.
    public static final String BY_RANGE = "range";

    /// What [#PARTITION] can be.
    public static final List<String> PARTITIONS = List.of(BY_HASH, BY_RANGE);

    /// The property with the shares of the entries that the ranges are to have, in the order of the
    /// memory servers: positive numbers, of any sum, with commas between them. Without it, and
    /// where there are not as many as memory servers, the ranges are equal. Set behind
    /// [#PARTITION].
    public static final String SHARES = "shares";

    /// The property with the least entries of all ranges but the first one, in order, as
    /// hexadecimal words with commas between the entries: see [#bounds].
    public static final String BOUNDS = "bounds";

    /// The largest of [#SHARES].
    public static final int MAX_SHARE = 1_000_000;

    private static final int WORD_DIGITS = 2 * Long.BYTES;

    /// How entries are found.
    public enum Kind {
        /// By equality of all indexed columns.
        HASH,
        /// In order, by ranges: a B-link tree.
        ORDERED
    }

    public IndexDefinition {
        columns = List.copyOf(columns);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("index " + name + " has no columns");
        }
        requireOneOf(name, properties, DISTRIBUTION, DISTRIBUTIONS);
        requireOneOf(name, properties, PARTITION, PARTITIONS);
        String distribution = properties.get(DISTRIBUTION);
        if (distribution != null && kind != Kind.ORDERED) {
            throw new IllegalArgumentException(
                    "index %s is hashed and has a distribution: ordered indexes have one"
                            .formatted(name));
        }
        String partition = properties.get(PARTITION);
        if (partition != null && !canBePartitioned(distribution, partition)) {
            throw new IllegalArgumentException(
                    "index %s with the distribution \"%s\" has the partition \"%s\": a coarse index is partitioned by hash or range, a hybrid one by range"
                            .formatted(
                                    name, distribution == null ? FINE : distribution, partition));
        }
        if (properties.containsKey(SHARES)) {
            if (!BY_RANGE.equals(partition)) {
                throw new IllegalArgumentException(
                        "index %s has shares: they are for indexes that are partitioned by range"
                                .formatted(name));
            }
            List<Integer> _ = shares(name, properties.get(SHARES));
        }
    }

    private static void requireOneOf(
            String index, Map<String, String> properties, String property, List<String> values) {
        String value = properties.get(property);
        if (value != null && !values.contains(value)) {
            throw new IllegalArgumentException(
                    "index %s has the %s \"%s\": it is one of %s"
                            .formatted(index, property, value, String.join(", ", values)));
        }
    }

    /// Whether an index of a distribution, which may be null, can be partitioned so.
    public static boolean canBePartitioned(@Nullable String distribution, String partition) {
        return COARSE.equals(distribution)
                || HYBRID.equals(distribution) && partition.equals(BY_RANGE);
    }

    private static List<Integer> shares(String index, String text) {
        try {
            List<Integer> shares =
                    Arrays.stream(text.split(",", -1)).map(Integer::parseInt).toList();
            if (shares.stream().allMatch(share -> share > 0 && share <= MAX_SHARE)) {
                return shares;
            }
        } catch (NumberFormatException e) {
            // As numbers that are out of range.
        }
        throw new IllegalArgumentException(
                "index %s has the shares \"%s\": they are numbers from 1 to %d with commas between them"
                        .formatted(index, text, MAX_SHARE));
    }

    /// An index without properties.
    public IndexDefinition(String name, String table, List<String> columns, Kind kind) {
        this(name, table, columns, kind, Map.of());
    }

    /// An index for equality.
    public static IndexDefinition hash(String name, String table, String... columns) {
        return new IndexDefinition(name, table, List.of(columns), Kind.HASH);
    }

    /// An index for ranges.
    public static IndexDefinition ordered(String name, String table, String... columns) {
        return new IndexDefinition(name, table, List.of(columns), Kind.ORDERED);
    }

    /// The same index with one property more.
    public IndexDefinition property(String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(properties);
        more.put(key, value);
        return new IndexDefinition(name, table, columns, kind, more);
    }

    /// The bytes of a node, if the index sets them.
    public OptionalInt nodeBytes() {
        String bytes = properties.get(NODE_BYTES);
        return bytes == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(bytes));
    }

    /// The bytes for cached inner nodes in each process, if the index sets them.
    public OptionalLong cacheBytes() {
        String bytes = properties.get(CACHE_BYTES);
        return bytes == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(bytes));
    }

    /// Where the entries of an ordered index lie: one of [#DISTRIBUTIONS].
    public String distribution() {
        return properties.getOrDefault(DISTRIBUTION, FINE);
    }

    /// Whether its entries are to be divided by ranges.
    public boolean isByRange() {
        return BY_RANGE.equals(properties.get(PARTITION));
    }

    /// The shares of the entries that ranges are to have; empty if they are to be equal.
    public List<Integer> shares() {
        String shares = properties.get(SHARES);
        return shares == null ? List.of() : shares(name, shares);
    }

    /// The least entries of all ranges but the first one, in order; empty if it has none.
    ///
    /// @throws IllegalArgumentException if the property is not of this form
    public List<long[]> bounds() {
        String bounds = properties.getOrDefault(BOUNDS, "");
        return bounds.isEmpty()
                ? List.of()
                : Arrays.stream(bounds.split(",")).map(IndexDefinition::words).toList();
    }

    private static long[] words(String digits) {
        return IntStream.range(0, digits.length() / WORD_DIGITS)
                .mapToLong(word ->
                        HexFormat.fromHexDigitsToLong(
                                digits, word * WORD_DIGITS, (word + 1) * WORD_DIGITS))
                .toArray();
    }

    /// The same index with these [#bounds].
    public IndexDefinition bounds(List<long[]> bounds) {
        return property(
                BOUNDS,
                bounds.stream()
                        .map(bound ->
                                Arrays.stream(bound)
                                        .mapToObj(HexFormat.of()::toHexDigits)
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining(",")));
    }

    /// The same index of a table of another name, some columns of which have other names too.
    ///
    /// @param newNames columns' new names by their old ones, as far as they have changed
    public IndexDefinition on(String newTable, Map<String, String> newNames) {
        List<String> renamed =
                columns.stream().map(column -> newNames.getOrDefault(column, column)).toList();
        return new IndexDefinition(name, newTable, renamed, kind, properties);
    }
}
