package org.namdb.compute.schema;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.TimestampVectorState;

/// A compute server's view of the tables and indexes: the memory servers hold the catalog, each a
/// part by hash of the name; what was looked up is cached, and looked up again when the version
/// counter of its part has risen. An index's entry is found by its own name; when it is created or
/// dropped, its table's counter rises too.
///
/// Changes are made by [SchemaChanges], which ensures that no session uses what is dropped. Source:
/// NAM-DB, section 6.1.
public final class Catalog {
    private static final int MAX_CACHED = 10_000;

    /// How many schema changes of others may come between two reads of the catalog.
    private static final int MAX_LOOKS = 1_000;

    private final CatalogConnection connection;
    private final TableCache known = new TableCache();
    private volatile SchemaUsers users;
    private final SchemaJournal journal;
    private volatile Runnable makeWay;

    /// Tables that are as the catalog has them, until others alter that.
    private final Cache<String, Table> tables =
            // Maintained by the threads that use it: other threads would be a simulation's only
            // ones in real time.
            Caffeine.newBuilder().maximumSize(MAX_CACHED).executor(Runnable::run).build();

    /// @param connections connects to the memory servers; again when the connection is unreliable
    /// @param servers how many memory servers there are
    /// @param computeServer the number of the compute server
    /// @param journal is notified of schema changes
    /// @param makeWay waits until another compute server has changed the schema, and has [#refresh]
    ///     called
    public Catalog(
            Supplier<QueuePair> connections,
            int servers,
            int computeServer,
            SchemaUsers users,
            SchemaJournal journal,
            Runnable makeWay) {
        this.connection = new CatalogConnection(connections, servers, computeServer);
        this.journal = journal;
        this.users = users;
        this.makeWay = makeWay;
    }

    /// This process has joined its cluster again, as a compute server with another number. The
    /// cache stays, and is [compared][#refresh] with the catalog before a transaction begins.
    ///
    /// @param connections connects the new one; what the former has posted is not waited for, as
    ///     that is fenced
    public void attach(
            Supplier<QueuePair> connections,
            int computeServer,
            SchemaUsers newUsers,
            Runnable newMakeWay) {
        connection.attach(connections, computeServer);
        users = newUsers;
        makeWay = newMakeWay;
    }

    /// Disconnects.
    public void close() {
        connection.close();
    }

    /// How many schema changes were made or found here. For any thread.
    public long schemaVersion() {
        return known.version();
    }

    /// The table with this number, null if there is none. For any thread.
    public @Nullable Table byNumber(int number) {
        return known.byNumber(number);
    }

    /// The records of the table of this number; null if it is not cached. For any thread.
    public @Nullable HashTable records(int number) {
        Table table = byNumber(number);
        return table == null ? null : table.records();
    }

    /// The records of all tables that this compute server has opened. For any thread.
    public List<HashTable> allRecords() {
        return known.all().stream().map(Table::records).toList();
    }

