package org.namdb.memory.server;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.gc.VersionMover;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.HomeBuckets;
import org.namdb.mvcc.hash.RecordWalk;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.LowWatermark;
import org.namdb.timestamp.snapshot.Snapshot;

/// The background maintenance of a memory server's records, in small steps that a compute server
/// drives. A round visits all buckets:
/// - *sweep*: old versions, dead records and index entries that no snapshot needs and that the
///   session which left them has not collected (it ended, or its queue was full) go to a collector;
/// - *move*: while a long transaction holds the low watermark back, old versions are moved from the
///   buffers to the overflow region ahead of the writers, which would otherwise have to do it; what
///   no snapshot needs there any more is cut off.
///
/// After a round that found nothing, and in which the snapshot chain did not grow, it is *calm*: it
/// goes on at a fraction of its pace until the chain grows. So an idle database costs next to
/// nothing over a network.
///
/// It changes words only by verbs, as all sessions do. Source: NAM-DB, sections 5.1 (version mover)
/// and 5.3 (garbage collection).
public final class VersionMaintenance {
    private static final long NOT_YET = -1;

    /// What a commit has left that no snapshot has seen yet is found in the end.
    private static final int CALM_STEPS = 64;

    private final int server;
    private final Supplier<List<HashTable>> tables;
    private final LowWatermark watermark;
    private final GarbageCollector collector;
    private final Garbage garbage;
    private final VersionMover mover;
    private final HomeBuckets homes;
    private final RecordWalk walk;
    private final QueuePair queuePair;
    private final LongSupplier nanoTime;
    private final long heldBackNanos;
    private final RecordWalk.Visitor visitor = this::visit;

    private int table;
    private long passes;

    /// The low watermark in the last step, and when it was first found to be that.
    private long lastLow;

    private long raisedNanos;

    /// The round in which the low watermark was first found to be held back, since it rose last; or
    /// not yet.
    private long heldBackSince = NOT_YET;

    /// Whether the last step has met something that the low watermark does not see.
    private boolean hasMetUnseen;

    /// The low watermark when the round began; not yet, if the round has found something.
    private long quietSince = NOT_YET;

    /// The low watermark of the last round, if that has found nothing and the low watermark was the
    /// newest snapshot all the time; else not yet.
    private long calmSince = NOT_YET;

    private int calmSteps;

    /// How many records had old versions, in this round so far and as was written last.
    private long versioned;

    private long versionedTold = NOT_YET;

    /// @param server whose records
    /// @param tables all tables
    /// @param collector for what the sweep finds
    /// @param heldBackNanos how long the low watermark must have stood still for versions to
    ///     be moved
    public VersionMaintenance(
            QueuePair queuePair,
            int server,
            Supplier<List<HashTable>> tables,
            LowWatermark watermark,
            GarbageCollector collector,
            VersionMover mover,
            LongSupplier nanoTime,
            long heldBackNanos) {
        this.queuePair = queuePair;
        this.server = server;
        this.tables = tables;
        this.watermark = watermark;
        this.collector = collector;
        this.garbage = collector.garbage();
        this.mover = mover;
        this.homes = new HomeBuckets(queuePair);
        this.walk = new RecordWalk(queuePair);
        this.nanoTime = nanoTime;
        this.heldBackNanos = heldBackNanos;
        this.lastLow = watermark.snapshot().sequence();
        this.raisedNanos = nanoTime.getAsLong();
    }

    /// How many times all buckets were visited.
    public long passes() {
        return passes;
    }

    /// How many old versions were moved to the overflow region.
    public long moved() {
        return mover.moved();
    }

    /// The failure after which a record may have stayed locked, which only recovery can unlock.
    /// Null if there was none.
    public @Nullable Throwable fatalFailure() {
        return mover.fatalFailure();
    }

    /// Whether something waits that the low watermark will not see unless the snapshot chain grows:
    /// where no transaction begins any more, the caller must append to it.
    public boolean needsNewerSnapshot() {
        return hasMetUnseen && watermark.isNewest() && !PlantedFault.CHAIN_AT_REST.isPlanted();
    }

    /// Visits the next `buckets` buckets.
    public void step(int buckets) {
        hasMetUnseen = false;
        boolean _ = watermark.observe();
        long low = watermark.snapshot().sequence();
        if (low != lastLow) { // whichever thread has seen it rise: all share the cached value
            lastLow = low;
            raisedNanos = nanoTime.getAsLong();
            heldBackSince = NOT_YET;
        }
        if (buckets == 0) {
            versionedTold = NOT_YET; // another compute server reports it now
        } else if (!isResting()) {
            visit(PlantedFault.SWEEP_OMITTED.isPlanted() ? 0 : buckets);
        }
        collector.keepUp(watermark.snapshot());
        queuePair.await();
    }

    private boolean isResting() {
        boolean isCalm = watermark.isNewest() && calmSince == watermark.snapshot().sequence();
        calmSteps = isCalm ? (calmSteps + 1) % CALM_STEPS : 0;
        return calmSteps != 0;
    }

    private void visit(int buckets) {
        List<HashTable> all = tables.get();
        if (all.isEmpty()) {
            tellVersioned();
        }
        for (int left = buckets; left > 0 && !all.isEmpty(); left--) {
            if (table >= all.size()) {
                table = 0;
                passes++;
                nextRound();
            }
            HashTable current = all.get(table);
            if (!homes.isIn(current)) {
                homes.startOn(current, server);
            }
            if (homes.next()) {
                walk.visit(current, homes.address(), visitor);
            } else {
                table++;
                homes.startOn(current, server);
            }
        }
    }

    private void nextRound() {
        long now = watermark.snapshot().sequence();
        calmSince = quietSince == now && watermark.isNewest() ? now : NOT_YET;
        quietSince = now;
        tellVersioned();
    }

    private void tellVersioned() {
        if (versioned != versionedTold) {
            queuePair.writeWord(
                    RegionLayout.address(server, RegionLayout.VERSIONED_OFFSET), versioned);
            versionedTold = versioned;
        }
        versioned = 0;
    }

    private void visit(
            HashTable of, long header, long headerAddress, long bodyAddress, long versions) {
        Snapshot low = watermark.snapshot();
        if (RecordHeader.isDeleted(header) || !RemoteAddress.isNull(versions)) {
            quietSince = NOT_YET;
            versioned++;
        }
        if (low.sees(header)) {
            if (RecordHeader.isDeleted(header)) {
                garbage.foundDeadRecord(of, header, headerAddress, bodyAddress);
            } else if (!RemoteAddress.isNull(versions)) {
                garbage.foundVersions(of, header, headerAddress, bodyAddress);
            }
            return;
        }
        hasMetUnseen |= RecordHeader.isDeleted(header) || !RemoteAddress.isNull(versions);
        if (!RemoteAddress.isNull(versions) && nanoTime.getAsLong() - raisedNanos > heldBackNanos) {
            if (heldBackSince == NOT_YET) {
                heldBackSince = passes;
            }
            // After a whole round with the same low watermark nothing is left to be cut, and one
            // more would hold up the writers of records that have many versions.
            boolean cuts = passes <= heldBackSince + 1;
            try {
                mover.move(of, header, headerAddress, bodyAddress, low, cuts);
            } catch (MemoryFullException e) {
                // Then writers keep their versions where they are, or fail; and the next round
                // tries again.
                raisedNanos = nanoTime.getAsLong();
            }
        }
    }
}
