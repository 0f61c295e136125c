package org.namdb.compute.maintenance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.memory.server.MaintenanceLead;
import org.namdb.memory.server.VersionMaintenance;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.gc.IndexEntries;
import org.namdb.mvcc.gc.VersionMover;
import org.namdb.timestamp.snapshot.LowWatermark;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// The maintenance of a session: it collects its commits' garbage, and frees memory that it doesn't
/// need: after every so many transactions, and after one that has left much; while it is idle, by
/// another thread; and when a memory server is full.
///
/// Used by the session's thread while it has entered the [schema latch][SharedSchemaLatch], except
/// where a method says otherwise.
public final class SessionMaintenance {
    /// The session's memory on the memory servers.
    ///
    /// @param data where bodies and nodes come from
    /// @param oldVersions where old versions come from
    public record Memory(MemoryClient client, ThreadExtents data, ThreadExtents oldVersions) {}

    private static final int INTERVAL = 16;

    /// How many items are collected for the session that had the permit before.
    private static final int MAX_TO_MAINTAIN = 1 << 10;

    /// How often a low watermark that rises is read when memory is wanted.
    private static final int MAX_RISES = 4;

    /// Old versions are moved when the low watermark has stood still for so many pauses of
    /// background maintenance.
    private static final int HELD_BACK_RESTS = 10;

    private final MaintenanceSettings settings;
    private final CommitContext context;
    private final Memory memory;
    private final SharedSchemaLatch sharedLatch;
    private final Admission.Participant admission;
    private final SessionFailure fatalFailure;
    private final Runnable whenFailed;
    private final SnapshotOracle oracle;
    private final LowWatermark watermark;
    private final Snapshot used;
    private final GarbageCollector collector;
    private final Snapshot newest = new Snapshot();
    private @Nullable SnapshotChain refreshed;
    private int untilNext = INTERVAL;

    /// Set by other threads: a memory server is short of memory.
    private volatile boolean isMemoryWanted;

    /// The latch's count at background maintenance's last check.
    private long checkedCount;

    /// @param whenFailed hands the session over if it has failed; called outside of the schema
    ///     latch
    /// @param used the snapshot of the session's last transaction
    /// @param indexes removes the entries of what is collected
    public SessionMaintenance(
            MaintenanceSettings settings,
            CommitContext context,
            Memory memory,
            SharedSchemaLatch sharedLatch,
            Admission.Participant admission,
            SessionFailure fatalFailure,
            Runnable whenFailed,
            SnapshotOracle oracle,
            LowWatermark watermark,
            Snapshot used,
            IndexEntries indexes) {
        this.settings = settings;
        this.context = context;
        this.memory = memory;
        this.sharedLatch = sharedLatch;
        this.admission = admission;
        this.fatalFailure = fatalFailure;
        this.whenFailed = whenFailed;
        this.oracle = oracle;
        this.watermark = watermark;
        this.used = used;
        this.collector =
                new GarbageCollector(
                        context.queuePair(),
                        memory.data,
                        memory.oldVersions,
                        settings.catalog()::records,
                        indexes,
                        context.owner(),
                        context.intents());
    }

    /// What collects the garbage of the session's commits.
    public GarbageCollector collector() {
        return collector;
    }

    /// The bytes of old versions that the session's commits keep.
    public long oldVersionBytes() {
        return memory.oldVersions.usedBytes();
    }

    /// A transaction has ended: collects if it is time to. A session that is going to wait for a
    /// permit collects before: others read past what it leaves behind, for as long as it waits.
    public void afterTransaction() {
        untilNext--;
        try {
            if (isMemoryWanted) {
                collectAll();
            } else if (untilNext <= 0 || collector.garbage().isDue() || admission.isLastOfSlice()) {
                collect();
                admission.maintainPredecessor();
            }
            if (context.splits().isTime()) {
                splitBuckets();
            }
        } finally {
            fatalFailure.note(collector.fatalFailure());
        }
    }

    /// Splits the buckets that the session's inserts have filled.
    private void splitBuckets() {
        try {
            context.splits().split(watermark.snapshot());
        } finally {
            fatalFailure.note(context.splits().fatalFailure());
        }
    }

    /// Collects for an idle session, and splits buckets.
    private void collectAndSplit() {
        collect();
        if (context.splits().count() > 0) {
            splitBuckets();
        }
    }

