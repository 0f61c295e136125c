package org.namdb.compute;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineCache;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.cluster.Holders;
import org.namdb.compute.commit.Commit;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.CommitGuards;
import org.namdb.compute.commit.CommitJournal;
import org.namdb.compute.commit.IndexWriters;
import org.namdb.compute.commit.ReadSnapshot;
import org.namdb.compute.guard.CachedTables;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.compute.journal.DatabaseJournal;
import org.namdb.compute.maintenance.CommitFinish;
import org.namdb.compute.maintenance.DeadSessions;
import org.namdb.compute.maintenance.MaintenanceSettings;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.compute.read.MemoryBudget;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.SchemaChanges;
import org.namdb.compute.schema.SchemaExclusion;
import org.namdb.compute.schema.SchemaLatch;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.compute.schema.SchemaUsers;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.TimestampVectorLayout;

/// The process's part in a database under one number: its leases, its sessions, its background
/// threads. One that was fenced can't be used any more. Its process joins again as another one,
/// which takes over the cache of the tables, and reads all of that again under its schema latch, as
/// after a schema change.
///
/// Source: NAM-DB, section 2.1.
final class ComputeServer {
    private final EmbeddedOptions options;
    private final DatabaseResources resources;
    private final boolean isAttached;
    private final TimestampVectorLayout vector;
    private final ImageDestinations replication;
    private final int process;
    private final DatabaseJournal journal;
    private final MemoryBudget transactionMemory;
    private final OwnerNumbers owners;
    private final Catalog catalog;
    private final SchemaLeases leases;
    private final SchemaLatch schemaLatch;
    private final SchemaExclusion turn;
    private final Admission admission;
    private final SchemaChanges changes;
    private final DeadSessions dead;
    private final @Nullable CachedTables cached;
    private @Nullable LineCache ownLines;
    private final Fencing fencing;
    private final Sessions sessions;
    private final MaintenanceSettings maintenanceSettings;
    private final Oracles oracles;
    private final MaintenanceThread maintenanceThread;

    /// @param before the one that was fenced; null if this is the first
    /// @param ends gets what undoes what has been done so far, should anything fail later
    ComputeServer(
            EmbeddedOptions wanted,
            DatabaseResources resources,
            @Nullable ComputeServer before,
            List<Runnable> ends) {
        this.resources = resources;
        this.isAttached = resources.servers() == null;
        int servers = resources.regions().size();
        if (servers != wanted.memoryServers()) {
            throw new IllegalArgumentException(
                    "%d regions for %d memory servers".formatted(servers, wanted.memoryServers()));
        }
        try (QueuePair queuePair = connect()) {
            vector = DatabaseLayout.openVector(queuePair);
            options =
                    PlantedFault.OWN_TRANSACTION_TIME.isPlanted()
                            ? wanted
                            : wanted.withMaxTransactionTime(
                                    Duration.ofNanos(vector.maxTransactionNanos(queuePair)));
            replication = new ImageDestinations(this, queuePair);
            process = isAttached ? new MemoryClient(queuePair, servers).nextCatalogNumber() : 0;
        }
        transactionMemory =
                before == null
                        ? new MemoryBudget(
                                options.transactionMemoryBytes(),
                                Runtime.getRuntime().maxMemory() / 2)
                        : before.transactionMemory;
        journal =
                before == null
                        ? DatabaseJournal.of(options.journal(), vector.maxSlots())
                        : before.journal;
        journal.keepBy(replication.cuts());
        owners = new OwnerNumbers(process, journal);
        resources.join(process);
        resources.fabric().enroll(process);
        SchemaUsers users =
                new SchemaSessions(
                        () -> sessions().all(), () -> dead().isRunning(), this::checkHeld);
        if (before == null) {
            catalog =
                    new Catalog(
                            this::connect,
                            servers,
                            process,
                            users,
                            journal,
                            () -> awaitSchema(() -> {}));
            ends.add(catalog::close);
        } else {
            catalog = before.catalog;
            catalog.attach(this::connect, process, users, () -> awaitSchema(() -> {}));
        }
        leases = new SchemaLeases(this::connect, vector.schemaEpoch(), process);
        ends.add(leases::close);
        ends.add(leases::release);
        schemaLatch = new SchemaLatch(users::running);
        dead =
                new DeadSessions(
                        new DeadSessions.Context(
                                options.host(),
                                options.maintenanceInterval().toNanos(),
                                this::connect,
                                vector,
                                intentLayout(),
                                catalog,
                                this::commitFinish),
                        schemaLatch,
                        this::awaitSchema,
                        owners.next());
        if (before != null) {
            dead.observe(before.dead.observer());
        }
        PeerFabric peers = resources.mayBeCopied() ? resources.peers(process) : null;
        cached =
                peers == null
                        ? null
                        : new CachedTables(
                                resources.fabric(),
                                resources.regions(),
                                peers,
                                options.host(),
                                options.lines().withWaitLimit(options.latchWait()),
                                !resources.isMapped());
        if (cached != null) {
            ends.add(cached::close);
        }
        fencing =
                new Fencing(resources.fabric(), this::connect, vector.schemaEpoch(), dead, cached);
        sessions = new Sessions(this);
        maintenanceSettings =
                new MaintenanceSettings(
                        options.host(),
                        process,
                        options.maintenanceInterval().toNanos(),
                        sessions,
                        catalog);
        turn =
                new SchemaExclusion(
                        options.host(),
                        leases,
                        schemaLatch,
                        this::refreshSchema,
                        catalog::reclaim,
                        this::checkHeld,
                        sessions.advisoryLocks()::makeWay,
                        options.schemaWait().plus(options.maxTransactionTime()));
        // Where every verb is a wait, many are in flight at a time.
        admission = new Admission(options.host(), isAttached ? 0 : options.concurrency());
        changes =
                new SchemaChanges(
                        catalog,
                        turn,
                        users,
                        () -> new IndexBuild(sessions().openReserved()),
                        () -> journal.await(replication.cuts()),
                        options.schemaWait(),
                        options.maxTransactionTime());
        oracles = new Oracles(options, this::connect, vector, owners::next, dead);
        maintenanceThread =
                new MaintenanceThread(
                        maintenanceSettings,
                        dead,
                        () -> awaitSchema(() -> {}),
                        () -> catalog.tableNames().forEach(catalog::find),
                        options.oracle() == EmbeddedOptions.Oracle.DIRECT);
        replication.start();
    }

