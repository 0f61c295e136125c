package org.namdb.compute.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterLibrary;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.Membership;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.cluster.membership.ZooKeeperMembership;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A compute server's membership of a cluster: its connections to the memory servers, and its
/// lease. The steps are taken, and undone, in this order, since a compute server that holds
/// something in memory and has no lease is declared dead, and since one whose lease ends is fenced:
/// ```
/// number     from memory server 0; no other one ever has it      nothing is held
/// lease      the node in ZooKeeper                               from here on it is watched
/// enrolment  its queue pairs can be fenced by its number
/// hold       lease of the schema, slots
/// ...
/// give up    slots, lease of the schema
/// close      its queue pairs: there is nothing left to fence
/// leave      the node goes
/// ```
/// Should it stop, or lose its lease, between any two of them:
/// ```
/// after number       nothing is there
/// after lease        the node goes; nothing is held
/// before hold        it sleeps, its node goes, and it wakes up and takes a slot: it is a holder
///                    without a node, and is fenced at the others' next check
/// fenced, enrols     the memory servers have the number, and refuse it from the start
/// ```
public final class ClusterMember {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

    /// For an answer of ZooKeeper; a close may have to wait as long.
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /// The pause between two checks for dead compute servers.
    private static final long REST_NANOS = 1_000_000_000;

    private final MemoryServers servers;
    private final ClusterWatch.@Nullable Context context;
    private final IntFunction<Member> itself;
    private final IntFunction<@Nullable PeerFabric> opensPeers;
    private @Nullable PeerFabric peers;
    private volatile @Nullable ClusterWatch watch;

    private ClusterMember(
            MemoryServers servers,
            ClusterWatch.@Nullable Context context,
            IntFunction<Member> itself,
            IntFunction<@Nullable PeerFabric> opensPeers) {
        this.servers = servers;
        this.context = context;
        this.itself = itself;
        this.opensPeers = opensPeers;
    }

    /// A member of a cluster whose memory servers have been found, with any kind of leases.
    ///
    /// @param servers their fabric is closed with the member
    /// @param membership not joined yet; closed with the member, after the fabric
    /// @param host runs the thread that detects dead compute servers
    /// @param restNanos the pause between two of its checks, if no lease has ended
    /// @param itself what others read about a compute server with this number
    /// @param opensPeers makes the way of a compute server with this number to the others; null if
    ///     it has none. Called before `itself`
    public static ClusterMember of(
            MemoryServers servers,
            Membership membership,
            Host host,
            long restNanos,
            IntFunction<Member> itself,
            IntFunction<@Nullable PeerFabric> opensPeers) {
        return new ClusterMember(
                servers,
                new ClusterWatch.Context(host, membership, restNanos, servers::areReplaced),
                itself,
                opensPeers);
    }

    /// Connects to all that the configuration names, and waits for what is not there yet.
    ///
    /// @param waiting is notified what it waits for, each time that this changes
    /// @throws org.namdb.fabric.FabricException if memory servers don't start in time
    /// @throws org.namdb.cluster.membership.MembershipException if no ZooKeeper does
    /// @throws IllegalStateException if the memory servers don't hold one database
    public static ClusterMember take(ClusterConfig config, Host host, Consumer<String> waiting) {
        if (!config.membership().zookeeper().isEmpty()) {
            ClusterLibrary.require(
                    "membership.zookeeper", "org.namdb.cluster.membership.ZooKeeperMembership");
        }
        MemoryServers servers =
                MemoryServers.await(
                        config, () -> ComputeTransport.connect(config), true, host, waiting);
        boolean isTaken = false;
        try {
            Membership membership = membership(config, host, waiting);
            isTaken = true;
            if (membership == null) {
                return new ClusterMember(
                        servers, null, process -> here(process, null), process -> null);
            }
            TcpPeerDirectory directory = new TcpPeerDirectory(config, membership);
            return new ClusterMember(
                    servers,
                    new ClusterWatch.Context(host, membership, REST_NANOS, servers::areReplaced),
                    process -> here(process, directory.address()),
                    directory::listen);
        } finally {
            if (!isTaken) {
                servers.fabric().close();
            }
        }
    }

