package org.namdb.compute.schema;

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
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// What tables and indexes there are, as a compute server knows it: the memory servers hold it,
/// each a part by hash of the name; what was looked up is cached, and looked up again when the
/// version counter of its part has risen. An index's entry is found by its own name; when it comes
/// or goes, its table's counter rises too.
///
/// Changes are made by [SchemaChanges], which sees to it that nobody uses what goes. Source:
/// NAM-DB, section 6.1.
public final class Catalog {
    private static final int MOST_CACHED = 10_000;

    /// How many definitions of others may come between a look at the catalog and the next one.
    private static final int MOST_LOOKS = 1_000;

    private record Cached(Table table, long version) {}

    private final Supplier<QueuePair> connections;
    private final int servers;
    private QueuePair queuePair;
    private MemoryClient client;
    private TableStorage storage;

    /// [#oldVersionBytes] of connections that are no more.
    private long oldVersionBytesBefore;

    private final SchemaUsers users;
    private final Runnable makeWay;
    private final Cache<String, Cached> tables =
            // Its upkeep is done by who uses it: other threads would be a simulation's only ones in
            // real time.
            Caffeine.newBuilder().maximumSize(MOST_CACHED).executor(Runnable::run).build();

    /// Where the tables and indexes are that are known here, by number.
    private final Map<Integer, CatalogEntry> places = new HashMap<>();

    /// Held while the queue pair is used. Not a monitor: a simulated thread that waits for one
    /// would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Table[] byNumber = new @Nullable Table[64];

    private final AtomicLong schemaVersion = new AtomicLong();

    /// @param connections connects to the memory servers; again when the connection is in doubt
    /// @param servers how many memory servers there are
    /// @param makeWay waits until another compute server has changed the schema, and has [#refresh]
    ///     called
    public Catalog(
            Supplier<QueuePair> connections, int servers, SchemaUsers users, Runnable makeWay) {
        this.connections = connections;
        this.servers = servers;
        this.users = users;
        this.makeWay = makeWay;
        this.queuePair = connections.get();
        this.client = new MemoryClient(queuePair, servers);
        this.storage = new TableStorage(queuePair, client);
    }

    /// A queue pair that is in doubt is of no use any more, and the process goes on.
    private void connectAgain() {
        QueuePair before = queuePair;
        QueuePair connected = connections.get();
        oldVersionBytesBefore += storage.oldVersionBytes();
        queuePair = connected;
        client = new MemoryClient(connected, servers);
        storage = new TableStorage(connected, client);
        before.close();
    }

    /// Disconnects.
    public void close() {
        queuePair.close();
    }

    /// How many changes of the schema were made here or have come to be known here. For any thread.
    public long schemaVersion() {
        return schemaVersion.get();
    }

    /// The table with this number, null if there is none. For any thread.
    public @Nullable Table byNumber(int number) {
        @Nullable Table[] all = byNumber;
        return number < all.length ? all[number] : null;
    }

    /// The records of all tables that this compute server knows. For any thread.
    public List<HashTable> allRecords() {
        List<HashTable> all = new ArrayList<>();
        for (Table table : byNumber) {
            if (table != null) {
                all.add(table.records());
            }
        }
        return all;
    }

