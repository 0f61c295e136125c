package org.namdb.compute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.memory.MemoryClient;
import org.namdb.memory.ThreadExtents;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;

/// What tables and indexes there are, as a compute server knows it: the memory servers hold it, each a part by hash of the name; what
/// was looked up is cached, and looked up again when the version counter of its part has risen.
///
/// Source: NAM-DB, section 6.1.
final class Catalog {
    private static final int MOST_CACHED = 10_000;
    private static final int INDEX_BUCKET_ENTRIES = 8;
    private static final int INDEX_LOAD = 50;

    private record Cached(Table table, long version) {}

    private final QueuePair queuePair;
    private final MemoryClient client;
    private final ThreadExtents extents;
    private final Cache<String, Cached> tables =
            Caffeine.newBuilder().maximumSize(MOST_CACHED).build();
    private volatile @Nullable Table[] byNumber = new @Nullable Table[64];

    Catalog(QueuePair queuePair, MemoryClient client) {
        this.queuePair = queuePair;
        this.client = client;
        this.extents = new ThreadExtents(client);
    }

    /// The table with this number, null if there is none. For any thread.
    @Nullable Table byNumber(int number) {
        @Nullable Table[] all = byNumber;
        return number < all.length ? all[number] : null;
    }

    /// The records of all tables that this compute server knows. For any thread.
    List<HashTable> allRecords() {
        List<HashTable> all = new ArrayList<>();
        for (Table table : byNumber) {
            if (table != null) {
                all.add(table.records());
            }
        }
        return all;
    }

    synchronized @Nullable Table find(String name) {
        long version = client.catalogVersion(CatalogEntry.TABLE + name);
        Cached cached = tables.getIfPresent(name);
        if (cached != null && cached.version == version) {
            return cached.table;
        }
        byte[] bytes = client.catalogEntry(CatalogEntry.TABLE + name);
        if (bytes == null) {
            return null;
        }
        CatalogEntry entry = CatalogEntry.decode(bytes);
        Table known = byNumber(entry.number());
        Table table = known != null ? known : open(CatalogEntry.decodeTable(bytes), entry);
        tables.put(name, new Cached(table, version));
        return table;
    }

    synchronized List<String> tableNames() {
        List<String> names = new ArrayList<>();
        for (String name : client.catalogNames()) {
            if (name.startsWith(CatalogEntry.TABLE)) {
                names.add(name.substring(CatalogEntry.TABLE.length()));
            }
        }
        return names;
    }

    synchronized Table create(TableDefinition definition) {
        if (find(definition.name()) != null) {
            throw new IllegalArgumentException(
                    "there is a table " + definition.name() + " already");
        }
        RecordSchema schema = new RecordSchema(definition);
        BucketLayout layout = layout(definition, schema);
        CatalogEntry entry = allocate(layout, definition.expectedRows(), definition.load());
        boolean isNew =
                client.putCatalogEntry(
                        CatalogEntry.TABLE + definition.name(),
                        CatalogEntry.encode(definition, entry));
        if (!isNew) {
            throw new IllegalArgumentException(
                    "there is a table " + definition.name() + " already");
        }
        return open(definition, entry);
    }

    /// Makes an empty index and adds it to its table, whose writers fill it from now on.
    synchronized Index create(IndexDefinition definition) {
        Table table = find(definition.table());
        if (table == null) {
            throw new IllegalArgumentException("there is no table " + definition.table());
        }
        KeyLayout layout = Index.layout(definition, table.schema());
        HashTable hash = null;
        BLinkTree tree = null;
        CatalogEntry entry;
        if (client.catalogEntry(CatalogEntry.INDEX + definition.name()) != null) {
            throw new IllegalArgumentException(
                    "there is an index " + definition.name() + " already");
        }
        if (definition.kind() == IndexDefinition.Kind.HASH) {
            BucketLayout buckets = new BucketLayout(INDEX_BUCKET_ENTRIES, layout.words(), 0, true);
            entry = allocate(buckets, table.definition().expectedRows(), INDEX_LOAD);
            hash =
                    new HashTable(
                            entry.number(),
                            layout,
                            definition.columns().size(),
                            buckets,
                            1,
                            entry.addresses(),
                            entry.bucketsPerServer());
        } else {
            int number = client.nextCatalogNumber();
            NodeLayout nodes = new NodeLayout(layout.words(), BLinkTree.DEFAULT_NODE_BYTES);
            tree = BLinkTree.create(queuePair, extents, number % client.servers(), nodes);
            entry = new CatalogEntry(number, new long[] {tree.anchor()}, 0);
        }
        client.putCatalogEntry(
                CatalogEntry.INDEX + definition.name(), CatalogEntry.encode(definition, entry));
        Index index = new Index(definition, table.indexArray().length, table.schema(), hash, tree);
        table.add(index);
        return index;
    }

    private Table open(TableDefinition definition, CatalogEntry entry) {
        RecordSchema schema = new RecordSchema(definition);
        HashTable records =
                new HashTable(
                        entry.number(),
                        schema.key(),
                        definition.neighbourColumns(),
                        layout(definition, schema),
                        definition.versions(),
                        entry.addresses(),
                        entry.bucketsPerServer());
        Table table = new Table(definition, schema, records);
        @Nullable Table[] all = byNumber;
        if (entry.number() >= all.length) {
            all = java.util.Arrays.copyOf(all, Math.max(entry.number() + 1, 2 * all.length));
        } else {
            all = all.clone();
        }
        all[entry.number()] = table;
        byNumber = all;
        return table;
    }

    private static BucketLayout layout(TableDefinition definition, RecordSchema schema) {
        return new BucketLayout(
                definition.bucketRecords(),
                schema.key().words(),
                schema.payloadBytes(),
                definition.inlined());
    }

    /// Gets the ranges of a bucket array, one on each memory server.
    private CatalogEntry allocate(BucketLayout layout, long rows, int load) {
        int servers = client.servers();
        long buckets = Math.ceilDiv(Math.ceilDiv(rows * 100, load), layout.records());
        long perServer = Math.max(1, Math.ceilDiv(buckets, servers));
        long bytes = perServer * layout.bucketBytes();
        long[] arrays = new long[servers];
        for (int server = 0; server < servers; server++) {
            arrays[server] = client.allocateZeroed(server, bytes);
            if (RemoteAddress.isNull(arrays[server])) {
                long regionBytes = client.usage(server).regionBytes();
                for (int got = 0; got < server; got++) {
                    client.free(got, arrays[got], bytes);
                }
                throw new MemoryFullException(server, bytes, regionBytes);
            }
        }
        return new CatalogEntry(client.nextCatalogNumber(), arrays, perServer);
    }
}