    /// Collects a good part of what no snapshot needs any more, as far as that is known.
    private void collect() {
        boolean hasRisen = oracle.usesMembers() ? watermark.observe(used) : watermark.observe();
        collector.keepUp(watermark.snapshot());
        releaseSurplus();
        untilNext = hasRisen && collector.garbage().isBehind() ? 1 : INTERVAL;
    }

    /// Frees memory that others may need, and that this session has too much of.
    private void releaseSurplus() {
        try {
            memory.data.releaseSurplus();
            memory.oldVersions.releaseSurplus();
        } catch (FabricException e) {
            lost(e); // but not for the memory of one server that is lost
        }
    }

    /// Collects all that no snapshot needs, and frees all memory that is not in use.
    private void collectAll() {
        isMemoryWanted = false;
        for (int rises = MAX_RISES; rises > 0 && watermark.observe(); rises--) {
            // It may rise once more, after the last read.
        }
        collector.collect(watermark.snapshot(), Integer.MAX_VALUE);
        releaseMemory();
    }

    /// Collects now, inside or outside of the schema latch.
    ///
    /// @throws FabricException if the connection is lost
    public void collectNow() {
        if (sharedLatch.isEnteredBy(Thread.currentThread())) {
            work(this::collect);
        } else {
            enterAndWork(this::collect);
        }
    }

    private void enterAndWork(Runnable work) {
        sharedLatch.enter(false);
        try {
            work(work);
        } finally {
            sharedLatch.leave();
            whenFailed.run();
        }
    }

    private void work(Runnable work) {
        try {
            work.run();
        } catch (FabricException e) {
            lost(e);
            throw e;
        } finally {
            fatalFailure.note(collector.fatalFailure());
        }
    }

    /// A verb has failed. The loss of one memory server does not keep the session from using the
    /// others.
    public void lost(FabricException cause) {
        if (cause.kind() != FabricException.Kind.PEER_GONE) {
            fatalFailure.note(cause);
        }
    }

    /// Collects if the session has been idle since the last call. For background maintenance,
    /// outside of the schema latch.
    ///
    /// @return whether something waits on, for the low watermark to rise
    boolean keepUpAtRest() {
        long now = sharedLatch.count();
        boolean isAtRest = now == checkedCount;
        checkedCount = now;
        boolean isWanted = isMemoryWanted;
        if (!isAtRest
                || collector.garbage().waiting() == 0 && context.splits().count() == 0 && !isWanted
                || !workAtRest(now, isWanted ? this::collectAll : this::collectAndSplit)) {
            return false;
        }
        checkedCount = sharedLatch.count();
        return collector.garbage().waiting() > 0;
    }

    /// Collects what the session could not collect yet when it handed its permit off. For the
    /// thread that has the permit now.
    ///
    /// @return whether all is done that can be
    public boolean runMaintenance() {
        try {
            return !workAtRest(sharedLatch.count(), this::collectFew)
                    || collector.garbage().waiting() == 0
                    || collector.garbage().waiting() > MAX_TO_MAINTAIN;
        } catch (Throwable e) {
            fatalFailure.note(e); // this session's, not that of the borrower
            return true;
        }
    }

    /// What a large transaction has left is not for another session's user to wait for.
    private void collectFew() {
        if (collector.garbage().waiting() <= MAX_TO_MAINTAIN) {
            collect();
        }
    }

    /// Works in the place of the session's thread, which waits if it becomes active meanwhile.
    ///
    /// @return whether the session was idle
    private boolean workAtRest(long since, Runnable work) {
        if (fatalFailure.isThere() || !sharedLatch.borrow(since)) {
            return false;
        }
        try {
            work(work);
        } catch (FabricException e) {
            // A failed session is noticed elsewhere.
        } finally {
            sharedLatch.leave();
            whenFailed.run();
        }
        return true;
    }

    /// Frees what the failed commit took and all else that is not in use, and collects what no
    /// snapshot needs; up to the running transaction's own, which is not read from any more. Has
    /// the other sessions do the same, idle ones at once, the others when their transactions have
    /// ended.
    ///
    /// @return whether there is more memory than the failed commit had
    /// @throws FabricException if a memory server can't be reached
    public boolean freeMemory() {
        releaseMemory();
        long before = usedBytes();
        oracle.announceChosen();
        context.queuePair().await();
        work(this::collectAll);
        for (SessionMaintenance other : settings.sessions().maintenances()) {
            if (other != this) {
                other.wantMemory();
            }
        }
        return usedBytes() < before;
    }