    /// The table of this name, as it was when nobody was changing it.
    ///
    /// @throws IllegalStateException if what is known here never comes to agree with the catalog
    public @Nullable Table find(String name) {
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            @Nullable Table[] found = new @Nullable Table[1];
            if (locked(() -> lookUp(name, found))) {
                return found[0];
            }
            makeWay.run();
        }
        throw new IllegalStateException("table " + name + " is not what the catalog says");
    }

    /// The table of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Table table(String name) {
        Table table = find(name);
        if (table == null) {
            throw new IllegalArgumentException(
                    "there is no table " + name + "; there are " + tableNames());
        }
        return table;
    }

    /// Looks a table up, and never changes what is known: others may be using it.
    ///
    /// @param found gets it
    /// @return false if it was changed elsewhere, and what is known here is older
    private boolean lookUp(String name, @Nullable Table[] found) {
        long version = client.catalogVersion(CatalogEntry.TABLE + name);
        Cached cached = tables.getIfPresent(name);
        if (cached != null && cached.version == version) {
            found[0] = cached.table;
            return true;
        }
        byte[] bytes = client.catalogEntry(CatalogEntry.TABLE + name);
        if (bytes == null) {
            return true;
        }
        CatalogEntry entry = CatalogEntry.decode(bytes);
        Table known = byNumber(entry.number());
        if (known == null) {
            known = openWithIndexes(bytes, entry, new CatalogPicture(client));
        } else if (!isCurrent(known, bytes, entry) || !noticeFilled(known)) {
            return false;
        }
        tables.put(name, new Cached(known, version));
        found[0] = known;
        return true;
    }

    private static boolean isCurrent(Table known, byte[] bytes, CatalogEntry entry) {
        return Arrays.equals(bytes, CatalogEntry.encode(known.definition(), entry));
    }

    /// Looks whether indexes have been filled.
    ///
    /// @return false if there are others than those that are known
    private boolean noticeFilled(Table table) {
        Map<Integer, CatalogPicture.IndexThere> there = new CatalogPicture(client).of(table.name());
        boolean isSame = there.size() == table.allIndexes().size();
        for (Index index : table.allIndexes()) {
            CatalogPicture.IndexThere found = there.get(index.number());
            isSame &= found != null;
            if (found != null) {
                noticeFilled(index, found);
            }
        }
        return isSame;
    }

    private void noticeFilled(Index index, CatalogPicture.IndexThere there) {
        if (there.isFilled() && !index.isFilled()) {
            index.setFilled();
            schemaVersion.incrementAndGet();
        }
    }

    /// Compares what is known here with the catalog, which others have changed: forgets what is
    /// gone, and opens anew what is not as it was. Called behind the closed gate.
    public void refresh() {
        locked(() -> {
            tables.invalidateAll();
            CatalogPicture picture = new CatalogPicture(client);
            for (Table known : byNumber.clone()) {
                if (known != null) {
                    refresh(known, picture);
                }
            }
            users.releaseMemory();
            return picture;
        });
    }

    private void refresh(Table known, CatalogPicture picture) {
        byte[] bytes = picture.table(known.records().id());
        if (bytes == null) {
            known.drop();
            users.forget(known);
            known.allIndexes().forEach(index -> places.remove(index.number()));
            forget(known);
            return;
        }
        CatalogEntry entry = CatalogEntry.decode(bytes);
        if (isCurrent(known, bytes, entry)) {
            noticeIndexes(known, picture);
        } else {
            known.drop();
            users.release(known);
            openWithIndexes(bytes, entry, picture);
        }
    }

    /// The index of this name, filled or not.
    public @Nullable Index findIndex(String name) {
        byte[] bytes = locked(() -> client.catalogEntry(CatalogEntry.INDEX + name));
        if (bytes == null) {
            return null;
        }
        Table table = find(CatalogEntry.decodeIndex(bytes).table());
        return table == null ? null : table.indexByNumber(CatalogEntry.decode(bytes).number());
    }

    /// The names of all tables, in order.
    public List<String> tableNames() {
        return names(CatalogEntry.TABLE);
    }

    /// The names of all indexes, in order.
    public List<String> indexNames() {
        return names(CatalogEntry.INDEX);
    }

    private List<String> names(String prefix) {
        List<String> names = new ArrayList<>();
        for (String name : locked(() -> client.catalogNames())) {
            if (name.startsWith(prefix)) {
                names.add(name.substring(prefix.length()));
            }
        }
        return names;
    }

    /// Makes a table.
    ///
    /// @throws IllegalArgumentException if there is one of this name
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    public Table create(TableDefinition definition) {
        return locked(() -> {
            if (client.catalogEntry(CatalogEntry.TABLE + definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry =
                    allocated(() -> storage.allocate(definition, definition.expectedRows()));
            Table table = TableStorage.open(definition, entry);
            boolean isNew = false;
            try {
                isNew =
                        client.putCatalogEntry(
                                CatalogEntry.TABLE + definition.name(),
                                CatalogEntry.encode(definition, entry));
            } finally {
                if (!isNew) {
                    storage.dispose(table, entry);
                }
            }
            if (!isNew) {
                throw isThere(definition.name());
            }
            return known(table, entry);
        });
    }

    /// Has room made before memory counts as full.
    private CatalogEntry allocated(Supplier<CatalogEntry> allocation) {
        try {
            return allocation.get();
        } catch (MemoryFullException e) {
            users.makeRoom();
            return allocation.get();
        }
    }

    private static IllegalArgumentException isThere(String table) {
        return new IllegalArgumentException("there is a table " + table + " already");
    }

    /// Makes an empty index and adds it to its table, whose writers fill it from now on.
    public Index create(IndexDefinition definition) {
        return locked(() -> {
            Table table = find(definition.table());
            if (table == null) {
                throw new IllegalArgumentException("there is no table " + definition.table());
            }
            if (client.catalogEntry(CatalogEntry.INDEX + definition.name()) != null) {
                throw new IllegalArgumentException(
                        "there is an index " + definition.name() + " already");
            }
            long rows = table.definition().expectedRows();
            CatalogEntry entry = allocated(() -> storage.allocate(definition, table, rows));
            Index index = open(definition, entry, table);
            boolean isPut = false;
            try {
                isPut =
                        client.putCatalogEntry(
                                CatalogEntry.INDEX + definition.name(),
                                CatalogEntry.encode(definition, entry, false));
            } finally {
                if (!isPut) {
                    table.remove(index);
                    disposeLocked(index);
                }
            }
            altered(table);
            return index;
        });
    }

    /// The index has an entry for every row, unless someone has dropped it meanwhile.
    void filled(Index index) {
        locked(() -> {
            CatalogEntry place = places.get(index.number());
            if (place != null) {
                index.setFilled();
                client.replaceCatalogEntry(
                        CatalogEntry.INDEX + index.name(),
                        CatalogEntry.encode(index.definition(), place, true));
                tell(index.definition().table());
            }
            return schemaVersion.incrementAndGet();
        });
    }

    /// Has the other compute servers that know the table look at it again.
    private void tell(String table) {
        byte[] bytes = client.catalogEntry(CatalogEntry.TABLE + table);
        if (bytes != null) {
            client.replaceCatalogEntry(CatalogEntry.TABLE + table, bytes);
        }
    }

    /// Takes an index out of the catalog and away from its table. Its memory stays.
    void remove(Index index) {
        locked(() -> {
            Table table = find(index.definition().table());
            client.removeCatalogEntry(CatalogEntry.INDEX + index.name());
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
    ///
    /// @param rows for how many its arrays are made
    /// @throws MemoryFullException if there is no memory for it; nothing has changed
    Table prepare(Table old, TableDefinition definition, List<IndexDefinition> indexes, long rows) {
        return locked(() -> {
            if (!definition.name().equals(old.name()) && find(definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry = allocated(() -> storage.allocate(definition, rows));
            Table table = known(TableStorage.open(definition, entry), entry);
            boolean isDone = false;
            try {
                for (IndexDefinition index : indexes) {
                    open(index, storage.allocate(index, table, rows), table).setFilled();
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
            // Before its indexes: should this process die here, then an index is missing, and none
            // is another table's.
            putInPlace(old, made.definition(), place(made.records().id()));
            for (Index index : made.allIndexes()) {
                client.putCatalogEntry(
                        CatalogEntry.INDEX + index.name(),
                        CatalogEntry.encode(index.definition(), place(index.number()), true));
            }
            return schemaVersion.incrementAndGet();
        });
    }

    /// Opens a table again where it is, under another name, or with other names and properties.
    Table redefine(Table old, TableDefinition definition, Map<String, String> newNames) {
        return locked(() -> {
            if (!definition.name().equals(old.name()) && find(definition.name()) != null) {
                throw isThere(definition.name());
            }
            CatalogEntry entry = place(old.records().id());
            Table table = TableStorage.open(definition, entry);
            for (Index index : old.allIndexes()) {
                IndexDefinition renamed = index.definition().on(definition.name(), newNames);
                client.replaceCatalogEntry(
                        CatalogEntry.INDEX + index.name(),
                        CatalogEntry.encode(renamed, place(index.number()), index.isFilled()));
                Index opened = open(renamed, place(index.number()), table);
                if (index.isFilled()) {
                    opened.setFilled();
                }
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

    /// Opens a table that another compute server has made. It is known to this one when it is
    /// whole: a writer that knew it without its indexes would leave them behind.
    private Table openWithIndexes(byte[] bytes, CatalogEntry entry, CatalogPicture picture) {
        Table table = TableStorage.open(CatalogEntry.decodeTable(bytes), entry);
        noticeIndexes(table, picture);
        return known(table, entry);
    }

    /// Adds the indexes that others have made, and takes away those that others have dropped.
    private void noticeIndexes(Table table, CatalogPicture picture) {
        List<Index> gone = new ArrayList<>(table.allIndexes());
        for (CatalogPicture.IndexThere there : picture.of(table.name()).values()) {
            Index index = table.indexByNumber(there.entry().number());
            if (index == null) {
                index = open(there.definition(), there.entry(), table);
                schemaVersion.incrementAndGet();
            }
            noticeFilled(index, there);
            gone.remove(index);
        }
        for (Index index : gone) {
            users.forget(index);
            table.remove(index);
            places.remove(index.number());
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
            if (queuePair.isInDoubt()) {
                connectAgain();
            }
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    /// How full the memory servers are, by number.
    public List<ServerUsage> usage() {
        return locked(() -> {
            List<ServerUsage> usages = new ArrayList<>();
            for (int server = 0; server < client.servers(); server++) {
                usages.add(client.usage(server));
            }
            return usages;
        });
    }

    /// The bytes of old versions that sessions count as theirs, and that were given back with their
    /// tables: less than zero.
    public long oldVersionBytes() {
        return locked(() -> oldVersionBytesBefore + storage.oldVersionBytes());
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