    /// Where the images of its commits go.
    ImageDestinations replication() {
        return replication;
    }

    /// Whether a commit is durable that was published, and waits for a cut, is in doubt then.
    void checkNotFenced() {
        String loss = loss();
        if (loss != null) {
            throw new FabricException(FabricException.Kind.FENCED, "this compute server " + loss);
        }
    }

    /// Monitors the other compute servers from now on.
    ///
    /// @param fenced called if the others have declared this one dead, or it has given up its lease
    void watch(Runnable fenced) {
        resources.watch(
                process,
                replication.cuts() != null,
                () -> new Holders(connect(), vector, resources.regions().size(), cached != null),
                fencing::recoverProcesses,
                fenced);
        if (cached != null) {
            cached.lines().observeFailure(failure -> resources.giveUp(CachedTables.LOST, failure));
        }
    }

    /// Why it can't go on, as the end of a sentence about it; null if it can.
    @Nullable String loss() {
        String loss = resources.loss();
        return loss == null && cached != null && cached.lines().hasFailed()
                ? CachedTables.LOST
                : loss;
    }

    /// Throws if it can't go on.
    ///
    /// @throws LeaseLostException if there is a [loss][#loss]
    void checkHeld() {
        String loss = loss();
        if (loss != null) {
            throw new LeaseLostException(loss, resources.isMemoryLost());
        }
    }

    /// A session for a user.
    ///
    /// @throws LeaseLostException if this compute server has lost its lease
    Session session() {
        checkHeld();
        return sessions.open();
    }

    QueuePair connect() {
        return resources.fabric().connect(resources.regions());
    }

    /// Behind the closed latch. A table that was changed twice may be the same one here, though
    /// others have written to it without guard lines in between:
    /// ```
    /// here                        elsewhere
    /// has copies of rows
    ///                             the table is not cached any more
    ///                             commits changes of these rows
    ///                             the table is cached
    /// looks: nothing has changed
    /// ```
    private void refreshSchema() {
        catalog.refresh();
        if (cached != null) {
            cached.forgetCopies();
        }
    }

    CopiedReads copiedReads(QueuePair queuePair) {
        return cached == null ? new CopiedReads(queuePair, null) : cached.reads(queuePair);
    }

    /// A session's commits.
    ///
    /// @param held the snapshot that its transactions read
    /// @param collector gets what they supersede, and collects what is durable
    /// @param journal the session's, where memory servers keep no images
    Commit openCommit(
            CommitContext context,
            ReadSnapshot held,
            IndexWriters indexes,
            GarbageCollector collector,
            CommitJournal journal) {
        collector.awaitDurable(this.journal.durable());
        LatchOwner.Cancellation cancellation = context.owner()::checkCancelled;
        CommitJournal images = replication.journal(context, journal);
        CommitGuards guards = commitGuards(options.latchWait(), cancellation);
        return new Commit(
                options.host(), context, held, indexes, collector.garbage(), images, guards);
    }

    private CommitGuards commitGuards(Duration limit, LatchOwner.Cancellation cancellation) {
        boolean isNeeded =
                resources.mayBeCopied()
                        && !replication.isRecovering(); // then no other one is there
        return new CommitGuards(cached, isNeeded, options.host(), limit, cancellation);
    }

