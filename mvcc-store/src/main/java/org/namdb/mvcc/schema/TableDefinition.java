package org.namdb.mvcc.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.fabric.RemoteAddress;

/// What a table is: its columns, its primary key, and its physical design, which never changes
/// a result.
///
/// @param name the table's name
/// @param columns names, types and whether NULL is allowed, in order; at most 64
/// @param primaryKey names of the key's columns, in order
/// @param bucketRecords the records of a bucket, the "neighbourhood" (SPADE, section 4.2)
/// @param inlined whether records lie in their bucket, or are pointed to from it
/// @param versions the length of a record's old-version buffer
/// @param expectedRows how many rows the first buckets are made for; 0 for one bucket on each
///     memory server. Buckets are split as the table grows
/// @param load the filling of the first buckets when there are `expectedRows`, in percent
/// @param neighbourColumns by how many key columns buckets are chosen: rows that agree in them are
///     neighbours, found by one READ
/// @param servers the memory servers that hold the table and its indexes, in the order of the
///     ranges of the bucket array; empty for all
/// @param properties what a layer above keeps with the table, in order; but for [#CACHED] it means
///     nothing here
public record TableDefinition(
        String name,
        List<ColumnDefinition> columns,
        List<String> primaryKey,
        int bucketRecords,
        boolean inlined,
        int versions,
        long expectedRows,
        int load,
        int neighbourColumns,
        List<Integer> servers,
        Map<String, String> properties) {

    /// The property of a table whose rows compute servers keep copies of: `true`.
    public static final String CACHED = "cached";

    /// The most columns of a table.
    public static final int MAX_COLUMNS = 64;

    /// The largest payload, in bytes.
    public static final int MAX_PAYLOAD_BYTES = 32 << 10;

    private static final int MAX_USUAL_RECORDS = 16;
    private static final int MIN_USUAL_RECORDS = 4;
    private static final int MAX_USUAL_BYTES = 1280;

    /// A column before it has its place.
    ///
    /// @param name the column's name
    /// @param type its type
    /// @param nullable whether it may be NULL
    public record ColumnDefinition(String name, ColumnType type, boolean nullable) {}

    public TableDefinition {
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
        servers = List.copyOf(servers);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
        require(!name.isEmpty(), "a table needs a name");
        require(
                !columns.isEmpty() && columns.size() <= MAX_COLUMNS,
                name + ": 1 to " + MAX_COLUMNS + " columns");
        require(
                columns.stream().map(ColumnDefinition::name).distinct().count() == columns.size(),
                name + ": two columns have the same name");
        require(!primaryKey.isEmpty(), name + ": a primary key is needed");
        for (String key : primaryKey) {
            ColumnDefinition column =
                    columns.stream()
                            .filter(c -> c.name().equals(key))
                            .findAny()
                            .orElseThrow(() ->
                                    new IllegalArgumentException(
                                            "the primary key names no column: " + key));
            require(!column.nullable(), name + "." + key + ": a key column can't be NULL");
        }
        require(
                bucketRecords >= 1 && bucketRecords <= 64,
                name + ": a bucket holds 1 to 64 records");
        require(
                versions >= 1 && versions <= 64,
                name + ": an old-version buffer holds 1 to 64 versions");
        require(expectedRows >= 0, name + ": the expected rows can't be negative");
        require(load >= 10 && load <= 100, name + ": the load is 10 to 100 percent");
        require(
                neighbourColumns >= 1 && neighbourColumns <= primaryKey.size(),
                name + ": neighbours agree in 1 to " + primaryKey.size() + " key columns");
        for (int i = 0; i < servers.size(); i++) {
            int server = servers.get(i);
            require(
                    server >= 0 && server < RemoteAddress.MAX_SERVERS,
                    name + ": there can't be a memory server " + server);
            require(
                    servers.indexOf(server) == i,
                    name + ": memory server " + server + " is named twice");
        }
    }

    /// The column of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public ColumnDefinition column(String column) {
        return columns.stream()
                .filter(candidate -> candidate.name().equals(column))
                .findAny()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "table "
                                        + name
                                        + " has no column "
                                        + column
                                        + "; it has "
                                        + columns.stream().map(ColumnDefinition::name).toList()));
    }

    /// Whether compute servers keep copies of the table's rows, so that reading them again takes no
    /// verbs. It never changes a result.
    public boolean isCached() {
        return Boolean.parseBoolean(properties.get(CACHED));
    }

    /// How many records a bucket has by default: 16, or 8 or 4 where records are larger, so that a
    /// lookup reads little more than a kilobyte. Fewer make deeper directories.
    public int usualRecords() {
        RecordSchema schema = new RecordSchema(this);
        int recordBytes =
                Long.BYTES * (schema.key().words() + 2) + (inlined ? schema.payloadBytes() : 0);
        int records = MAX_USUAL_RECORDS;
        while (records > MIN_USUAL_RECORDS && records * recordBytes > MAX_USUAL_BYTES) {
            records /= 2;
        }
        return records;
    }

    /// Starts the definition of a table.
    public static Builder named(String name) {
        return new Builder(name);
    }

    /// Starts a definition that is this one, except for the name and what else is changed; columns
    /// and properties are added to those that are there.
    public Builder copy(String newName) {
        Builder copy = withoutColumns(newName);
        copy.columns.addAll(columns);
        copy.properties.putAll(properties);
        return copy;
    }

    /// Starts a definition that has this one's physical design, [#CACHED] included, and primary
    /// key, and neither columns nor other properties.
    public Builder withoutColumns(String newName) {
        Builder copy = new Builder(newName);
        copy.primaryKey = primaryKey;
        copy.bucketRecords = bucketRecords;
        copy.inlined = inlined;
        copy.versions = versions;
        copy.expectedRows = expectedRows;
        copy.load = load;
        copy.neighbourColumns = neighbourColumns;
        copy.servers = servers;
        return copy.cached(isCached());
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /// Collects a definition.
    public static final class Builder {
        private final String name;
        private final List<ColumnDefinition> columns = new ArrayList<>();
        private List<String> primaryKey = List.of();

        /// 0 for as many as suit the columns.
        private int bucketRecords;

        private boolean inlined = true;
        private int versions = 2;
        private long expectedRows;
        private int load = 65;
        private int neighbourColumns;
        private List<Integer> servers = List.of();
        private final Map<String, String> properties = new LinkedHashMap<>();

        private Builder(String name) {
            this.name = name;
        }

        /// Adds a column that can't be NULL.
        public Builder column(String column, ColumnType type) {
            columns.add(new ColumnDefinition(column, type, false));
            return this;
        }

        /// Adds a column that may be NULL.
        public Builder nullable(String column, ColumnType type) {
            columns.add(new ColumnDefinition(column, type, true));
            return this;
        }

        public Builder primaryKey(String... names) {
            primaryKey = List.of(names);
            return this;
        }

        /// The records of a bucket. If it is not called, [#usualRecords] are chosen.
        public Builder bucketRecords(int records) {
            bucketRecords = records;
            return this;
        }

        public Builder inlined(boolean inlined) {
            this.inlined = inlined;
            return this;
        }

        public Builder versions(int versions) {
            this.versions = versions;
            return this;
        }

        public Builder expectedRows(long rows) {
            expectedRows = rows;
            return this;
        }

        public Builder load(int percent) {
            load = percent;
            return this;
        }

        /// Rows that agree in the first `keyColumns` key columns become neighbours; 0 stands for
        /// all of them.
        public Builder neighbours(int keyColumns) {
            neighbourColumns = keyColumns;
            return this;
        }

        /// Puts the table and its indexes on these memory servers only, their ranges in this order;
        /// on all of them if none is named.
        public Builder servers(int... numbers) {
            servers = Arrays.stream(numbers).boxed().toList();
            return this;
        }

        /// Whether compute servers keep copies of rows: for tables that are read again and again,
        /// and seldom changed.
        public Builder cached(boolean isCached) {
            if (isCached) {
                properties.put(CACHED, "true");
            } else {
                properties.remove(CACHED);
            }
            return this;
        }

        /// Keeps a text with the table, for a layer above.
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        public TableDefinition build() {
            return bucketRecords == 0
                    ? build(build(MAX_USUAL_RECORDS).usualRecords())
                    : build(bucketRecords);
        }

        private TableDefinition build(int records) {
            return new TableDefinition(
                    name,
                    columns,
                    primaryKey,
                    records,
                    inlined,
                    versions,
                    expectedRows,
                    load,
                    neighbourColumns == 0 ? Math.max(1, primaryKey.size()) : neighbourColumns,
                    servers,
                    properties);
        }
    }
}
