package org.namdb.compute;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.cluster.ClusterSeat;
import org.namdb.compute.cluster.Holders;
import org.namdb.compute.journal.DatabaseJournal;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.MemoryBudget;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.DefinitionTurn;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaChanges;
import org.namdb.compute.schema.SchemaGate;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.compute.schema.SchemaUsers;
import org.namdb.compute.schema.Table;
import org.namdb.compute.upkeep.DeadSessions;
import org.namdb.compute.upkeep.Housekeeping;
import org.namdb.compute.upkeep.UpkeepTerms;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.cleanup.CleanedSlot;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorLayout;

/// A database: memory servers that hold it, and this process's compute server. Safe for use by many
/// threads.
///
/// Source: NAM-DB, section 2.1.
public final class NamDb implements AutoCloseable {
    private final EmbeddedOptions options;
    private final ComputeFabric fabric;
    private final Place place;
    private final List<Region> regions;
    private final boolean isAttached;
    private final TimestampVectorLayout vector;
    private final DatabaseJournal journal;
    private @Nullable Checkpointer checkpointer;
    private final Catalog catalog;
    private final SchemaLeases leases;
    private final SchemaGate gate;
    private final DefinitionTurn turn;
    private final Admission admission;
    private final SchemaChanges changes;
    private final int process;
    private final OwnerNumbers owners;
    private final DeadSessions dead;
    private final Fencing fencing;
    private final Sessions sessions;
    private final UpkeepTerms upkeepTerms;
    private final Oracles oracles;
    private final ProcedureThreads threads;
    private final Housekeeping housekeeping;
    private final MemoryBudget transactionMemory;

    /// A database in this process, with [EmbeddedOptions#DEFAULT].
    public static NamDb embedded() {
        return embedded(EmbeddedOptions.DEFAULT);
    }

    /// A database in this process.
    ///
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory
    public static NamDb embedded(EmbeddedOptions options) {
        JournalOptions kept = options.journal();
        return kept == null ? empty(options) : Recovery.open(options, kept);
    }

    /// A database in this process, with nothing in it.
    static NamDb empty(EmbeddedOptions options) {
        return Place.of(EmbeddedServers.start(options)).open(() -> options);
    }

    /// See [AttachedDatabase#open].
    static NamDb attached(EmbeddedOptions options, ComputeFabric fabric, List<Region> regions) {
        return new Place(fabric, regions, null, null).open(() -> options);
    }

    /// A compute server of the cluster that a file describes: see [#connect(ClusterConfig)].
    ///
    /// @throws org.namdb.cluster.config.ConfigException if it can't be read, or makes no sense
    public static NamDb connect(Path clusterFile) {
        return connect(ClusterConfig.read(clusterFile));
    }

    /// A compute server of a cluster, with what the cluster's configuration says of each.
    public static NamDb connect(ClusterConfig config) {
        return connect(
                config,
                EmbeddedOptions.DEFAULT.withCluster(config).withRetryPolicy(RetryPolicy.NETWORK));
    }

    /// A compute server of a cluster. It waits for the memory servers, joins, looks after the other
    /// compute servers, and leaves at its end.
    ///
    /// @param options what it does for itself; what the memory servers know is learnt from them
    /// @throws FabricException if memory servers don't come in time
    /// @throws org.namdb.cluster.membership.MembershipException if no ZooKeeper does
    public static NamDb connect(ClusterConfig config, EmbeddedOptions options) {
        return connect(ClusterSeat.take(config, options.host()), options);
    }

    /// The same in a place that was taken before. It is closed with the database, or if this fails.
    public static NamDb connect(ClusterSeat seat, EmbeddedOptions options) {
        NamDb db = Place.of(seat).open(() -> options.withLearnt(seat.regions(), seat.slots()));
        try {
            seat.watch(
                    db.process,
                    () -> new Holders(db.connect(), db.vector, db.regions.size()),
                    db.fencing::cleanUpAfter);
        } catch (Throwable e) {
            db.close();
            throw e;
        }
        return db;
    }

