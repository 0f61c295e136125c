package org.namdb.mvcc.schema;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// What a secondary index is: an ordered or a hashed set of entries, each the indexed columns
/// followed by the primary key. It holds no versions: every hit is checked against the record
/// (NAM-DB, section 5.2). Where an indexed column is NULL, the entry sorts last.
///
/// @param name the index's name
/// @param table the table's name
/// @param columns the indexed columns' names
/// @param kind how entries are found
/// @param properties what is kept with the index, in order: what [#NODE_BYTES], [#CACHE_BYTES] and
///     [#DISTRIBUTION] name, and what a layer above keeps, which is opaque here
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

    /// Each memory server has a tree with the entries that hash to it, and clients send requests to
    /// its workers.
    public static final String COARSE = "coarse";

    /// The leaves are spread over the memory servers, and clients work on them by one-sided verbs;
    /// one memory server has what says where they are, and clients ask its workers for that.
    public static final String HYBRID = "hybrid";

    /// What [#DISTRIBUTION] can be.
    public static final List<String> DISTRIBUTIONS = List.of(FINE, COARSE, HYBRID);

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
        String distribution = properties.get(DISTRIBUTION);
        if (distribution != null && !DISTRIBUTIONS.contains(distribution)) {
            throw new IllegalArgumentException(
                    "index %s has the distribution \"%s\": it is one of %s"
                            .formatted(name, distribution, String.join(", ", DISTRIBUTIONS)));
        }
        if (distribution != null && kind != Kind.ORDERED) {
            throw new IllegalArgumentException(
                    "index %s is hashed and has a distribution: ordered indexes have one"
                            .formatted(name));
        }
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

    /// The same index of a table of another name, some columns of which have other names too.
    ///
    /// @param newNames columns' new names by their old ones, as far as they have changed
    public IndexDefinition on(String newTable, Map<String, String> newNames) {
        List<String> renamed =
                columns.stream().map(column -> newNames.getOrDefault(column, column)).toList();
        return new IndexDefinition(name, newTable, renamed, kind, properties);
    }
}
