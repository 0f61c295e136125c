package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.coarse.RequestBatch;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.TableDisposal;
import org.namdb.mvcc.hash.TableHead;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;
import org.namdb.mvcc.tree.TreeDisposal;

/// Gets memory for tables and indexes, opens them where they are, and frees their memory. Used by
/// one thread at a time.
final class TableStorage {
    private static final int INDEX_BUCKET_ENTRIES = 8;
    private static final int INDEX_LOAD = 50;

    private final QueuePair queuePair;
    private final MemoryClient client;
    private final ThreadExtents data;
    private final ThreadExtents oldVersions;
    private final DisposedPieces dataPieces;
    private final DisposedPieces oldVersionPieces;
    private final TableDisposal disposal;

    /// What is to be done before the first piece of a table or index is freed; null when it was
    /// done.
    private @Nullable Runnable before;

    /// The numbers of all memory servers.
    private final List<Integer> all;

    TableStorage(QueuePair queuePair, MemoryClient client) {
        this.queuePair = queuePair;
        this.client = client;
        this.data = new ThreadExtents(client);
        this.oldVersions = new ThreadExtents(client);
        this.dataPieces = new DisposedPieces(data, this::beginGivingBack);
        this.oldVersionPieces = new DisposedPieces(oldVersions, this::beginGivingBack);
        this.disposal = new TableDisposal(queuePair, dataPieces, oldVersionPieces);
        this.all = IntStream.range(0, client.servers()).boxed().toList();
    }

    /// Gets the heads and first buckets of a table.
    ///
    /// @param rows for how many
    /// @throws IllegalArgumentException if it names a memory server that is not there
    /// @throws MemoryFullException if there is no memory for it; nothing has changed
    CatalogEntry allocate(TableDefinition definition, long rows) {
        BucketLayout layout = layout(definition, new RecordSchema(definition));
        return allocate(layout, rows, definition.load(), servers(definition));
    }

    /// Makes an empty index.
    ///
    /// @param rows for how many; a tree is as large as it needs to be
    /// @throws MemoryFullException if there is no memory for it; nothing has changed
    CatalogEntry allocate(IndexDefinition definition, Table table, long rows) {
        KeyLayout layout = Index.layout(definition, table.schema());
        List<Integer> servers = servers(table.definition());
        if (definition.kind() == IndexDefinition.Kind.HASH) {
            return allocate(buckets(layout), rows, INDEX_LOAD, servers);
        }
        int number = client.nextCatalogNumber();
        NodeLayout nodes = nodes(definition, layout);
        int first = servers.get(number % servers.size());
        List<TreePlan> plans =
                switch (definition.distribution()) {
                    case IndexDefinition.COARSE ->
                            servers.stream()
                                    .map(server -> new TreePlan(server, nodes, List.of(server)))
                                    .toList();
                    case IndexDefinition.HYBRID -> {
                        List<TreePlan> hybrid = new ArrayList<>();
                        hybrid.add(new TreePlan(first, nodes, servers));
                        boolean isByRange =
                                Index.bounds(definition, servers.size(), layout) != null;
                        for (int server : isByRange ? servers : List.of(first)) {
                            hybrid.add(
                                    new TreePlan(server, separatorNodes(layout), List.of(server)));
                        }
                        yield hybrid;
                    }
                    default -> List.of(new TreePlan(first, nodes, servers));
                };
        return new CatalogEntry(number, create(plans), 0);
    }

    /// A tree that is to be made.
    ///
    /// @param first the server of its anchor and its first leaf
    /// @param servers those of its further nodes
    private record TreePlan(int first, NodeLayout nodes, List<Integer> servers) {}

    /// Makes empty trees.
    ///
    /// @return their anchors
    /// @throws MemoryFullException if there is no memory for one of them; nothing has changed
    private long[] create(List<TreePlan> plans) {
        List<BLinkTree> made = new ArrayList<>();
        try {
            for (TreePlan plan : plans) {
                made.add(
                        BLinkTree.create(
                                queuePair, data, plan.first(), plan.nodes(), plan.servers()));
            }
        } catch (MemoryFullException e) {
            made.forEach(tree -> TreeDisposal.dispose(queuePair, data, tree));
            throw e;
        }
        return made.stream().mapToLong(BLinkTree::anchor).toArray();
    }

    static Table open(TableDefinition definition, CatalogEntry entry) {
        RecordSchema schema = new RecordSchema(definition);
        HashTable records =
                new HashTable(
                        entry.number(),
                        schema.key(),
                        definition.neighbourColumns(),
                        layout(definition, schema),
                        definition.versions(),
                        entry.addresses(),
                        entry.bucketsPerRange());
        return new Table(definition, schema, records);
    }

