package org.namdb.cluster.membership;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.HostPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Leases as sessions of ZooKeeper: a member is an ephemeral node `/namdb/NAME/compute/PROCESS`,
/// which ZooKeeper removes when its session ends.
///
/// Only ZooKeeper decides that a lease has ended. While no server of it answers, no node vanishes,
/// so no compute server is declared dead, and all go on: an ensemble that is down for an hour costs
/// no transaction. But a client gives its session up by itself after a while, when the node may
/// still exist, or exist again when the ensemble is back. So a client whose session has ended opens
/// another one and checks:
/// ```
/// the node is gone       the lease has ended, permanently
/// the node is there      it is deleted and created again, by one multi: it is never missing, and
///                        the old session has nothing left that could end
/// ```
/// Should the old session end just before the multi, its delete fails, and the lease has ended.
public final class ZooKeeperMembership implements Membership {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperMembership.class);
    private static final long PAUSE_MILLIS = 50;

    private final String servers;
    private final String root;
    private final Duration timeout;
    private final int leaseMillis;
    private volatile Runnable changed = () -> {};

    /// Changed, and guarded, by this object's monitor.
    private ZooKeeper zooKeeper;

    private @Nullable Member member;
    private long heldBy;
    private volatile boolean isLost;
    private volatile boolean isClosed;

    /// Connects.
    ///
    /// @param name the cluster's
    /// @param lease how long a member may be silent; the ensemble may make it longer
    /// @param timeout the timeout for an answer
    /// @throws MembershipException if no server answers in time
    public ZooKeeperMembership(
            List<HostPort> ensemble, String name, Duration lease, Duration timeout) {
        this.servers = ensemble.stream().map(HostPort::toString).collect(Collectors.joining(","));
        this.root = root(name);
        this.timeout = timeout;
        this.leaseMillis = (int) lease.toMillis();
        this.zooKeeper = open();
        boolean isOpen = false;
        try {
            int granted = perform("request a lease", ZooKeeperMembership::granted);
            if (granted != leaseMillis) {
                LOG.warn(
                        "ZooKeeper at {} makes the lease {} ms, not {}: see its tickTime",
                        servers,
                        granted,
                        leaseMillis);
            }
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    /// Where a cluster's members are.
    static String root(String cluster) {
        return "/namdb/" + cluster + "/compute";
    }

    private static int granted(ZooKeeper session) throws KeeperException, InterruptedException {
        Stat _ = session.exists("/", false); // now it has been granted
        return session.getSessionTimeout();
    }

    private ZooKeeper open() {
        try {
            return new ZooKeeper(servers, leaseMillis, this::process);
        } catch (IOException | IllegalArgumentException e) {
            throw new MembershipException("can't connect to ZooKeeper at " + servers, e);
        }
    }

    /// Called by ZooKeeper's own thread, also when a connection comes or goes: others may have left
    /// meanwhile.
    private void process(WatchedEvent event) {
        changed.run();
    }

    /// The session that holds the lease, not ended as far as this client has seen.
    private synchronized ZooKeeper session() throws KeeperException, InterruptedException {
        if (!zooKeeper.getState().isAlive() && !isClosed) {
            zooKeeper.close();
            zooKeeper = open();
        }
        Member joined = member;
        if (joined != null && !isLost && zooKeeper.getSessionId() != heldBy) {
            renew(zooKeeper, joined);
        }
        return zooKeeper;
    }

    private void renew(ZooKeeper session, Member joined)
            throws KeeperException, InterruptedException {
        String path = path(joined);
        sync(session);
        Stat found = session.exists(path, false);
        try {
            if (found == null) {
                throw new KeeperException.NoNodeException(path);
            }
            if (found.getEphemeralOwner() != session.getSessionId()) {
                List<OpResult> _ =
                        session.multi(
                                List.of(
                                        Op.delete(path, found.getVersion()),
                                        Op.create(
                                                path,
                                                joined.bytes(),
                                                ZooDefs.Ids.OPEN_ACL_UNSAFE,
                                                CreateMode.EPHEMERAL)));
            }
            heldBy = session.getSessionId();
        } catch (KeeperException.NoNodeException e) {
            isLost = true;
        }
    }

    private String path(Member joined) {
        return root + "/" + joined.process();
    }

    @Override
    public void join(Member joining) {
        perform(
                "join",
                session -> {
                    makeRoot(session);
                    create(session, joining);
                    return true;
                });
    }

    private void makeRoot(ZooKeeper session) throws KeeperException, InterruptedException {
        for (int end = root.indexOf('/', 1); ; end = root.indexOf('/', end + 1)) {
            String path = end < 0 ? root : root.substring(0, end);
            try {
                session.create(
                        path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException.NodeExistsException e) {
                // another client has created it
            }
            if (end < 0) {
                return;
            }
        }
    }

    /// Again after a reply that was lost: the node may be this session's own.
    private synchronized void create(ZooKeeper session, Member joining)
            throws KeeperException, InterruptedException {
        String path = path(joining);
        try {
            session.create(
                    path, joining.bytes(), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        } catch (KeeperException.NodeExistsException e) {
            Stat found = session.exists(path, false);
            if (found == null || found.getEphemeralOwner() != session.getSessionId()) {
                throw new MembershipException(
                        path
                                + " is there already: end the compute servers from before the"
                                + " memory servers were restarted; if there are none, give the"
                                + " cluster another name",
                        e);
            }
        }
        member = joining;
        heldBy = session.getSessionId();
    }

    @Override
    public Set<Integer> members() {
        return perform(
                "list the members",
                session ->
                        children(session).stream()
                                .map(Integer::valueOf)
                                .collect(Collectors.toSet()));
    }

    @Override
    public List<Member> describe() {
        return perform(
                "describe the members",
                session -> {
                    List<Member> members = new ArrayList<>();
                    for (String child : children(session)) {
                        try {
                            byte[] data = session.getData(root + "/" + child, false, null);
                            members.add(Member.of(Integer.parseInt(child), data));
                        } catch (KeeperException.NoNodeException e) {
                            // it has left since
                        }
                    }
                    return members;
                });
    }

    /// A server of the ensemble that is behind the others might not have the node of a compute
    /// server whose hold on memory this one has seen, which would be declared dead. After a sync
    /// that was answered, it has all that was there before; a connection that moves to another
    /// server never goes back in time.
    private List<String> children(ZooKeeper session) throws KeeperException, InterruptedException {
        sync(session);
        try {
            return session.getChildren(root, true);
        } catch (KeeperException.NoNodeException e) {
            return List.of(); // none has ever joined
        }
    }

    private void sync(ZooKeeper session) throws KeeperException, InterruptedException {
        CompletableFuture<Integer> synced = new CompletableFuture<>();
        session.sync("/", (code, path, context) -> synced.complete(code), null);
        try {
            int code = synced.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (code != KeeperException.Code.OK.intValue()) {
                throw KeeperException.create(KeeperException.Code.get(code));
            }
        } catch (ExecutionException | TimeoutException e) {
            throw KeeperException.create(KeeperException.Code.OPERATIONTIMEOUT);
        }
    }

    private interface Operation<T> {
        T run(ZooKeeper session) throws KeeperException, InterruptedException;
    }

    /// Tries again while the connection moves from one server to another, or a session ends.
    private <T> T perform(String what, Operation<T> operation) {
        long start = System.nanoTime();
        while (true) {
            try {
                return operation.run(session());
            } catch (KeeperException.ConnectionLossException
                    | KeeperException.SessionExpiredException e) {
                if (isClosed || System.nanoTime() - start >= timeout.toNanos()) {
                    throw new MembershipException(
                            "can't %s: no ZooKeeper answers at %s within %d ms: is it running there?"
                                    .formatted(what, servers, timeout.toMillis()),
                            e);
                }
            } catch (KeeperException e) {
                throw new MembershipException(
                        "can't %s by ZooKeeper at %s: %s".formatted(what, servers, e.code()), e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private static MembershipException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new MembershipException("interrupted while waiting for ZooKeeper", e);
    }

    @Override
    public void watch(Runnable whenChanged) {
        changed = whenChanged;
    }

    @Override
    public boolean isLost() {
        return isLost;
    }

    @Override
    public void close() {
        changed = () -> {};
        isClosed = true;
        try {
            synchronized (this) {
                zooKeeper.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the session ends by itself
        }
    }
}
