package org.namdb.compute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// What tables and indexes there are, as a compute server knows it: the memory servers hold it, each a part by hash of the name; what
/// was looked up is cached, and looked up again when the version counter of its part has risen. An index's entry is found by its own name; when
/// it comes or goes, its table's counter rises too.
///
/// Changes are made by [SchemaChanges], which sees to it that nobody uses what goes. Source: NAM-DB, section 6.1.
final class Catalog {
    private static final int MOST_CACHED = 10_000;

    private record Cached(Table table, long version) {}

    private final MemoryClient client;
    private final TableStorage storage;
    private final Cache<String, Cached> tables =
            // Its upkeep is done by who uses it: other threads would be a simulation's only ones in
            // real time.
            Caffeine.newBuilder().maximumSize(MOST_CACHED).executor(Runnable::run).build();

    /// Where the tables and indexes are that are known here, by number.
    private final Map<Integer, CatalogEntry> places = new HashMap<>();

    /// Held while the queue pair is used. Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Table[] byNumber = new @Nullable Table[64];

    private final AtomicLong schemaVersion = new AtomicLong();

    Catalog(QueuePair queuePair, MemoryClient client) {
        this.client = client;
        this.storage = new TableStorage(queuePair, client);
    }

    /// How many changes of the schema were made here or have come to be known here. For any thread.
    long schemaVersion() {
        return schemaVersion.get();
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
        CatalogEntry entry = bytes == null ? null : CatalogEntry.decode(bytes);
        if (cached != null && (entry == null || entry.number() != cached.table.records().id())) {
            // Another compute server has dropped it.
            forget(cached.table);
            cached.table.drop();
        }
        if (bytes == null || entry == null) {
            return null;
        }
        Table known = byNumber(entry.number());
        Table table;
        if (known != null && Arrays.equals(bytes, CatalogEntry.encode(known.definition(), entry))) {
            table = known;
            noticeIndexes(table);
        } else {
            table = openWithIndexes(bytes, entry);
            if (known != null) {
                known.drop();
            }
        }
        tables.put(name, new Cached(table, version));
        return table;
    }

    /// The index of this name, filled or not.
    @Nullable Index findIndex(String name) {
        return locked(() -> {
            byte[] bytes = client.catalogEntry(CatalogEntry.INDEX + name);
            if (bytes == null) {
                return null;
            }
            Table table = findLocked(CatalogEntry.decodeIndex(bytes).table());
            return table == null ? null : table.indexByNumber(CatalogEntry.decode(bytes).number());
        });
    }

    List<String> tableNames() {
        return names(CatalogEntry.TABLE);
    }

    List<String> indexNames() {
        return names(CatalogEntry.INDEX);
    }

    private List<String> names(String prefix) {
        List<String> names = new ArrayList<>();
        for (String name : locked(client::catalogNames)) {
            if (name.startsWith(prefix)) {
                names.add(name.substring(prefix.length()));
            }
        }
        return names;
    }