    /// Opens an index, and adds it to its table, whose writers maintain it from now on.
    Index open(IndexDefinition definition, CatalogEntry entry, Table table) {
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
                                entry.bucketsPerRange())
                        : null;
        List<BLinkTree> trees =
                isHash ? List.of() : trees(definition, layout, entry, servers(table.definition()));
        Index index = new Index(definition, entry.number(), table.schema(), hash, trees);
        table.add(index);
        return index;
    }

    private static List<BLinkTree> trees(
            IndexDefinition definition,
            KeyLayout layout,
            CatalogEntry entry,
            List<Integer> servers) {
        NodeLayout nodes = nodes(definition, layout);
        long cacheBytes = definition.cacheBytes().orElse(BLinkTree.DEFAULT_CACHE_BYTES);
        long[] anchors = entry.addresses();
        return switch (definition.distribution()) {
            case IndexDefinition.COARSE ->
                    LongStream.of(anchors)
                            .mapToObj(anchor -> treeOn(anchor, nodes, cacheBytes / anchors.length))
                            .toList();
            case IndexDefinition.HYBRID -> {
                List<BLinkTree> trees = new ArrayList<>();
                trees.add(new BLinkTree(anchors[0], nodes, servers, 0));
                for (int part = 1; part < anchors.length; part++) {
                    long bytes = cacheBytes / (anchors.length - 1);
                    trees.add(treeOn(anchors[part], separatorNodes(layout), bytes));
                }
                yield trees;
            }
            default -> List.of(new BLinkTree(anchors[0], nodes, servers, cacheBytes));
        };
    }

    /// A tree that lies on one memory server.
    private static BLinkTree treeOn(long anchor, NodeLayout nodes, long cacheBytes) {
        return new BLinkTree(anchor, nodes, List.of(RemoteAddress.server(anchor)), cacheBytes);
    }

    /// Frees a table's memory, its indexes' not included. All sessions have dropped it from their
    /// caches.
    ///
    /// @param before runs before any piece is freed: when all are known, if they are not too many
    void dispose(Table table, CatalogEntry entry, Runnable before) {
        this.before = before;
        try {
            disposal.disposeRecords(table.records());
            release(entry, table.records().layout());
        } finally {
            clearPieces();
        }
    }

    /// Frees an index's memory. All sessions have dropped it from their caches.
    ///
    /// @param before runs before any piece is freed: when all are known, if they are not too many
    void dispose(Index index, CatalogEntry entry, Runnable before) {
        this.before = before;
        HashTable hash = index.hash();
        try {
            if (hash != null) {
                disposal.disposeEntries(hash);
            }
            for (BLinkTree tree : index.requestedTrees()) {
                RequestBatch.drop(queuePair, tree.anchor());
            }
            for (BLinkTree tree : index.trees()) {
                TreeDisposal.dispose(queuePair, dataPieces, tree);
            }
            release(entry, hash == null ? null : hash.layout());
        } finally {
            clearPieces();
        }
    }

    private void clearPieces() {
        dataPieces.clear();
        oldVersionPieces.clear();
    }

    private void beginGivingBack() {
        Runnable first = before;
        if (first != null) {
            first.run();
            before = null;
        }
    }

    /// The bytes of old versions that sessions have allocated, and that were freed here: less than
    /// zero.
    long oldVersionBytes() {
        return oldVersions.usedBytes();
    }

    /// @param layout that of the buckets; null if there are none
    private void release(CatalogEntry entry, @Nullable BucketLayout layout) {
        dataPieces.freeAll();
        oldVersionPieces.freeAll();
        if (layout != null) {
            releaseHeads(entry, layout);
        }
        data.releaseUnused();
        oldVersions.releaseUnused();
    }

    private void releaseHeads(CatalogEntry entry, BucketLayout layout) {
        long bytes = TableHead.extentBytes(layout, entry.bucketsPerRange());
        for (long head : entry.addresses()) {
            client.free(RemoteAddress.server(head), head, bytes);
        }
    }

    private static BucketLayout buckets(KeyLayout layout) {
        return new BucketLayout(INDEX_BUCKET_ENTRIES, layout.words(), 0, true);
    }

    private static NodeLayout nodes(IndexDefinition definition, KeyLayout layout) {
        OptionalInt bytes = definition.nodeBytes();
        return bytes.isPresent()
                ? new NodeLayout(layout.words(), bytes.getAsInt())
                : BLinkTree.nodesFor(layout.words());
    }

    /// A hybrid index's separators are entries with a leaf's address.
    private static NodeLayout separatorNodes(KeyLayout layout) {
        return BLinkTree.nodesFor(layout.words() + 1);
    }

    private static BucketLayout layout(TableDefinition definition, RecordSchema schema) {
        return new BucketLayout(
                definition.bucketRecords(),
                schema.key().words(),
                schema.payloadBytes(),
                definition.inlined());
    }

    /// The memory servers that a table and its indexes lie on.
    private List<Integer> servers(TableDefinition definition) {
        if (definition.servers().isEmpty()) {
            return all;
        }
        for (int server : definition.servers()) {
            if (server >= all.size()) {
                throw new IllegalArgumentException(
                        "%s: there is no memory server %d; their numbers are 0 to %d"
                                .formatted(definition.name(), server, all.size() - 1));
            }
        }
        return definition.servers();
    }

    /// Gets heads with the first buckets behind them, one on each of the memory servers.
    private CatalogEntry allocate(BucketLayout layout, long rows, int load, List<Integer> servers) {
        int ranges = servers.size();
        long buckets = Math.ceilDiv(Math.ceilDiv(rows * 100, load), layout.records());
        long perRange = Math.max(1, Math.ceilDiv(buckets, ranges));
        long bytes = TableHead.extentBytes(layout, perRange);
        long[] heads = new long[ranges];
        for (int range = 0; range < ranges; range++) {
            int server = servers.get(range);
            heads[range] = client.allocateZeroed(server, bytes);
            if (RemoteAddress.isNull(heads[range])) {
                long regionBytes = client.usage(server).regionBytes();
                for (int got = 0; got < range; got++) {
                    client.free(servers.get(got), heads[got], bytes);
                }
                throw new MemoryFullException(server, bytes, regionBytes);
            }
        }
        return new CatalogEntry(client.nextCatalogNumber(), heads, perRange);
    }
}