    /// Runs a commit that only deletes: it may allocate what memory servers keep for that.
    public <T> T fromReserve(Supplier<T> commit) {
        return memory.client().fromReserve(commit);
    }

    /// A memory server is full: has the session collect, and free what it doesn't use, at once if
    /// it is idle, or else when its transaction has ended. For any thread.
    public void wantMemory() {
        if (!workAtRest(sharedLatch.count(), this::collectAtRest)) {
            isMemoryWanted = true;
        }
    }

    /// The session ends: collects all that no snapshot needs, its last commits included, and frees
    /// its memory and its slot. The maintenance of the memory servers finds old versions and
    /// deleted records that are left, but no index entries of former values. Outside of the schema
    /// latch.
    public void releaseAll(FirstFailure failures) {
        failures.attempt(this::collectAtEnd);
        failures.attempt(context.intents()::close);
        failures.attempt(memory.data::releaseUnused);
        failures.attempt(memory.oldVersions::releaseUnused);
        failures.attempt(context.slot()::release);
    }

    private void collectAtEnd() {
        try {
            if (collector.garbage().waiting() > 0) {
                enterAndWork(this::collectAtRest);
            }
        } catch (SchemaBusyException e) {
            // Another compute server's schema change is not waited for.
        }
    }

    /// Where no transaction begins, the low watermark has nowhere to rise to.
    private void collectAtRest() {
        appendToChain();
        collectAll();
    }

    /// Appends to the snapshot chain, where no transaction does: the low watermark rises along it.
    /// Outside of the schema latch.
    void refreshChain() {
        enterAndWork(this::appendToChain);
    }

    private void appendToChain() {
        SnapshotChain chain = refreshed;
        if (chain == null) {
            chain = new SnapshotChain(context.slot());
            refreshed = chain;
        }
        chain.refresh(newest);
        context.queuePair().await();
    }

    private long usedBytes() {
        long bytes = 0;
        for (int server = 0; server < memory.client.servers(); server++) {
            bytes += memory.client.usage(server).usedBytes();
        }
        return bytes;
    }

    /// Returns all that is not in use to the memory servers.
    public void releaseMemory() {
        memory.data.releaseUnused();
        memory.oldVersions.releaseUnused();
    }

    /// Background maintenance on the memory servers' records, by number, on this session's
    /// connection.
    List<VersionMaintenance> ofServers() {
        List<VersionMaintenance> maintenance = new ArrayList<>();
        for (int server = 0; server < memory.client.servers(); server++) {
            maintenance.add(ofServer(server));
        }
        return maintenance;
    }

    /// Background maintenance on one memory server's records, on this session's connection.
    public VersionMaintenance ofServer(int server) {
        return new VersionMaintenance(
                context.queuePair(),
                server,
                settings.catalog()::allRecords,
                watermark,
                collector,
                new VersionMover(context.queuePair(), memory.oldVersions, context.intents()),
                settings.host()::nanoTime,
                HELD_BACK_RESTS * settings.restNanos());
    }

    /// Decides whether a memory server's background maintenance is this compute server's.
    MaintenanceLead leadOf(int server) {
        return new MaintenanceLead(context.queuePair(), server, settings.process() + 1); // 0: none
    }

    /// Gives up the lead of a memory server's maintenance. Outside of the schema latch.
    public void leave(MaintenanceLead lead) {
        enterAndWork(lead::release);
    }

    /// Goes on with background maintenance, while the schema doesn't change, if it is this compute
    /// server's; if it is not, with what was found before. Outside of the schema latch.
    ///
    /// @throws FabricException if a memory server can't be reached. The session may still be usable
    void step(VersionMaintenance work, MaintenanceLead lead, int buckets) {
        enterAndWork(() -> {
            try {
                work.step(lead.take() ? buckets : 0);
                releaseSurplus();
            } finally {
                fatalFailure.note(work.fatalFailure());
            }
            if (isMemoryWanted) {
                isMemoryWanted = false;
                releaseMemory();
            }
        });
    }

    /// The number of the session's slot.
    public int slotNumber() {
        return context.slot().number();
    }

    /// Whether the session can't be used again.
    boolean isFailed() {
        return fatalFailure.isThere();
    }

    /// Whether memory server 0 answers to this session. Outside of the schema latch.
    boolean isConnected() {
        try {
            enterAndWork(() -> {
                long _ = watermark.post();
                context.queuePair().await();
            });
            return true;
        } catch (FabricException e) {
            return false;
        }
    }
}
