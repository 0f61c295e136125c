package org.namdb.compute;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.CommitGuards;
import org.namdb.compute.commit.CommitJournal;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.commit.ReplicatedCommits;
import org.namdb.compute.journal.Cuts;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.maintenance.CommitFinish;
import org.namdb.compute.maintenance.DeadSessions;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.ring.SpillState;

/// Where the images of a compute server's commits go: to the rings of memory servers, and from
/// there to their disks, if they have data directories; or nowhere.
final class ImageDestinations {
    /// How long a commit waits at most for a cut where its session does not.
    private static final Duration CUT_INTERVAL = Duration.ofMillis(10);

    private static final long SPILL_NANOS = 200_000;
    private static final long CHECK_NANOS = 1_000_000_000;

    private final ComputeServer server;
    private final @Nullable ImageRings rings;
    private final boolean isRecovering;
    private final JournalClient.@Nullable Contents kept;
    private final @Nullable Cuts cuts;
    private final @Nullable CutTaker cutTaker;
    private @Nullable ClusterCheckpointer checkpointer;
    private volatile long serversChecked;

    /// Reads it from the memory servers.
    ///
    /// @param server has its options, vector and resources already
    ImageDestinations(ComputeServer server, QueuePair queuePair) {
        this.server = server;
        int servers = server.resources().regions().size();
        int ringBytes = DatabaseLayout.imageRingBytes(queuePair);
        rings =
                ringBytes == 0
                        ? null
                        : DatabaseLayout.imageRings(servers, server.vector(), ringBytes);
        if (rings != null && server.options().oracle() == EmbeddedOptions.Oracle.DIRECT) {
            throw new IllegalStateException(
                    "the cluster has replicated commits, which need snapshots that can be ordered:"
                            + " not --oracle direct");
        }
        long durability = rings == null ? 0 : DatabaseLayout.kept(queuePair);
        isRecovering = durability != 0 && DatabaseLayout.isRecovering(queuePair);
        kept = DatabaseResources.kept(queuePair);
        cuts = durability == 0 ? null : cuts(durability == RegionLayout.KEPT_SYNC);
        cutTaker =
                rings == null || durability == 0
                        ? null
                        : new CutTaker(server, rings, Objects.requireNonNull(kept).begun());
    }

    private Cuts cuts(boolean isSync) {
        return new Cuts(
                server.options().host(),
                isSync ? Durability.SYNC : Durability.ASYNC,
                CUT_INTERVAL,
                () -> !server.schemaLatch().isHeldBy(Thread.currentThread()),
                server::checkNotFenced);
    }

    /// Commits are made durable from now on, unless a recovery does that itself.
    void start() {
        if (cuts != null && cutTaker != null && !isRecovering) {
            cuts.start(cutTaker::take);
            checkpointer = new ClusterCheckpointer(server, Objects.requireNonNull(rings));
        }
    }

    /// What the first memory server's journal was when this was read; null if it has none.
    JournalClient.@Nullable Contents kept() {
        return kept;
    }

    /// Whether the cluster is being recovered, by this compute server alone.
    boolean isRecovering() {
        return isRecovering;
    }

    /// What makes commits to its memory durable; null if memory servers keep no commits.
    @Nullable Cuts cuts() {
        return cuts;
    }

    /// Has all that is published be on the memory servers' disks, during a recovery.
    void cut() {
        Objects.requireNonNull(cutTaker).take();
    }

    /// A session's journal.
    ///
    /// @param journal the one that it has where memory servers keep no images
    CommitJournal journal(CommitContext context, CommitJournal journal) {
        if (rings == null) {
            return journal;
        }
        LatchOwner.Cancellation cancellation = context.owner()::checkCancelled;
        return new ReplicatedCommits(
                context.queuePair(),
                rings,
                context.slot(),
                server.owners().next(),
                cuts == null ? null : state -> awaitSpill(state, cancellation),
                journal);
    }

    /// The rings have no space for a commit.
    private void awaitSpill(SpillState state, LatchOwner.Cancellation cancellation) {
        if (state == SpillState.FULL) {
            throw new JournalFullException("the disk of a memory server is full", null);
        }
        if (state == SpillState.FAILED) {
            throw CutTaker.failed("a memory server");
        }
        server.checkHeld();
        cancellation.check();
        long now = server.options().host().nanoTime();
        if (now - serversChecked > CHECK_NANOS) {
            serversChecked = now;
            server.resources().checkServers(server.vector());
        }
        server.options().host().sleep(SPILL_NANOS);
    }

    /// Finishes dead sessions' commits; null where they leave no images.
    @Nullable CommitFinish commitFinish(QueuePair queuePair, CommitGuards guards) {
        return rings == null
                ? null
                : new CommitFinish(
                        queuePair,
                        rings,
                        server.intentLayout(),
                        server.catalog(),
                        server.options().host(),
                        guards,
                        server.owners()::next,
                        DeadSessions.TIMEOUT_NANOS);
    }

    /// No commit needs another cut.
    void close(FirstFailure failures) {
        if (checkpointer != null) {
            failures.attempt(checkpointer::close);
        }
        if (cuts != null && cutTaker != null) {
            failures.attempt(cuts::close);
            failures.attempt(cutTaker::close);
        }
    }
}
