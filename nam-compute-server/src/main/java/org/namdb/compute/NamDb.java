package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.MemoryClient;
import org.namdb.memory.MemoryServer;
import org.namdb.memory.RegionLayout;
import org.namdb.memory.ServerUsage;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.timestamp.TimestampVectorLayout;

/// A database: memory servers that hold it, and this process's compute server. Safe for use by many threads.
///
/// Source: NAM-DB, section 2.1.
public final class NamDb implements AutoCloseable {
    private final EmbeddedOptions options;
    private final Fabric fabric;
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<Region> regions = new ArrayList<>();
    private final TimestampVectorLayout vector;
    private final QueuePair catalogQueuePair;
    private final MemoryClient catalogClient;
    private final Catalog catalog;
    private final AtomicLong owners = new AtomicLong();
    private final List<Session> sessions = new ArrayList<>();
    private final MpmcArrayQueue<Session> idle;
    private final Map<String, StoredProcedure<?, ?>> procedures = new ConcurrentHashMap<>();
    private final ProcedureThreads threads;
    private final Housekeeping housekeeping;
    private int userSessions;
    private boolean closed;

    /// A database in this process, with [EmbeddedOptions#DEFAULT].
    public static NamDb embedded() {
        return embedded(EmbeddedOptions.DEFAULT);
    }

    /// A database in this process.
    ///
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory
    public static NamDb embedded(EmbeddedOptions options) {
        return new NamDb(options);
    }

    private NamDb(EmbeddedOptions options) {
        this.options = options;
        this.fabric = options.fabric().get();
        int slots = options.slots() + Housekeeping.SLOTS;
        long perServer = options.memoryBytes() / options.memoryServers() & -4096;
        long vectorBytes = TimestampVectorLayout.bytes(slots);
        for (int number = 0; number < options.memoryServers(); number++) {
            MemoryServer server =
                    new MemoryServer(fabric, number, perServer, number == 0 ? vectorBytes : 0);
            servers.add(server);
            regions.add(server.region());
        }
        catalogQueuePair = fabric.connect(regions);
        vector = new TimestampVectorLayout(RegionLayout.address(0, RegionLayout.HEAD_BYTES), slots);
        vector.format(catalogQueuePair);
        catalogClient = new MemoryClient(catalogQueuePair, options.memoryServers());
        catalog = new Catalog(catalogQueuePair, catalogClient);
        idle = new MpmcArrayQueue<>(Math.max(2, options.slots()));
        threads = new ProcedureThreads(this, options.executionThreads());
        housekeeping = new Housekeeping(this);
    }

    public EmbeddedOptions options() {
        return options;
    }

    /// Makes a table.
    ///
    /// @throws IllegalArgumentException if there is one of this name, or its key or its records are too long
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for its bucket array
    public Table createTable(TableDefinition definition) {
        return catalog.create(definition);
    }

    /// The table of this name; null if there is none.
    public @Nullable Table findTable(String name) {
        return catalog.find(name);
    }

