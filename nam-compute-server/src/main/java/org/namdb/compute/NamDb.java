package org.namdb.compute;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.compute.schema.TableReplacement;
import org.namdb.fabric.FabricException;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorState;

/// A database: memory servers that hold it, and this process's compute server. Safe for use by many
/// threads.
///
/// Source: NAM-DB, section 2.1.
public final class NamDb implements Schema, AutoCloseable {
    /// How long a call waits while this process joins its cluster again.
    private static final Duration JOIN_WAIT = Duration.ofSeconds(20);

    final CurrentServer current;
    private final ProcedureThreads threads;

    /// A database in this process, with [EmbeddedOptions#DEFAULT].
    public static NamDb embedded() {
        return embedded(EmbeddedOptions.DEFAULT);
    }

    /// A database in this process.
    ///
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory
    public static NamDb embedded(EmbeddedOptions options) {
        JournalOptions kept = options.journal();
        return kept == null ? DatabaseResources.embedded(options) : Recovery.open(options, kept);
    }

    /// A compute server of the cluster that a file describes: see [#connect(ClusterConfig)].
    ///
    /// @throws org.namdb.cluster.config.ConfigException if it can't be read, or makes no sense
    public static NamDb connect(Path clusterFile) {
        return connect(ClusterConfig.read(clusterFile));
    }

    /// A compute server of a cluster, with the cluster's settings for each.
    public static NamDb connect(ClusterConfig config) {
        return connect(
                config,
                EmbeddedOptions.DEFAULT.withCluster(config).withRetryPolicy(RetryPolicy.NETWORK));
    }

    /// A compute server of a cluster. It waits for the memory servers, joins, monitors the other
    /// compute servers, and leaves when it is closed.
    ///
    /// If it is silent for longer than its lease, the others declare it dead and fence it. It then
    /// joins again as another compute server: open transactions fail, their sessions can only be
    /// closed, and new sessions work as before; tables and indexes are the same. Where memory
    /// servers are on this machine and their memory is mapped (`transport: shm` or `auto`), it does
    /// not: fencing ends the process.
    ///
    /// After the death of a memory server it joins again, too, if the memory servers have data
    /// directories: as soon as all are there and have recovered the database. Tables and indexes
    /// are other ones then, and have to be looked up again, as after a change of the schema.
    ///
    /// @param options its own settings; those of the memory servers are read from them
    /// @throws FabricException if memory servers don't start in time
    /// @throws org.namdb.cluster.membership.MembershipException if no ZooKeeper does
    public static NamDb connect(ClusterConfig config, EmbeddedOptions options) {
        return DatabaseResources.connect(
                ClusterMember.take(config, options.host(), _ -> {}),
                options,
                waiting -> ClusterMember.take(config, options.host(), waiting),
                JOIN_WAIT);
    }

    /// The same in a place that was taken before. It is closed with the database, or if this fails.
    /// One that is fenced does not join again.
    public static NamDb connect(ClusterMember member, EmbeddedOptions options) {
        return DatabaseResources.connect(member, options, null, JOIN_WAIT);
    }

    NamDb(ComputeServer server) {
        this.current = new CurrentServer(server);
        this.threads = new ProcedureThreads(this, server.options().executionThreads());
    }

    @Override
    public EmbeddedOptions options() {
        return server().options();
    }

    @Override
    public Table createTable(TableDefinition definition) {
        return current.held().changes().createTable(definition);
    }

    /// What an acknowledged commit has outlived by default; `NONE` where nothing is kept on disks.
    public Durability durability() {
        JournalOptions kept = server().options().journal();
        return kept == null ? server().journal().keptDurability() : kept.durability();
    }

    /// Whether other compute servers may use the database, too.
    public boolean isShared() {
        return server().isAttached();
    }

    @Override
    public @Nullable SchemaTable describe(String name) {
        Table table = current.held().catalog().find(name);
        return table == null ? null : SchemaTable.of(table);
    }

    @Override
    public List<String> tableNames() {
        return current.held().catalog().tableNames();
    }

    /// The names of all indexes, in order.
    public List<String> indexNames() {
        return current.held().catalog().indexNames();
    }

    @Override
    public @Nullable Index findAnyIndex(String name) {
        return current.held().catalog().findIndex(name);
    }

    @Override
    public long schemaVersion() {
        return server().catalog().schemaVersion();
    }

    @Override
    public Index createIndex(IndexDefinition definition, LongConsumer progress) {
        return current.held().changes().createIndex(definition, progress);
    }

    @Override
    public void dropIndex(String name) {
        current.held().changes().dropIndex(name);
    }

    @Override
    public void dropTable(String name) {
        current.held().changes().dropTable(name);
    }

    @Override
    public Table truncate(String name) {
        return current.held().changes().truncate(name);
    }

    @Override
    public Table redefine(String name, TableDefinition definition) {
        return current.held().changes().redefine(name, definition);
    }

    @Override
    public Table replaceTable(
            String name, Function<SchemaTable, TableReplacement> replacement, RowMapping mapping) {
        TableCopy copy = new TableCopy(this, mapping);
        return current.held().changes().replace(name, replacement, copy::copy);
    }