    /// @param ends gets what undoes what has been done so far, should anything fail later
    NamDb(EmbeddedOptions options, Place place, List<Runnable> ends) {
        this.place = place;
        this.fabric = place.fabric();
        this.regions = place.regions();
        this.isAttached = place.servers() == null;
        this.transactionMemory = new MemoryBudget(options.transactionMemoryBytes());
        if (regions.size() != options.memoryServers()) {
            throw new IllegalArgumentException(
                    "%d regions for %d memory servers"
                            .formatted(regions.size(), options.memoryServers()));
        }
        try (QueuePair queuePair = connect()) {
            vector = DatabaseLayout.openVector(queuePair);
            this.options =
                    PlantedFault.OWN_TRANSACTION_TIME.isPlanted()
                            ? options
                            : options.withMaxTransactionTime(
                                    Duration.ofNanos(vector.maxTransactionNanos(queuePair)));
            process =
                    isAttached
                            ? new MemoryClient(queuePair, regions.size()).nextCatalogNumber()
                            : 0;
        }
        journal = DatabaseJournal.of(options.journal(), vector.maxSlots());
        owners = new OwnerNumbers(process, journal);
        place.join(process);
        fabric.enroll(process);
        SchemaUsers users =
                new SchemaSessions(
                        () -> sessions().all(), () -> dead().isRunning(), place::checkHeld);
        catalog =
                new Catalog(
                        this::connect,
                        regions.size(),
                        process,
                        users,
                        journal,
                        () -> awaitSchema(() -> {}));
        ends.add(catalog::close);
        leases = new SchemaLeases(this::connect, vector.schemaEpoch(), process);
        ends.add(leases::close);
        ends.add(leases::release);
        gate = new SchemaGate(users::running);
        dead =
                new DeadSessions(
                        new DeadSessions.Means(
                                options.host(),
                                options.upkeepInterval().toNanos(),
                                this::connect,
                                vector,
                                intentLayout(),
                                catalog),
                        gate,
                        this::awaitSchema,
                        owners.next());
        fencing = new Fencing(fabric, this::connect, vector.schemaEpoch(), dead);
        sessions = new Sessions(this);
        upkeepTerms =
                new UpkeepTerms(
                        options.host(),
                        process,
                        options.upkeepInterval().toNanos(),
                        sessions,
                        catalog::allRecords);
        turn =
                new DefinitionTurn(
                        options.host(),
                        leases,
                        gate,
                        catalog::refresh,
                        catalog::reclaim,
                        options.schemaWait().plus(this.options.maxTransactionTime()));
        // Where every verb is a wait, many are under way at a time.
        admission = new Admission(options.host(), isAttached ? 0 : options.concurrency());
        changes =
                new SchemaChanges(
                        catalog,
                        turn,
                        users,
                        () -> new IndexBuild(session()),
                        options.schemaWait(),
                        this.options.maxTransactionTime());
        oracles = new Oracles(this.options, this::connect, vector, owners::next, dead);
        threads = new ProcedureThreads(this, options.executionThreads());
        housekeeping =
                new Housekeeping(
                        upkeepTerms,
                        dead,
                        () -> awaitSchema(() -> {}),
                        () -> catalog.tableNames().forEach(catalog::find),
                        options.oracle() == EmbeddedOptions.Oracle.DIRECT);
    }

    public EmbeddedOptions options() {
        return options;
    }

    /// Makes a table. Changes the schema as [#dropIndex] does.
    ///
    /// @throws IllegalArgumentException if there is one of this name, its key or its records are
    ///     too long, or it wants a memory server that is not there
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for its bucket array
    public Table createTable(TableDefinition definition) {
        return changes.createTable(definition);
    }

    /// Whether other compute servers may use the database, too.
    public boolean isShared() {
        return isAttached;
    }

    /// The table of this name; null if there is none.
    public @Nullable Table findTable(String name) {
        place.checkHeld();
        return catalog.find(name);
    }