    /// Finishes dead sessions' commits; null where they leave no images.
    private @Nullable CommitFinish commitFinish(QueuePair queuePair) {
        return replication.commitFinish(
                queuePair,
                commitGuards(
                        Duration.ofNanos(DeadSessions.TIMEOUT_NANOS),
                        LatchOwner.Cancellation.NEVER));
    }

    /// What it knows of cached tables; null if that is nothing.
    @Nullable CachedTables cached() {
        return cached;
    }

    /// The cache of lines. That of an embedded database, which shares them with no other, is there
    /// from the first call on.
    ///
    /// @throws IllegalStateException if there is none
    synchronized LineCache lines() {
        if (cached != null) {
            return cached.lines();
        }
        if (isAttached) {
            throw new IllegalStateException(
                    "lines are shared by the compute servers of a cluster: give them compute.peers");
        }
        LineCache found = ownLines;
        if (found == null) {
            found =
                    new LineCache(
                            options.lines().withWaitLimit(options.latchWait()),
                            resources.fabric(),
                            resources.regions(),
                            new LocalPeers().join(process, options.host()),
                            options.host());
            ownLines = found;
        }
        return found;
    }

    /// Waits while another compute server changes the schema, outside of a transaction; what
    /// `whileWaiting`, called repeatedly, throws ends the wait.
    void awaitSchema(Runnable whileWaiting) {
        turn.awaitOthers(whileWaiting);
    }

    IntentLayout intentLayout() {
        return DatabaseLayout.intents(resources.regions().size(), vector);
    }

    /// Whether other compute servers may use the database, too.
    boolean isAttached() {
        return isAttached;
    }

    EmbeddedOptions options() {
        return options;
    }

    DatabaseResources resources() {
        return resources;
    }

    TimestampVectorLayout vector() {
        return vector;
    }

    int process() {
        return process;
    }

    /// The compute servers that are attached, this one included.
    Set<Integer> attached() {
        try (QueuePair queuePair = connect()) {
            return SchemaLeases.holders(queuePair, vector.schemaEpoch());
        }
    }

    DatabaseJournal journal() {
        return journal;
    }

    MemoryBudget transactionMemory() {
        return transactionMemory;
    }

    OwnerNumbers owners() {
        return owners;
    }

    Catalog catalog() {
        return catalog;
    }

    SchemaLatch schemaLatch() {
        return schemaLatch;
    }

    SchemaExclusion turn() {
        return turn;
    }

    Admission admission() {
        return admission;
    }

    SchemaChanges changes() {
        return changes;
    }

    DeadSessions dead() {
        return dead;
    }

    Fencing fencing() {
        return fencing;
    }

    Sessions sessions() {
        return sessions;
    }

    MaintenanceSettings maintenanceSettings() {
        return maintenanceSettings;
    }

    Oracles oracles() {
        return oracles;
    }

    MaintenanceThread maintenanceThread() {
        return maintenanceThread;
    }

    /// After it was fenced: ends what works by itself. Sessions that users have are closed when
    /// these close them: their threads may be reading what has been landed. The way to the memory
    /// servers is closed after the last of them.
    ///
    /// @param left called then
    void retire(FirstFailure failures, Runnable left) {
        turn.close();
        failures.attempt(resources::rest);
        replication.close(failures);
        failures.attempt(resources::closePeers);
        failures.attempt(maintenanceThread::close);
        failures.attempt(() -> dead.end(false));
        while (!turn.end()) {
            // What a schema change of this one still does must not go on as another's.
        }
        failures.attempt(leases::close);
        sessions.retire(left);
    }

    /// Ends it at once: no user has a session of it.
    void close(FirstFailure failures) {
        turn.close();
        failures.attempt(resources::rest);
        failures.attempt(maintenanceThread::close);
        replication.close(failures);
        boolean _ = end(failures, true);
        endLease(failures, true);
        failures.attempt(catalog::close);
        resources.close(failures);
    }

    /// The end, after that of the background threads.
    ///
    /// @return false if that was done before
    boolean end(FirstFailure failures, boolean isMemoryLeft) {
        replication.close(failures);
        if (!sessions.close(isMemoryLeft, failures)) {
            return false;
        }
        failures.attempt(() -> dead.end(isMemoryLeft));
        failures.attempt(oracles::close);
        if (cached != null) {
            failures.attempt(cached::close);
        }
        failures.attempt(this::closeOwnLines);
        boolean _ = turn.end();
        return true;
    }

    private synchronized void closeOwnLines() {
        if (ownLines != null) {
            ownLines.close();
        }
    }

    /// The very end: releases its lease of the schema.
    void endLease(FirstFailure failures, boolean isMemoryLeft) {
        if (isMemoryLeft) {
            failures.attempt(leases::release);
        }
        failures.attempt(leases::close);
    }
}