    Table create(TableDefinition definition) {
        return locked(() -> {
            if (findLocked(definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry = storage.allocate(definition);
            Table table = TableStorage.open(definition, entry);
            boolean isNew =
                    client.putCatalogEntry(
                            CatalogEntry.TABLE + definition.name(),
                            CatalogEntry.encode(definition, entry));
            if (!isNew) {
                storage.dispose(table, entry);
                throw isThere(definition.name());
            }
            return known(table, entry);
        });
    }

    private static IllegalArgumentException isThere(String table) {
        return new IllegalArgumentException("there is a table " + table + " already");
    }

    /// Makes an empty index and adds it to its table, whose writers fill it from now on.
    Index create(IndexDefinition definition) {
        return locked(() -> {
            Table table = findLocked(definition.table());
            if (table == null) {
                throw new IllegalArgumentException("there is no table " + definition.table());
            }
            if (client.catalogEntry(CatalogEntry.INDEX + definition.name()) != null) {
                throw new IllegalArgumentException(
                        "there is an index " + definition.name() + " already");
            }
            CatalogEntry entry = storage.allocate(definition, table);
            client.putCatalogEntry(
                    CatalogEntry.INDEX + definition.name(), CatalogEntry.encode(definition, entry));
            Index index = open(definition, entry, table);
            altered(table);
            return index;
        });
    }

    /// The index has an entry for every row.
    void filled(Index index) {
        locked(() -> {
            index.setFilled();
            return schemaVersion.incrementAndGet();
        });
    }

    /// Takes an index out of the catalog and away from its table. Its memory stays.
    void remove(Index index) {
        locked(() -> {
            client.removeCatalogEntry(CatalogEntry.INDEX + index.name());
            Table table = findLocked(index.definition().table());
            if (table != null) {
                table.remove(index);
                altered(table);
            }
            return schemaVersion.get();
        });
    }

    /// Takes a table and its indexes out of the catalog. Their memory stays.
    void remove(Table table) {
        locked(() -> {
            for (Index index : table.allIndexes()) {
                client.removeCatalogEntry(CatalogEntry.INDEX + index.name());
            }
            client.removeCatalogEntry(CatalogEntry.TABLE + table.name());
            tables.invalidate(table.name());
            return schemaVersion.incrementAndGet();
        });
    }

    /// Makes a table with indexes that takes another one's place later; nobody finds it yet.
    Table prepare(Table old, TableDefinition definition, List<IndexDefinition> indexes) {
        return locked(() -> {
            if (!definition.name().equals(old.name()) && findLocked(definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry = storage.allocate(definition);
            Table table = known(TableStorage.open(definition, entry), entry);
            boolean isDone = false;
            try {
                for (IndexDefinition index : indexes) {
                    open(index, storage.allocate(index, table), table).setFilled();
                }
                isDone = true;
            } finally {
                if (!isDone) {
                    dispose(table);
                }
            }
            return table;
        });
    }

    /// Puts a prepared table in the place of another one, whose memory stays.
    void swap(Table old, Table made) {
        locked(() -> {
            for (Index index : old.allIndexes()) {
                client.removeCatalogEntry(CatalogEntry.INDEX + index.name());
            }
            for (Index index : made.allIndexes()) {
                client.putCatalogEntry(
                        CatalogEntry.INDEX + index.name(),
                        CatalogEntry.encode(index.definition(), place(index.number())));
            }
            putInPlace(old, made.definition(), place(made.records().id()));
            return schemaVersion.incrementAndGet();
        });
    }

    /// Opens a table again where it is, under another name, or with other names and properties.
    Table redefine(Table old, TableDefinition definition, Map<String, String> newNames) {
        return locked(() -> {
            if (!definition.name().equals(old.name()) && findLocked(definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry = place(old.records().id());
            Table table = TableStorage.open(definition, entry);
            for (Index index : old.allIndexes()) {
                IndexDefinition renamed = index.definition().on(definition.name(), newNames);
                client.replaceCatalogEntry(
                        CatalogEntry.INDEX + index.name(),
                        CatalogEntry.encode(renamed, place(index.number())));
                open(renamed, place(index.number()), table).setFilled();
            }
            putInPlace(old, definition, entry);
            old.drop();
            return known(table, entry);
        });
    }

    private void putInPlace(Table old, TableDefinition definition, CatalogEntry entry) {
        String name = CatalogEntry.TABLE + definition.name();
        byte[] bytes = CatalogEntry.encode(definition, entry);
        if (definition.name().equals(old.name())) {
            client.replaceCatalogEntry(name, bytes);
        } else {
            client.putCatalogEntry(name, bytes);
            client.removeCatalogEntry(CatalogEntry.TABLE + old.name());
        }
        tables.invalidate(old.name());
    }

    /// Gives the memory of a table and of its indexes back. All sessions have forgotten it.
    void dispose(Table table) {
        locked(() -> {
            for (Index index : table.allIndexes()) {
                disposeLocked(index);
            }
            CatalogEntry entry = place(table.records().id());
            forget(table);
            storage.dispose(table, entry);
            return entry;
        });
    }

    /// Gives an index's memory back. All sessions have forgotten it.
    void dispose(Index index) {
        locked(() -> {
            disposeLocked(index);
            return index;
        });
    }

    private void disposeLocked(Index index) {
        CatalogEntry entry = place(index.number());
        places.remove(index.number());
        storage.dispose(index, entry);
    }

    /// Tells the other compute servers that look at the table's counter.
    private void altered(Table table) {
        client.replaceCatalogEntry(
                CatalogEntry.TABLE + table.name(),
                CatalogEntry.encode(table.definition(), place(table.records().id())));
        schemaVersion.incrementAndGet();
    }

    private CatalogEntry place(int number) {
        return java.util.Objects.requireNonNull(places.get(number), "not known here");
    }

    /// Opens a table that another compute server has made. It is known to this one when it is whole: a writer that knew it without its indexes would
    /// leave them behind.
    private Table openWithIndexes(byte[] bytes, CatalogEntry entry) {
        Table table = TableStorage.open(CatalogEntry.decodeTable(bytes), entry);
        noticeIndexes(table);
        return known(table, entry);
    }

    /// Adds the indexes that others have made, and takes away those that others have dropped.
    private void noticeIndexes(Table table) {
        List<Index> gone = new ArrayList<>(table.allIndexes());
        for (String name : client.catalogNames()) {
            byte[] bytes = name.startsWith(CatalogEntry.INDEX) ? client.catalogEntry(name) : null;
            IndexDefinition definition = bytes == null ? null : CatalogEntry.decodeIndex(bytes);
            if (bytes != null && definition != null && definition.table().equals(table.name())) {
                CatalogEntry entry = CatalogEntry.decode(bytes);
                Index known = table.indexByNumber(entry.number());
                if (known == null) {
                    open(definition, entry, table).setFilled();
                    schemaVersion.incrementAndGet();
                } else {
                    gone.remove(known);
                }
            }
        }
        for (Index index : gone) {
            table.remove(index);
            schemaVersion.incrementAndGet();
        }
    }

    private Index open(IndexDefinition definition, CatalogEntry entry, Table table) {
        places.put(entry.number(), entry);
        return storage.open(definition, entry, table);
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

    /// The bytes of old versions that sessions count as theirs, and that were given back with their tables: less than zero.
    long oldVersionBytes() {
        return locked(storage::oldVersionBytes);
    }

    private Table known(Table table, CatalogEntry entry) {
        int number = table.records().id();
        @Nullable Table[] all = byNumber;
        all = Arrays.copyOf(all, number < all.length ? all.length : 2 * number);
        all[number] = table;
        byNumber = all;
        places.put(number, entry);
        schemaVersion.incrementAndGet();
        return table;
    }

    private void forget(Table table) {
        int number = table.records().id();
        @Nullable Table[] all = byNumber.clone();
        all[number] = null;
        byNumber = all;
        places.remove(number);
        schemaVersion.incrementAndGet();
    }
}