    /// Waits for a ZooKeeper, and logs that now and then.
    private static @Nullable Membership membership(
            ClusterConfig config, Host host, Consumer<String> waiting) {
        ClusterConfig.Membership wanted = config.membership();
        if (wanted.zookeeper().isEmpty()) {
            LOG.warn("there is no membership.zookeeper: dead compute servers are not recovered");
            return null;
        }
        long start = host.nanoTime();
        while (true) {
            try {
                return new ZooKeeperMembership(
                        wanted.zookeeper(), config.name(), wanted.lease(), TIMEOUT);
            } catch (MembershipException e) {
                if (host.nanoTime() - start >= config.compute().attachWait().toNanos()) {
                    throw e;
                }
                LOG.warn("waiting for ZooKeeper: {}", e.getMessage());
                waiting.accept("ZooKeeper: " + e.getMessage());
            }
        }
    }

    public ComputeFabric fabric() {
        return servers.fabric();
    }

    /// Of all memory servers, by number.
    public List<Region> regions() {
        return servers.regions();
    }

    /// How many slots the database has.
    public int slots() {
        return servers.vector().maxSlots();
    }

    /// Takes a lease, if there are any, and listens for the other compute servers before.
    public void join(int process) {
        if (context != null) {
            peers = opensPeers.apply(process);
            context.membership().join(itself.apply(process));
        }
    }

    /// The way to the other compute servers, since the [join][#join]; null if there is none. It is
    /// closed with the member.
    public @Nullable PeerFabric peers() {
        return peers;
    }

    /// Listens for the other compute servers no more: this one was fenced, and its process may
    /// listen there as another one.
    public void closePeers() {
        PeerFabric joined = peers;
        if (joined != null) {
            joined.close();
        }
    }

    private static Member here(int process, @Nullable HostPort peers) {
        return new Member(process, ProcessHandle.current().pid(), hostName(), peers);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /// Has those found from now on that have died.
    ///
    /// @param process this compute server's number
    /// @param isKept whether memory servers keep the database on disks
    /// @param holders the numbers of all that hold something
    /// @param recoverProcesses fences some and recovers them; returns whether nothing is left
    /// @param fenced called once if the others have declared this compute server dead, or it has
    ///     [given up][#giveUp] its lease, or a memory server has died, and the database is
    ///     recovered from disks
    public void watch(
            int process,
            boolean isKept,
            Supplier<Holders> holders,
            Predicate<Set<Integer>> recoverProcesses,
            Runnable fenced) {
        if (context != null) {
            watch = new ClusterWatch(context, process, isKept, holders, recoverProcesses, fenced);
        }
    }

    /// Whether memory of a memory server is mapped in this process, which is ended when it is
    /// fenced.
    public boolean isMapped() {
        return regions().stream()
                .anyMatch(region -> ComputeTransport.isMapped(fabric(), region.server()));
    }

    /// The memory servers hold another database now, or none.
    public void loseMemory(String how) {
        ClusterWatch watching = watch;
        if (watching != null) {
            watching.loseMemory(how);
        }
    }

    /// Why this compute server can't go on: it has lost its lease, or was fenced, or a memory
    /// server is lost. The end of a sentence about it; null if it can.
    public @Nullable String loss() {
        ClusterWatch watching = watch;
        return watching == null ? null : watching.loss();
    }

    /// Gives up the lease, as this compute server can't go on: the others fence and recover it.
    ///
    /// @param why the end of a sentence about it
    public void giveUp(String why, FabricException failure) {
        ClusterWatch watching = watch;
        if (watching != null) {
            watching.giveUp(why, failure);
        }
    }

    /// Whether the loss is that of a memory server, and of the database with it.
    public boolean isMemoryLost() {
        ClusterWatch watching = watch;
        return watching != null && watching.isMemoryLost();
    }

    /// Whether the loss is that of a memory server, and the database is recovered from disks.
    public boolean isMemoryRecovered() {
        ClusterWatch watching = watch;
        return watching != null && watching.isMemoryRecovered();
    }

    /// Notes a failure of a verb: if it means that a memory server is lost, so is the database.
    public void noteFailure(FabricException failure) {
        ClusterWatch watching = watch;
        if (watching != null) {
            watching.noteFailure(failure);
        }
    }

    /// Checks whether the memory servers are there, after [#rest]. If one has died, that is the
    /// [loss][#loss].
    public void checkServers() {
        ClusterWatch watching = watch;
        if (watching != null && watching.loss() == null) {
            watching.checkServers();
        }
    }

    /// Stops checking for dead compute servers.
    public void rest() {
        ClusterWatch watching = watch;
        if (watching != null) {
            watching.close();
        }
    }

    /// Closes the way to the memory servers, and leaves the cluster after that.
    public void close(FirstFailure failures) {
        rest();
        failures.attempt(this::closePeers);
        failures.attempt(servers.fabric()::close);
        if (context != null) {
            failures.attempt(context.membership()::close);
        }
    }
}