    /// The table of this name, as it was while no session changed it.
    ///
    /// @throws IllegalStateException if the cache never comes to agree with the catalog
    public @Nullable Table find(String name) {
        for (int looks = 0; looks < MAX_LOOKS; looks++) {
            @Nullable Table[] found = new @Nullable Table[1];
            if (connection.locked(() -> lookUp(name, found))) {
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

    /// Looks a table up, and never changes the cached one: others may be using it.
    ///
    /// @param found gets it
    /// @return false if it was changed elsewhere, and the cached one is older
    private boolean lookUp(String name, @Nullable Table[] found) {
        if (connection.client().isCatalogAltered(CatalogEntry.TABLE + name)) {
            tables.invalidateAll();
        }
        found[0] = tables.getIfPresent(name);
        if (found[0] != null) {
            return true;
        }
        byte[] bytes = connection.client().catalogEntry(CatalogEntry.TABLE + name);
        if (bytes == null) {
            return true;
        }
        CatalogEntry entry = CatalogEntry.decode(bytes);
        Table table = known.byNumber(entry.number());
        if (table == null) {
            CatalogPicture picture = connection.picture();
            if (picture.isPartial()) {
                return false;
            }
            table = openWithIndexes(bytes, entry, picture);
        } else if (!isCurrent(table, bytes, entry) || !noticeFilled(table)) {
            return false;
        }
        tables.put(name, table);
        found[0] = table;
        return true;
    }

    private static boolean isCurrent(Table table, byte[] bytes, CatalogEntry entry) {
        return Arrays.equals(bytes, CatalogEntry.encode(table.definition(), entry));
    }

    /// Checks whether indexes have been filled.
    ///
    /// @return false if there are others than the cached ones
    private boolean noticeFilled(Table table) {
        Map<Integer, CatalogPicture.IndexThere> there = connection.picture().of(table.name());
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
            known.raiseVersion();
        }
    }

    /// Compares the cache with the catalog, which others have changed: drops what no longer exists,
    /// and opens again what has changed. The schema gets another version then, even if all that is
    /// cached is as it was: a table that was made may refer to one of these. Completes a change
    /// that has failed half-way. Called under the schema latch: no compute server changes the
    /// schema.
    public void refresh() {
        connection.locked(() -> {
            tables.invalidateAll();
            connection.completeUpdate();
            CatalogPicture picture = connection.readPicture();
            for (Table table : known.all()) {
                refresh(table, picture);
            }
            users.releaseMemory();
            return known.raiseVersion();
        });
    }

    private void refresh(Table table, CatalogPicture picture) {
        byte[] bytes = picture.table(table.records().id());
        if (bytes == null) {
            table.drop();
            users.forget(table);
            table.allIndexes().forEach(index -> known.removeEntry(index.number()));
            known.remove(table);
            return;
        }
        CatalogEntry entry = CatalogEntry.decode(bytes);
        if (isCurrent(table, bytes, entry)) {
            noticeIndexes(table, picture);
        } else {
            table.drop();
            users.release(table);
            openWithIndexes(bytes, entry, picture);
        }
    }

    /// Frees what dead coordinators of schema changes have left. Called while no other schema
    /// change runs.
    ///
    /// @param isAlive whether the compute server with a lease of this number is
    public void reclaim(IntPredicate isAlive) {
        connection.locked(() -> {
            connection.unnamed().reclaim(isAlive, connection.storage());
            return isAlive;
        });
    }

    /// The index of this name, filled or not.
    public @Nullable Index findIndex(String name) {
        byte[] bytes =
                connection.locked(
                        () -> connection.client().catalogEntry(CatalogEntry.INDEX + name));
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
        for (String name : connection.locked(() -> connection.client().catalogNames())) {
            if (name.startsWith(prefix)) {
                names.add(name.substring(prefix.length()));
            }
        }
        return names;
    }

    /// Makes a table. No other session changes the schema: a table that is renamed to this name is
    /// not overwritten, and does not overwrite this one.
    ///
    /// @throws IllegalArgumentException if there is one of this name
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    public Table create(TableDefinition definition) {
        Table table = create(definition, definition.expectedRows());
        journal.await();
        return table;
    }

    /// Makes a table for so many rows, whatever its definition has.
    public Table create(TableDefinition definition, long rows) {
        return connection.locked(() -> {
            if (connection.client().catalogEntry(CatalogEntry.TABLE + definition.name()) != null) {
                throw isThere(definition.name());
            }
            try (SchemaJournal.Entry reserved = journal.reserve(List.of(), List.of(definition))) {
                return create(definition, rows, reserved);
            }
        });
    }

    private Table create(TableDefinition definition, long rows, SchemaJournal.Entry reserved) {
        CatalogEntry entry = allocated(() -> connection.storage().allocate(definition, rows));
        Table table = TableStorage.open(definition, entry);
        boolean isNew =
                connection.put(
                        CatalogEntry.TABLE + definition.name(),
                        CatalogEntry.encode(definition, entry),
                        () -> connection.storage().dispose(table, entry, () -> {}));
        if (!isNew) {
            throw isThere(definition.name());
        }
        reserved.append(List.of(table), List.of());
        tables.put(table.name(), table);
        return known.add(table, entry);
    }

    /// Has memory freed before it counts as full.
    CatalogEntry allocated(Supplier<CatalogEntry> allocation) {
        try {
            return allocation.get();
        } catch (MemoryFullException e) {
            users.freeMemory();
            return allocation.get();
        }
    }

    static IllegalArgumentException isThere(String table) {
        return new IllegalArgumentException("there is a table " + table + " already");
    }

    private static IllegalArgumentException isIndexThere(String index) {
        return new IllegalArgumentException("there is an index " + index + " already");
    }

    /// Makes an empty index and adds it to its table, whose writers fill it from now on.
    public Index create(IndexDefinition definition) {
        return connection.locked(() -> {
            Table table = table(definition.table());
            if (connection.client().catalogEntry(CatalogEntry.INDEX + definition.name()) != null) {
                throw isIndexThere(definition.name());
            }
            long rows = table.rowsToExpect();
            CatalogEntry entry =
                    allocated(() -> connection.storage().allocate(definition, table, rows));
            Index index = open(definition, entry, table);
            boolean isNew =
                    connection.put(
                            CatalogEntry.INDEX + definition.name(),
                            CatalogEntry.encode(definition, entry, false),
                            () -> {
                                table.remove(index);
                                disposeLocked(index);
                            });
            if (!isNew) {
                throw isIndexThere(definition.name());
            }
            altered(table);
            return index;
        });
    }

    /// Frees an index's memory. The connection is locked.
    void disposeLocked(Index index) {
        CatalogEntry entry = known.entry(index.number());
        known.removeEntry(index.number());
        connection.storage().dispose(index, entry, () -> connection.unnamed().remove(index));
    }

    /// Notifies the other compute servers, which poll the table's counter.
    void altered(Table table) {
        connection
                .client()
                .replaceCatalogEntry(
                        CatalogEntry.TABLE + table.name(),
                        CatalogEntry.encode(table.definition(), known.entry(table.records().id())));
        known.raiseVersion();
    }

    /// Opens a table that another compute server has made. It is cached when it is whole: a writer
    /// that had it without its indexes would not maintain them.
    private Table openWithIndexes(byte[] bytes, CatalogEntry entry, CatalogPicture picture) {
        Table table = TableStorage.open(CatalogEntry.decodeTable(bytes), entry);
        table.records().countParts(connection.queuePair());
        noticeIndexes(table, picture);
        return known.add(table, entry);
    }

    /// Adds the indexes that others have made, and removes those that others have dropped.
    private void noticeIndexes(Table table, CatalogPicture picture) {
        List<Index> gone = new ArrayList<>(table.allIndexes());
        for (CatalogPicture.IndexThere there : picture.of(table.name()).values()) {
            Index index = table.indexByNumber(there.entry().number());
            if (index == null) {
                index = open(there.definition(), there.entry(), table);
                known.raiseVersion();
            }
            noticeFilled(index, there);
            gone.remove(index);
        }
        for (Index index : gone) {
            users.forget(index);
            table.remove(index);
            known.removeEntry(index.number());
            known.raiseVersion();
        }
    }

    Index open(IndexDefinition definition, CatalogEntry entry, Table table) {
        known.addEntry(entry);
        return connection.storage().open(definition, entry, table);
    }

    /// How full the memory servers are, by number.
    public List<ServerUsage> usage() {
        return connection.locked(() -> {
            List<ServerUsage> usages = new ArrayList<>();
            for (int server = 0; server < connection.client().servers(); server++) {
                usages.add(connection.client().usage(server));
            }
            return usages;
        });
    }

    /// The slots and the snapshot chain now.
    public TimestampVectorState state(TimestampVectorLayout vector) {
        return connection.locked(() -> TimestampVectorState.read(vector, connection.queuePair()));
    }

    /// The bytes of old versions that sessions count as theirs, and that were freed with their
    /// tables: less than zero.
    public long oldVersionBytes() {
        return connection.oldVersionBytes();
    }

    /// Notified of schema changes.
    SchemaJournal journal() {
        return journal;
    }

    SchemaUsers users() {
        return users;
    }

    CatalogConnection connection() {
        return connection;
    }

    TableCache known() {
        return known;
    }

    /// The next lookup of the table reads it from the memory servers. The connection is locked.
    void forgetCached(String name) {
        tables.invalidate(name);
    }
}