    /// The table of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Table table(String name) {
        Table table = catalog.find(name);
        if (table == null) {
            throw new IllegalArgumentException(
                    "there is no table " + name + "; there are " + catalog.tableNames());
        }
        return table;
    }

    /// The names of all tables, in order.
    public List<String> tableNames() {
        return catalog.tableNames();
    }

    /// Makes a secondary index, and fills it from the table; others may write to the table meanwhile.
    ///
    /// @throws IllegalArgumentException if there is one of this name, or no such table or column
    public Index createIndex(IndexDefinition definition) {
        Index index = catalog.create(definition);
        awaitRunningTransactions();
        try (Session session = session()) {
            new IndexBuild(session, table(definition.table()), index).run();
        }
        return index;
    }

    /// Runs a transaction in a session of its own, again after a conflict.
    ///
    /// @throws TransactionException if it can't be committed
    public <R extends @Nullable Object> R transact(TransactionBody<R> body) {
        try (Session session = session()) {
            return session.transact(body);
        }
    }

    /// Registers a procedure under a name, in place of the one that had it.
    public void register(String name, StoredProcedure<?, ?> procedure) {
        procedures.put(name, procedure);
    }

    /// Calls a registered procedure on one of the transaction execution threads, and waits for its result.
    ///
    /// @throws TransactionException if it can't be committed
    /// @throws IllegalArgumentException if there is no procedure of this name
    public <R extends @Nullable Object> R call(String name, Object arguments) {
        return ProcedureThreads.join(this.<R>callAsync(name, arguments));
    }

    /// Calls a registered procedure on one of the transaction execution threads.
    ///
    /// @return its result, when the transaction is committed
    /// @throws IllegalArgumentException if there is no procedure of this name
    @SuppressWarnings("unchecked")
    public <R extends @Nullable Object> CompletableFuture<R> callAsync(
            String name, Object arguments) {
        StoredProcedure<?, ?> procedure = procedures.get(name);
        if (procedure == null) {
            throw new IllegalArgumentException(
                    "there is no procedure " + name + "; there are " + procedures.keySet());
        }
        return threads.submit((StoredProcedure<Object, R>) procedure, arguments);
    }

    /// Opens a session, for one thread at a time.
    ///
    /// @throws org.namdb.timestamp.SlotsExhaustedException if all slots are taken
    public Session session() {
        Session session = idle.poll();
        if (session != null) {
            return session;
        }
        synchronized (sessions) {
            if (userSessions == options.slots()) {
                throw new SlotsExhaustedException(options.slots());
            }
            Session opened = newSession();
            userSessions++;
            return opened;
        }
    }

    Session newSession() {
        synchronized (sessions) {
            if (closed) {
                throw new IllegalStateException("the database is closed");
            }
            Session opened =
                    new Session(
                            this,
                            options,
                            fabric.connect(regions),
                            vector,
                            owners.incrementAndGet());
            sessions.add(opened);
            return opened;
        }
    }

    /// Slot numbers are below this: a slot for each session, and one of the database's own.
    public int slotLimit() {
        return options.slots() + Housekeeping.SLOTS;
    }

    /// How full the memory servers are, by number.
    public List<ServerUsage> usage() {
        List<ServerUsage> usages = new ArrayList<>();
        synchronized (catalog) {
            for (int server = 0; server < options.memoryServers(); server++) {
                usages.add(catalogClient.usage(server));
            }
        }
        return usages;
    }

    /// The bytes of old versions that are kept, as old-version buffers and in the overflow regions.
    public long oldVersionBytes() {
        long bytes = 0;
        synchronized (sessions) {
            for (Session session : sessions) {
                bytes += session.oldVersionBytes();
            }
        }
        return bytes;
    }

    /// How many old versions the memory servers have moved to their overflow regions, ahead of the writers.
    public long versionsMoved() {
        return housekeeping.versionsMoved();
    }

    /// Ends everything and gives the memory back. Sessions must not be in use any more.
    @Override
    public void close() {
        housekeeping.close();
        threads.close();
        synchronized (sessions) {
            if (closed) {
                return;
            }
            closed = true;
            for (Session session : sessions) {
                session.queuePair().close();
            }
        }
        catalogQueuePair.close();
        for (MemoryServer server : servers) {
            server.close();
        }
        fabric.close();
    }

    void giveBack(Session session) {
        idle.offer(session);
    }

    /// Lets the sessions that nobody uses take their garbage away.
    void keepIdleSessions() {
        for (int left = idle.size(); left > 0; left--) {
            Session session = idle.poll();
            if (session == null) {
                return;
            }
            try {
                session.collectGarbage();
            } finally {
                giveBack(session);
            }
        }
    }

    @Nullable Table tableByNumber(int number) {
        return catalog.byNumber(number);
    }

    /// The records of all tables.
    List<HashTable> allRecords() {
        return catalog.allRecords();
    }

    @Nullable HashTable records(int number) {
        Table table = catalog.byNumber(number);
        return table == null ? null : table.records();
    }

    /// Waits until every transaction that runs now has ended.
    private void awaitRunningTransactions() {
        List<Session> running;
        synchronized (sessions) {
            running = List.copyOf(sessions);
        }
        for (Session session : running) {
            long before = session.transactions();
            while ((before & 1) == 1 && session.transactions() == before) {
                Thread.yield();
            }
        }
    }

    /// The most sessions there can be.
    public static int maxSlots() {
        return CommitTimestamp.MAX_SLOTS;
    }
}