    /// The table of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Table table(String name) {
        place.checkHeld();
        return catalog.table(name);
    }

    /// The names of all tables, in order.
    public List<String> tableNames() {
        place.checkHeld();
        return catalog.tableNames();
    }

    /// The names of all indexes, in order.
    public List<String> indexNames() {
        place.checkHeld();
        return catalog.indexNames();
    }

    /// The index of this name; null if there is none, or if it is just being filled.
    public @Nullable Index findIndex(String name) {
        place.checkHeld();
        Index index = catalog.findIndex(name);
        return index != null && index.isFilled() ? index : null;
    }

    /// Rises with every schema change of this compute server, and with those of others before its
    /// next transaction begins, or when it looks a table up. A read of one word, for plan caches.
    public long schemaVersion() {
        return catalog.schemaVersion();
    }

    /// Makes a secondary index, and fills it from the table; others may write to the table while it
    /// is filled.
    ///
    /// @throws IllegalArgumentException if there is one of this name, or no such table or column
    /// @throws org.namdb.compute.schema.SchemaBusyException if running transactions don't end in
    ///     time; nothing has changed
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    public Index createIndex(IndexDefinition definition) {
        return changes.createIndex(definition);
    }

    /// Drops an index. Like every change of the schema, it waits until no transaction runs, in this
    /// compute server and in all others that are attached to the database; those that begin
    /// meanwhile wait for it.
    ///
    /// @throws IllegalArgumentException if there is none of this name
    /// @throws org.namdb.compute.schema.SchemaBusyException if running transactions don't end in
    ///     time; nothing has changed
    /// @throws IllegalStateException if a transaction of this very thread runs
    public void dropIndex(String name) {
        changes.dropIndex(name);
    }

    /// Drops a table and its indexes, as [#dropIndex] does. Using the [Table] afterwards is an
    /// IllegalStateException.
    public void dropTable(String name) {
        changes.dropTable(name);
    }

    /// Makes a table empty, as [#dropIndex] changes the schema.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for an empty one beside it;
    ///     nothing has changed
    public Table truncate(String name) {
        return changes.truncate(name);
    }

    /// Gives a table another name, as [#dropIndex] changes the schema.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws IllegalArgumentException if there is one of the new name
    public Table renameTable(String name, String newName) {
        return redefine(name, table(name).definition().copy(newName).build());
    }

    /// Gives a table other properties, its columns other names, and itself another name, as
    /// [#dropIndex] changes the schema. No row is touched.
    ///
    /// @param definition the table's but for names and properties; columns in the same order
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws IllegalArgumentException if anything else has changed
    public Table redefine(String name, TableDefinition definition) {
        return changes.redefine(name, definition);
    }

    /// Puts another table in the place of one, and copies all rows, as [#dropIndex] changes the
    /// schema: for other columns, another primary key, another physical design. Indexes are made
    /// anew, except for those of columns that the new table does not have; those go. Takes two
    /// sessions, memory for both tables, and not longer than the maximum transaction time.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws TransactionException if rows can't be inserted, because keys are the same or memory
    ///     is full; nothing has changed
    public Table replaceTable(String name, TableDefinition definition, RowMapping mapping) {
        return changes.replace(name, definition, new TableCopy(this, mapping)::copy);
    }

    /// Runs a schema change of many steps alone: no transaction runs in any compute server but
    /// those of this very thread, which may call the methods above, and read rows in between.
    ///
    /// @param most how long to wait for transactions, and for other definitions
    /// @throws org.namdb.compute.schema.SchemaBusyException if they take longer; nothing was run
    public <R extends @Nullable Object> R define(Duration most, Supplier<R> definition) {
        place.checkHeld();
        R defined = turn.alone(most, () -> journal.inSteps(definition));
        journal.await();
        return defined;
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
        threads.register(name, procedure);
    }

    /// Calls a registered procedure on one of the transaction execution threads, and waits for its
    /// result.
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
    public <R extends @Nullable Object> CompletableFuture<R> callAsync(
            String name, Object arguments) {
        return threads.submit(name, arguments);
    }

    /// Opens a session, for one thread at a time.
    ///
    /// @throws org.namdb.timestamp.SlotsExhaustedException if all slots are taken
    /// @throws LeaseLostException if this compute server [has lost its lease][#isLost]
    public Session session() {
        place.checkHeld();
        return sessions.open();
    }

    QueuePair connect() {
        return fabric.connect(regions);
    }

    Place place() {
        return place;
    }

    TimestampVectorLayout vector() {
        return vector;
    }

    IntentLayout intentLayout() {
        return DatabaseLayout.intents(regions.size(), vector);
    }

    /// A number above 0 that no other call ever gives, in whatever process, nor after a restart.
    public long uniqueNumber() {
        return owners.unique();
    }

    /// Slot numbers are below this.
    int slotLimit() {
        return vector.maxSlots();
    }

    /// How full the memory servers are, by number.
    public List<ServerUsage> usage() {
        place.checkHeld();
        return catalog.usage();
    }

    /// The bytes of old versions that are kept, as old-version buffers and in the overflow regions.
    public long oldVersionBytes() {
        return catalog.oldVersionBytes()
                + sessions.all().stream().mapToLong(Session::oldVersionBytes).sum();
    }

    /// How many old versions the memory servers have moved to their overflow regions, ahead of the
    /// writers.
    public long versionsMoved() {
        return housekeeping.versionsMoved();
    }

    /// Ends everything and frees the memory; a failure does not keep the rest from being closed.
    /// Sessions must not be in use any more.
    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        boolean isMemoryLeft = isAttached && !isLost();
        turn.close();
        failures.attempt(place::rest);
        Checkpointer last = checkpointer;
        if (last != null) {
            failures.attempt(last::close);
        }
        failures.attempt(housekeeping::close);
        failures.attempt(threads::close);
        if (!sessions.close(isMemoryLeft, failures)) {
            return;
        }
        failures.attempt(() -> dead.end(isMemoryLeft));
        failures.attempt(oracles::close);
        failures.attempt(turn::end);
        failures.attempt(journal::close);
        if (isMemoryLeft) {
            failures.attempt(leases::release);
        }
        failures.attempt(leases::close);
        failures.attempt(catalog::close);
        place.closeLast(failures);
    }

    /// Writes a backup while transactions run: a data directory of its own, in which everything is
    /// that was acknowledged before the call, and maybe later commits. Takes a quarter of one
    /// processor's time while it reads the tables.
    ///
    /// @param directory a new or an empty one
    /// @param whileWriting called again and again; what it throws ends the backup, and nothing is
    ///     left of it
    /// @return how many bytes it has
    /// @throws IllegalStateException if this database has no data directory
    /// @throws org.namdb.compute.journal.JournalException if the directory is not empty, or can't
    /// be
    ///     written
    public long backUp(Path directory, Runnable whileWriting) {
        return backUp(JournalOptions.in(directory), whileWriting);
    }

    long backUp(JournalOptions target, Runnable whileWriting) {
        return Checkpointer.of(checkpointer).backUp(target, whileWriting);
    }

    /// Whether this compute server of a cluster was declared dead by the others, or a memory server
    /// has died, and the database with it: every call throws [LeaseLostException], which says what
    /// to do, and no commit is acknowledged.
    public boolean isLost() {
        return place.loss() != null;
    }

    /// Why, as the end of a sentence about it; null if it goes on.
    public @Nullable String loss() {
        return place.loss();
    }

    OwnerNumbers owners() {
        return owners;
    }

    /// This compute server's number: another one each time that one is attached.
    public int process() {
        return process;
    }

    /// Fences another compute server, which has died or was declared dead, and releases what its
    /// sessions held: locks, what was installed and not published, their slots. Others go on
    /// meanwhile. Any number of compute servers may try, and try again.
    ///
    /// @param deadProcess its [#process]
    /// @return whether nothing is left; if not, background maintenance goes on with it
    /// @throws FabricException if a memory server can't be reached. Nothing is cleaned up before
    ///     all have confirmed the fence
    public boolean cleanUpAfter(int deadProcess) {
        return fencing.cleanUpAfter(Set.of(deadProcess));
    }

    /// Tells `observer` every slot that is cleaned up here from now on, by the threads that do.
    public void observeCleanUps(Consumer<CleanedSlot> observer) {
        dead.observe(observer);
    }

    /// Goes on with the recovery of dead sessions, if any; a background thread does so, too.
    ///
    /// @return whether nothing is left
    /// @throws FabricException if a memory server can't be reached; another call goes on
    public boolean cleanUp() {
        return dead.cleanUp();
    }

    /// Waits while another compute server changes the schema. The thread has no transaction.
    ///
    /// @param whileWaiting called again and again; what it throws ends the wait
    void awaitSchema(Runnable whileWaiting) {
        turn.look(whileWaiting);
    }

    UpkeepTerms upkeepTerms() {
        return upkeepTerms;
    }

    Sessions sessions() {
        return sessions;
    }

    DeadSessions dead() {
        return dead;
    }

    Catalog catalog() {
        return catalog;
    }

    DatabaseJournal journal() {
        return journal;
    }

    void keep(Checkpointer started) {
        checkpointer = started;
    }

    Admission admission() {
        return admission;
    }

    Oracles oracles() {
        return oracles;
    }

    MemoryBudget transactionMemory() {
        return transactionMemory;
    }

    SchemaGate gate() {
        return gate;
    }
}
