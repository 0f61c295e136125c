package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.client.AdvisoryLockClient;
import org.namdb.memory.server.RegionLayout;

/// The words in the region by which compute servers agree on schema changes: the [SchemaEpoch], and
/// a *lease* of each compute server.
/// ```
/// lease   0         8
///        | holder  | epoch's count that it has passed |
/// ```
/// The holder is one more than a compute server's number, which no other one ever has. A lease is
/// claimed by a CAS of its holder from 0, and ended by one to 0: so of several that end the lease
/// of a dead compute server, a late one does not touch that of a new holder. The new holder finds
/// the count that the former one has passed. It is less than that of any schema change to come; and
/// one that runs already is found by the holder itself, which reads the epoch after its claim.
///
/// Used by one thread at a time.
public final class SchemaLeases {
    private static final int BYTES = 16;
    private static final int PASSED_OFFSET = 8;
    private static final int TABLE_BYTES = RegionLayout.LEASES * BYTES;

    /// Null where the queue pair is its caller's, which may connect again.
    private final @Nullable Supplier<QueuePair> connections;

    private QueuePair queuePair;
    private final long epochAddress;
    private final long table = RegionLayout.address(0, RegionLayout.LEASES_OFFSET);
    private final int computeServer;
    private long lease;

    /// Claims a lease.
    ///
    /// @param connections connects to the memory servers; again when the connection is lost or
    ///     unreliable
    /// @param epochAddress where the epoch is
    /// @param computeServer the compute server's number, which no other one ever had
    /// @throws IllegalStateException if there is none left
    public SchemaLeases(Supplier<QueuePair> connections, long epochAddress, int computeServer) {
        this.connections = connections;
        this.queuePair = connections.get();
        this.epochAddress = epochAddress;
        this.computeServer = computeServer;
        boolean isClaimed = false;
        try {
            this.lease = claim();
            isClaimed = true;
        } finally {
            if (!isClaimed) {
                abandon();
            }
        }
    }

    /// It is unknown whether a lease was claimed: schema changes would wait for its holder for
    /// ever.
    private void abandon() {
        FirstFailure failures = new FirstFailure();
        failures.attempt(this::release);
        failures.attempt(this::close);
    }

    /// Sees the words, and holds no lease.
    private SchemaLeases(QueuePair queuePair, long epochAddress) {
        this.connections = null;
        this.queuePair = queuePair;
        this.epochAddress = epochAddress;
        this.computeServer = -1;
        this.lease = RemoteAddress.NULL;
    }

    /// Ends the lease of a fenced compute server, as [#end(int)], by a queue pair of the caller's
    /// own: a thread that waits for a schema change must not keep it from being done.
    public static void end(QueuePair queuePair, long epochAddress, int computeServer) {
        new SchemaLeases(queuePair, epochAddress).end(computeServer);
    }

    /// The compute servers that have a lease, or whose schema change runs.
    public static Set<Integer> holders(QueuePair queuePair, long epochAddress) {
        SchemaLeases seen = new SchemaLeases(queuePair, epochAddress);
        Set<Integer> holders = new HashSet<>();
        try (ViewScope _ = queuePair.openViews()) {
            long leases = seen.readTable();
            for (long at = leases; at < leases + TABLE_BYTES; at += BYTES) {
                long found = LocalMemory.longAcquire(at);
                if (found != 0) {
                    holders.add((int) found - 1);
                }
            }
        }
        // The lease is ended first, and the schema change after it.
        long epoch = seen.epoch();
        if (SchemaEpoch.isChanging(epoch)) {
            holders.add(SchemaEpoch.coordinator(epoch));
        }
        return holders;
    }

    /// Verbs posted by a queue pair that is disconnected take no effect any more, so that the words
    /// hold where to go on.
    private QueuePair connected() {
        QueuePair before = queuePair;
        if (connections != null && (before.isInDoubt() || before.isLost())) {
            before.disconnect();
            queuePair = connections.get();
            before.close();
        }
        return queuePair;
    }

    /// Disconnects, and keeps the lease.
    public void close() {
        queuePair.close();
    }

    private long claim() {
        try (ViewScope _ = queuePair.openViews()) {
            long leases = readTable();
            for (int i = 0; i < RegionLayout.LEASES; i++) {
                long address = table + (long) i * BYTES;
                if (LocalMemory.longAcquire(leases + (long) i * BYTES) == 0
                        && cas(address, 0, holder(computeServer))) {
                    return address;
                }
            }
        }
        throw new IllegalStateException(
                "there are "
                        + RegionLayout.LEASES
                        + " compute servers already: no more may attach");
    }

    /// The lease's holder.
    int computeServer() {
        return computeServer;
    }

    private static long holder(int computeServer) {
        return computeServer + 1L; // 0 is no compute server
    }

    /// The epoch, as it is now.
    long epoch() {
        return connected().readWord(epochAddress);
    }

    /// Raises the epoch.
    ///
    /// @return whether it was `expected`
    boolean raise(long expected, long next) {
        return cas(epochAddress, expected, next);
    }

    /// Records that this compute server uses nothing of what was there before the epoch, and
    /// nothing else until that has ended.
    void pass(long count) {
        QueuePair connected = connected();
        connected.writeWord(lease + PASSED_OFFSET, count);
        connected.await();
    }

    /// The other compute servers that have not passed an epoch.
    List<Integer> behind(long count) {
        List<Integer> behind = new ArrayList<>();
        try (ViewScope _ = connected().openViews()) {
            long leases = readTable();
            for (long at = leases; at < leases + TABLE_BYTES; at += BYTES) {
                long found = LocalMemory.longAcquire(at);
                if (found != 0
                        && found != holder(computeServer)
                        && LocalMemory.longAcquire(at + PASSED_OFFSET) < count) {
                    behind.add((int) found - 1);
                }
            }
        }
        return behind;
    }

    /// Whether a compute server has a lease.
    boolean isHeldBy(int computeServer) {
        return find(computeServer) != RemoteAddress.NULL;
    }

    /// Gives the lease up: this compute server does nothing more.
    public void release() {
        end(computeServer);
    }

    /// Ends the lease of a compute server that is fenced, and can't change anything any more.
    /// Idempotent. A schema change that it was just making ends where it stood. Its advisory locks
    /// are released before: who has a lease is found, and ended again, if this process dies.
    public void end(int computeServer) {
        new AdvisoryLockClient(connected()).endServer(computeServer);
        long found = find(computeServer);
        if (found != RemoteAddress.NULL) {
            boolean _ = cas(found, holder(computeServer), 0);
        }
        long epoch = epoch();
        if (SchemaEpoch.isChanging(epoch) && SchemaEpoch.coordinator(epoch) == computeServer) {
            boolean _ = raise(epoch, SchemaEpoch.opened(epoch));
        }
    }

    private long find(int computeServer) {
        long found = RemoteAddress.NULL;
        try (ViewScope _ = connected().openViews()) {
            long leases = readTable();
            for (int i = 0; i < RegionLayout.LEASES; i++) {
                if (LocalMemory.longAcquire(leases + (long) i * BYTES) == holder(computeServer)) {
                    found = table + (long) i * BYTES;
                }
            }
        }
        return found;
    }

    private long readTable() {
        long view = queuePair.read(table, TABLE_BYTES);
        queuePair.await();
        return view;
    }

    private boolean cas(long address, long expected, long desired) {
        return connected().casWord(address, expected, desired) == expected;
    }
}