    /// The schema as the open transaction of a session sees it, which may change it from now on;
    /// the changes take effect with the transaction.
    public TransactionSchema schemaOf(Session session) {
        return new TransactionSchema(current.held(), session);
    }

    /// Runs a schema change of many steps alone: no transaction runs in any compute server but
    /// those of this very thread, which may call the methods above, and read rows in between.
    ///
    /// @param most how long to wait for transactions, and for other schema changes
    /// @throws org.namdb.compute.schema.SchemaBusyException if they take longer; nothing was run
    public <R extends @Nullable Object> R changeSchema(Duration most, Supplier<R> definition) {
        ComputeServer now = current.held();
        R defined = now.turn().alone(most, () -> now.journal().inSteps(definition));
        now.journal().await();
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
        return current.held().session();
    }

    /// Opens a session for the database's own work, in addition to all that users may have.
    public Session reservedSession() {
        return current.held().sessions().openReserved();
    }

    /// Opens a thread's access to lines of memory that the cluster's compute servers cache
    /// coherently; in an embedded database it has them to itself, and no data directory keeps them.
    /// What is in them has nothing to do with transactions. A line that was allocated stays until
    /// it is freed, or the memory servers end; its address is the same for all.
    ///
    /// @throws IllegalStateException if this compute server does not reach the others, by
    ///     `compute.peers`
    /// @throws LeaseLostException if this compute server has lost its lease
    public LineSession lines() {
        return current.held().lines().open();
    }

    @Override
    public long uniqueNumber() {
        return server().owners().unique();
    }

    /// How full the memory servers are, by number.
    public List<ServerUsage> usage() {
        return current.held().catalog().usage();
    }

    /// The slots of the timestamp vector and the snapshot chain now, of all compute servers.
    public TimestampVectorState timestampVector() {
        return current.held().catalog().state(server().vector());
    }

    /// The outcomes and the cost of this process's transactions.
    public TransactionStatistics transactions() {
        return server().sessions().statistics();
    }

    /// The bytes of old versions that are kept, as old-version buffers and in the overflow regions.
    public long oldVersionBytes() {
        return server().sessions().oldVersionBytes();
    }

    /// Ends everything and frees the memory; a failure does not keep the others from being closed.
    /// Sessions must not be in use any more.
    @Override
    public void close() {
        current.close(threads);
    }

    /// Whether it was [closed][#close]; nothing else may be called then.
    public boolean isClosed() {
        return current.isClosed();
    }

    /// Writes a backup while transactions run: a data directory of its own, with all that was
    /// acknowledged before the call, and maybe later commits. Takes a quarter of one processor's
    /// time while it reads the tables.
    ///
    /// @param directory a new or an empty one
    /// @param whileWriting called repeatedly; what it throws ends the backup and removes it
    /// @return how many bytes it has
    /// @throws IllegalStateException if this database has no data directory
    /// @throws org.namdb.compute.journal.JournalException if the directory is not empty, or the
    ///     backup can't be written
    public long backUp(Path directory, Runnable whileWriting) {
        return current.checkpointer().backUp(JournalOptions.in(directory), whileWriting);
    }

    /// Whether this compute server can't go on: a memory server, and the database with it, is lost,
    /// and no disk has it; or the others have declared it dead, and it does not [join
    /// again][#connect]. Every call throws [LeaseLostException] then, and no commit is
    /// acknowledged.
    public boolean isLost() {
        return loss() != null && !current.joinsAgain();
    }

    /// Why it can't go on, as the end of a sentence about it; null if it can.
    public @Nullable String loss() {
        return server().loss();
    }

    /// This compute server's number: another one each time that one is attached, or joins again.
    public int process() {
        return server().process();
    }

    /// The numbers of the compute servers that are attached, this one's included: they have not
    /// ended, nor were they declared dead and fenced.
    ///
    /// @throws FabricException if the memory servers can't be reached
    public Set<Integer> computeServers() {
        return server().attached();
    }

    /// Fences another compute server, which has died or was declared dead, and releases what its
    /// sessions held: locks, what was installed and not published, their slots. Others go on
    /// meanwhile. Any number of compute servers may try, and try again.
    ///
    /// @param deadProcess its [#process]
    /// @return whether nothing is left; if not, background maintenance continues
    /// @throws FabricException if a memory server can't be reached. Nothing is recovered before all
    ///     have confirmed the fence
    public boolean recoverProcess(int deadProcess) {
        return server().fencing().recoverProcesses(Set.of(deadProcess));
    }

    /// Notifies `observer` of each slot that is recovered here, on the recovering thread.
    public void observeRecoveries(Consumer<RecoveredSlot> observer) {
        server().dead().observe(observer);
    }

    /// Continues the recovery of dead sessions, if any; a background thread does so, too.
    ///
    /// @return whether nothing is left
    /// @throws FabricException if a memory server can't be reached; another call continues
    public boolean recover() {
        return server().dead().recover();
    }

    ComputeServer server() {
        return current.server();
    }
}
