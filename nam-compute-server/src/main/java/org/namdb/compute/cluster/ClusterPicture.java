package org.namdb.compute.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.Membership;
import org.namdb.cluster.membership.ZooKeeperMembership;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ServerUsage;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.TimestampVectorState;

/// What can be observed of a cluster from outside, without a slot or a lease. Used by one thread at
/// a time.
public final class ClusterPicture implements AutoCloseable {
    /// How long it samples, in milliseconds.
    public static final long SAMPLE_MILLIS = 1_000;

    private static final long SAMPLE_NANOS = SAMPLE_MILLIS * 1_000_000;
    private static final long STEP_NANOS = 20_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /// A memory server.
    ///
    /// @param verbsPerSecond empty if unknown, as where the network card executes them
    /// @param versioned how many of its records had old versions, or were deleted and still there,
    ///     at the last round of maintenance
    public record Server(
            int number, ServerUsage usage, OptionalLong verbsPerSecond, long versioned) {}

    private final MemoryServers memory;
    private final QueuePair queuePair;
    private final TimestampVectorLayout vector;
    private final @Nullable Membership membership;
    private final List<Server> servers = new ArrayList<>();
    private TimestampVectorState state = new TimestampVectorState(0, 0, 0, 0);
    private long newPerSecond;
    private long ageNanos;

    private ClusterPicture(
            MemoryServers memory, QueuePair queuePair, @Nullable Membership membership) {
        this.memory = memory;
        this.queuePair = queuePair;
        this.vector = memory.vector();
        this.membership = membership;
    }

    /// Connects to the membership, if the cluster has one.
    ///
    /// @param memory closed with the picture
    /// @throws org.namdb.cluster.membership.MembershipException if no ZooKeeper answers
    public static ClusterPicture of(MemoryServers memory, ClusterConfig config) {
        Membership membership = null;
        boolean isOpen = false;
        try {
            membership = membership(config);
            QueuePair queuePair = memory.fabric().connect(memory.regions());
            isOpen = true;
            return new ClusterPicture(memory, queuePair, membership);
        } finally {
            if (!isOpen) {
                memory.fabric().close();
                if (membership != null) {
                    membership.close();
                }
            }
        }
    }

    private static @Nullable Membership membership(ClusterConfig config) {
        ClusterConfig.Membership wanted = config.membership();
        return wanted.zookeeper().isEmpty()
                ? null
                : new ZooKeeperMembership(
                        wanted.zookeeper(), config.name(), wanted.lease(), TIMEOUT);
    }

    /// The compute servers of a cluster whose memory servers may be away; none where there is no
    /// ZooKeeper.
    ///
    /// @throws org.namdb.cluster.membership.MembershipException if no ZooKeeper answers
    public static List<Member> members(ClusterConfig config) {
        try (Membership membership = membership(config)) {
            return membership == null ? List.of() : membership.describe();
        }
    }

    /// Samples for a second.
    public void sample(Host host) {
        int count = memory.regions().size();
        OptionalLong[] before = new OptionalLong[count];
        for (int server = 0; server < count; server++) {
            before[server] = ComputeTransport.verbs(memory.fabric(), server);
        }
        long first = sequence();
        long start = host.nanoTime();
        SnapshotAge age = new SnapshotAge();
        while (host.nanoTime() - start < SAMPLE_NANOS) {
            age.saw(sequence(), host.nanoTime());
            host.sleep(Math.min(STEP_NANOS, SAMPLE_NANOS - (host.nanoTime() - start)));
        }
        state = TimestampVectorState.read(vector, queuePair);
        ageNanos = age.of(state.watermark(), state.newest(), host.nanoTime());
        double seconds = (host.nanoTime() - start) / 1e9;
        newPerSecond = Math.round((state.newest() - first) / seconds);
        MemoryClient client = new MemoryClient(queuePair, count);
        servers.clear();
        for (int server = 0; server < count; server++) {
            OptionalLong after = ComputeTransport.verbs(memory.fabric(), server);
            OptionalLong rate =
                    after.isEmpty() || before[server].isEmpty()
                            ? OptionalLong.empty()
                            : OptionalLong.of(
                                    Math.round(
                                            (after.getAsLong() - before[server].getAsLong())
                                                    / seconds));
            long versioned =
                    queuePair.readWord(RegionLayout.address(server, RegionLayout.VERSIONED_OFFSET));
            servers.add(new Server(server, client.usage(server), rate, versioned));
        }
    }

    private long sequence() {
        return ChainHead.sequence(queuePair.readWord(vector.chain()));
    }

    public List<Server> servers() {
        return List.copyOf(servers);
    }

    /// The connection to the memory servers.
    public QueuePair connection() {
        return queuePair;
    }

    /// The compute servers; none where there is no ZooKeeper.
    public List<Member> members() {
        return membership == null ? List.of() : membership.describe();
    }

    /// On how many memory servers the slots' timestamps are.
    public int vectorServers() {
        return vector.servers();
    }

    /// The slots and the snapshot chain at the end of the samples.
    public TimestampVectorState state() {
        return state;
    }

    public long newPerSecond() {
        return newPerSecond;
    }

    /// How long there have been members after the watermark, at least: 0 if it is the newest, and
    /// no more than the time since the first sample.
    public long watermarkAgeNanos() {
        return ageNanos;
    }

    @Override
    public void close() {
        queuePair.close();
        memory.fabric().close();
        if (membership != null) {
            membership.close();
        }
    }
}
