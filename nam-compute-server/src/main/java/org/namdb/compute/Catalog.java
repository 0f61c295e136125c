package org.namdb.compute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.memory.MemoryClient;
import org.namdb.memory.ServerUsage;
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
            // Its upkeep is done by who uses it: other threads would be a simulation's only ones in
            // real time.
            Caffeine.newBuilder().maximumSize(MOST_CACHED).executor(Runnable::run).build();

    /// Held while the queue pair is used. Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

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

    @Nullable Table find(String name) {
        return locked(() -> findLocked(name));
    }

    private @Nullable Table findLocked(String name) {
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
        Table table = known != null ? known : openWithIndexes(bytes, entry);
        tables.put(name, new Cached(table, version));
        return table;
    }

    List<String> tableNames() {
        List<String> names = new ArrayList<>();
        for (String name : locked(client::catalogNames)) {
            if (name.startsWith(CatalogEntry.TABLE)) {
                names.add(name.substring(CatalogEntry.TABLE.length()));
            }
        }
        return names;
    }

    Table create(TableDefinition definition) {
        return locked(() -> createLocked(definition));
    }

    private Table createLocked(TableDefinition definition) {
        if (findLocked(definition.name()) != null) {
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
        return known(open(definition, entry));
    }

    /// Makes an empty index and adds it to its table, whose writers fill it from now on.
    Index create(IndexDefinition definition) {
        return locked(() -> createLocked(definition));
    }

    private Index createLocked(IndexDefinition definition) {
        Table table = findLocked(definition.table());
        if (table == null) {
            throw new IllegalArgumentException("there is no table " + definition.table());
        }
        if (client.catalogEntry(CatalogEntry.INDEX + definition.name()) != null) {
            throw new IllegalArgumentException(
                    "there is an index " + definition.name() + " already");
        }
        KeyLayout layout = Index.layout(definition, table.schema());
        CatalogEntry entry;
        if (definition.kind() == IndexDefinition.Kind.HASH) {
            entry = allocate(buckets(layout), table.definition().expectedRows(), INDEX_LOAD);
        } else {
            int number = client.nextCatalogNumber();
            BLinkTree tree =
                    BLinkTree.create(queuePair, extents, number % client.servers(), nodes(layout));
            entry = new CatalogEntry(number, new long[] {tree.anchor()}, 0);
        }
        client.putCatalogEntry(
                CatalogEntry.INDEX + definition.name(), CatalogEntry.encode(definition, entry));
        return open(definition, entry, table);
    }

    /// Opens a table that another compute server has made. It is known to this one when it is whole: a writer that knew it without its indexes would
    /// leave them behind.
    private Table openWithIndexes(byte[] bytes, CatalogEntry entry) {
        Table table = open(CatalogEntry.decodeTable(bytes), entry);
        for (String name : client.catalogNames()) {
            byte[] index = name.startsWith(CatalogEntry.INDEX) ? client.catalogEntry(name) : null;
            if (index != null) {
                IndexDefinition definition = CatalogEntry.decodeIndex(index);
                if (definition.table().equals(table.name())) {
                    open(definition, CatalogEntry.decode(index), table);
                }
            }
        }
        return known(table);
    }

    private static Index open(IndexDefinition definition, CatalogEntry entry, Table table) {
        KeyLayout layout = Index.layout(definition, table.schema());
        boolean isHash = definition.kind() == IndexDefinition.Kind.HASH;
        HashTable hash =
                isHash
                        ? new HashTable(
                                entry.number(),
                                layout,
                                definition.columns().size(),
                                buckets(layout),
                                1,
                                entry.addresses(),
                                entry.bucketsPerServer())
                        : null;
        BLinkTree tree = isHash ? null : new BLinkTree(entry.addresses()[0], nodes(layout));
        Index index = new Index(definition, table.indexArray().length, table.schema(), hash, tree);
        table.add(index);
        return index;
    }

    private static BucketLayout buckets(KeyLayout layout) {
        return new BucketLayout(INDEX_BUCKET_ENTRIES, layout.words(), 0, true);
    }

    private static NodeLayout nodes(KeyLayout layout) {
        return BLinkTree.nodesFor(layout.words());
    }

    private <T extends @Nullable Object> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    /// How full the memory servers are, by number.
    List<ServerUsage> usage() {
        return locked(() -> {
            List<ServerUsage> usages = new ArrayList<>();
            for (int server = 0; server < client.servers(); server++) {
                usages.add(client.usage(server));
            }
            return usages;
        });
    }

    private static Table open(TableDefinition definition, CatalogEntry entry) {
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
        return new Table(definition, schema, records);
    }

    private Table known(Table table) {
        int number = table.records().id();
        @Nullable Table[] all = byNumber;
        if (number >= all.length) {
            all = java.util.Arrays.copyOf(all, Math.max(number + 1, 2 * all.length));
        } else {
            all = all.clone();
        }
        all[number] = table;
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
