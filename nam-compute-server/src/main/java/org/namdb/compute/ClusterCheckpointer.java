package org.namdb.compute;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.CheckpointWriter;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.disk.Disk;
import org.namdb.mvcc.ring.ImageRings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes a checkpoint of a cluster when memory server 0 requests one, as its journal is long. Each
/// compute server sends it requests; one at a time gets a number, and writes.
/// ```
/// first     S, a snapshot
/// needed    each memory server: the first segment of its journal with an image that S does not
///           show
/// parts     of all tables, each by a later snapshot, with that: to a file on server 0, and to
///           another one on server 1
/// cut       K, with the schema: on all disks; its snapshot is later than those of all parts
/// end       the checkpoint counts, on both; the segments before the needed ones are removed
/// ```
/// A recovery reads the rows, and of the journals what the snapshots of their parts don't show. It
/// ends at K or a later cut, which shows all that any part has. The schema of K is with it; a cut
/// that comes later has its schema, too, if that may lie in what was removed: `CutTaker` has read
/// which checkpoint was begun in the transaction of its snapshot.
/// ```
/// other compute server: chooses S_J, has read that checkpoint 4 was the last one
///                                                     checkpoint 5 is begun
///                                                     takes K >= J, removes segments
///                       J is appended without its schema: K counts, not J
/// ```
final class ClusterCheckpointer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterCheckpointer.class);
    private static final int COPIES = 2;
    private static final long SAMPLE_NANOS = 500_000_000;
    private static final long RETRY_NANOS = 5_000_000_000L;
    private static final long FORCE_NANOS = 5_000_000;

    private final ComputeServer server;
    private final ImageRings rings;
    private final JournalClient.Contents kept;
    private final Host host;
    private final Thread thread;
    private @Nullable QueuePair queuePair;
    private volatile boolean closing;

    ClusterCheckpointer(ComputeServer server, ImageRings rings) {
        this.server = server;
        this.rings = rings;
        this.host = server.options().host();
        this.kept = Objects.requireNonNull(server.replication().kept());
        this.thread = host.start("namdb-checkpoint", this::work);
    }

    /// That a memory server was started again is no defect.
    private static void report(Throwable failure) {
        if (failure instanceof FabricException) {
            LOG.warn("a checkpoint could not be written: {}", failure.getMessage());
        } else {
            MaintenanceThread.report(failure);
        }
    }

    private boolean isClosing() {
        return closing || server.loss() != null;
    }

    private void work() {
        while (!isClosing()) {
            rest(SAMPLE_NANOS);
            if (isClosing()) {
                break;
            }
            try {
                QueuePair connected = queuePair;
                connected = connected == null ? server.connect() : connected;
                queuePair = connected;
                JournalClient first = journal(connected, 0);
                long number = first.beginCheckpoint();
                if (number != 0) {
                    write(number, connected, first);
                }
            } catch (Throwable e) {
                disconnect();
                if (!isClosing()) {
                    report(e);
                    rest(RETRY_NANOS);
                }
            }
        }
        disconnect();
    }

    private void rest(long nanos) {
        long start = host.nanoTime();
        for (long left = nanos; left > 0 && !isClosing(); ) {
            host.sleep(Math.min(left, SAMPLE_NANOS));
            left = nanos - (host.nanoTime() - start);
        }
    }

    private void awaitForce() {
        if (isClosing()) {
            throw new CancellationException("the compute server ends");
        }
        host.sleep(FORCE_NANOS);
    }

    private void disconnect() {
        QueuePair connected = queuePair;
        queuePair = null;
        if (connected != null) {
            new FirstFailure().attempt(connected::close);
        }
    }

    private JournalClient journal(QueuePair connected, int number) {
        return new JournalClient(connected, number, kept.begun());
    }

    private void write(long number, QueuePair connected, JournalClient first) {
        int generation = kept.begun();
        long database = Objects.requireNonNull(kept.database());
        int copies = Math.min(COPIES, server.options().memoryServers());
        JournalClient second = null;
        if (copies > 1) {
            second = journal(connected, 1);
            second.beginSecond(number);
        }
        Disk files = first.checkpoint(number, second, this::awaitForce);
        try (Session reader = server.sessions().openReserved();
                CutTaker cuts = new CutTaker(server, rings, kept.begun());
                CheckpointWriter writer = new CheckpointWriter(files, database, generation)) {
            reader.setDurability(Durability.NONE);
            CheckpointScan scan = new CheckpointScan(server, reader);
            long[] shown = scan.begin().snapshot().toArray();
            reader.rollback();
            int[] needed = new int[server.options().memoryServers()];
            for (int each = 0; each < needed.length; each++) {
                needed[each] = journal(connected, each).neededFrom(shown);
            }
            writer.needed(needed);
            if (!scan.writeAll(writer, this::isClosing, () -> {})) {
                return;
            }
            cuts.take();
            writer.complete();
            for (int each = 0; each < needed.length; each++) {
                long own = each < copies ? number : 0;
                journal(connected, each).dropBefore(own, needed[each]);
            }
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        MaintenanceThread.joinUninterruptibly(thread);
    }
}
