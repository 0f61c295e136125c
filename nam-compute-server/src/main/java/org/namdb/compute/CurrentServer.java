package org.namdb.compute;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.slf4j.Logger;

/// The compute server of this process: another one each time that the process has joined its
/// cluster again, after it was fenced or the memory was lost. Safe for use by many threads.
final class CurrentServer {
    /// How often a call that waits for a join checks whether it has ended.
    private static final long CHECK_NANOS = 10_000_000;

    /// How long the next attempt to join waits after one that has failed.
    private static final long RETRY_NANOS = 1_000_000_000;

    private final Logger log;
    private final Host host;
    private volatile ComputeServer server;

    /// Takes its place in a cluster once more; null where it does not join again.
    private @Nullable Function<Consumer<String>, ClusterMember> members;

    /// Whether a fence ends this process.
    private boolean isMapped;

    private long joinWaitNanos;

    /// What an attempt to join again waits for, or has failed by; empty if there is none.
    private volatile String obstacle = "";

    /// Held by the thread that replaces the compute server by another, and by the one that closes.
    private final ReentrantLock joining = new ReentrantLock();

    /// Those that were fenced, and whose sessions their users have not closed.
    private final Set<ComputeServer> retired = ConcurrentHashMap.newKeySet();

    private @Nullable Checkpointer checkpointer;
    private volatile boolean isClosed;

    /// @param first the one that it begins with
    CurrentServer(ComputeServer first) {
        this.server = first;
        this.host = first.options().host();
        this.log = host.logger(NamDb.class);
    }

    /// The current one, whether or not it can go on.
    ComputeServer server() {
        return server;
    }

    /// Monitors the other compute servers from now on, and joins again after a fence.
    ///
    /// @param members joins again, and reports what it waits for; null if it does not join again
    /// @param isMapped whether a fence ends this process
    /// @param joinWait how long a call waits for a join
    void watch(
            @Nullable Function<Consumer<String>, ClusterMember> members,
            boolean isMapped,
            Duration joinWait) {
        this.members = members;
        this.isMapped = isMapped;
        this.joinWaitNanos = joinWait.toNanos();
        server.watch(this::startJoin);
    }

    /// Whether its memory is freed.
    boolean isClosed() {
        return isClosed;
    }

    /// Whether this process joins again, if it has lost its compute server.
    boolean joinsAgain() {
        DatabaseResources now = server.resources();
        return members != null
                && !isClosed
                && !now.isMemoryLost()
                && (!isMapped || now.loss() == null || now.isMemoryRecovered());
    }

    private void startJoin() {
        if (joinsAgain()) {
            Thread _ = host.start("namdb-join", this::joinAgain);
        }
    }

    /// What has kept it from renewing its lease may last: it tries until the cluster answers.
    private void joinAgain() {
        Function<Consumer<String>, ClusterMember> take = members;
        ComputeServer before;
        joining.lock();
        try {
            before = server;
            if (isClosed || take == null) {
                return;
            }
            log.warn("compute server {} {}: it joins again", before.process(), before.loss());
            retired.add(before);
            FirstFailure ignored = new FirstFailure(); // it is fenced: nothing is released
            before.retire(ignored, () -> leave(before));
        } finally {
            joining.unlock();
        }
        String since = "since " + host.instant().truncatedTo(ChronoUnit.SECONDS) + " it waits for ";
        Supplier<ClusterMember> joined = () -> take.apply(why -> obstacle = since + why);
        while (joinsAgain() && !hasJoined(before, joined)) {
            host.sleep(RETRY_NANOS);
        }
    }

    /// @return whether there is nothing more to do
    private boolean hasJoined(ComputeServer before, Supplier<ClusterMember> take) {
        try {
            ClusterMember member = member(before, take);
            if (member != null) {
                DatabaseResources found = DatabaseResources.of(member);
                EmbeddedOptions options =
                        before.options().withLearnt(member.regions(), member.slots());
                take(found.join(() -> options, before)); // closes it if that fails
            }
            return true;
        } catch (RuntimeException | OutOfMemoryError | LinkageError e) { // the next may succeed
            obstacle = String.valueOf(e.getMessage());
            log.warn("can't join again yet: {}", obstacle);
            return false;
        }
    }

    /// @return null if the database is lost
    private @Nullable ClusterMember member(ComputeServer before, Supplier<ClusterMember> take) {
        ClusterMember member;
        try {
            member = take.get();
        } catch (IllegalStateException e) { // memory servers that don't hold one database
            before.resources().loseMemory(String.valueOf(e.getMessage()));
            return null;
        }
        if (before.resources().isSameDatabase(member, before.replication().kept())) {
            return member;
        }
        before.resources().loseMemory("it is another database");
        member.close(new FirstFailure());
        return null;
    }

    private void take(ComputeServer next) {
        joining.lock();
        try {
            boolean isTaken = false;
            try {
                if (!isClosed) {
                    next.watch(this::startJoin);
                    server = next;
                    obstacle = "";
                    isTaken = true;
                    log.warn("it has joined again, as compute server {}", next.process());
                }
            } finally {
                if (!isTaken) {
                    next.close(new FirstFailure());
                }
            }
        } finally {
            joining.unlock();
        }
    }

    /// The last session of one that was fenced is closed: its way to the memory servers is closed.
    private void leave(ComputeServer fenced) {
        if (retired.remove(fenced)) {
            FirstFailure ignored = new FirstFailure();
            boolean _ = fenced.end(ignored, false);
            fenced.resources().close(ignored);
        }
    }

    /// The current compute server. Waits while this process joins its cluster again, except for a
    /// schema change, whose end the next compute server waits for.
    ///
    /// @throws LeaseLostException if there is none
    ComputeServer held() {
        ComputeServer now = server;
        if (now.loss() != null) {
            long start = host.nanoTime();
            while (isAwaitingJoin(now) && host.nanoTime() - start < joinWaitNanos) {
                host.sleep(CHECK_NANOS);
                now = server;
            }
            if (isAwaitingJoin(now)) {
                throw new LeaseLostException(String.valueOf(now.loss()), obstacle);
            }
        }
        now.checkHeld();
        return now;
    }

    private boolean isAwaitingJoin(ComputeServer now) {
        return now.loss() != null
                && joinsAgain()
                && !now.schemaLatch().isHeldBy(Thread.currentThread());
    }

    /// The database's own checkpoints. They are for each of its compute servers.
    void keep(Checkpointer started) {
        checkpointer = started;
    }

    /// @throws IllegalStateException if it has no data directory
    Checkpointer checkpointer() {
        Checkpointer known = checkpointer;
        if (known == null) {
            throw new IllegalStateException(
                    "this database has no data directory: there is nothing to back up");
        }
        return known;
    }

    /// Ends the last compute server and frees its memory; a failure does not keep the others from
    /// being closed.
    ///
    /// @param procedures run in its sessions
    void close(ProcedureThreads procedures) {
        FirstFailure failures = new FirstFailure();
        ComputeServer last = stop();
        boolean isMemoryLeft = last.isAttached() && last.loss() == null;
        last.turn().close();
        // Last: a session that closes may wait for a dead process's latch until that is recovered.
        failures.attempt(last.maintenanceThread()::close);
        failures.attempt(last.resources()::rest);
        Checkpointer writing = checkpointer;
        if (writing != null) {
            failures.attempt(writing::close);
        }
        failures.attempt(procedures::close);
        if (!last.end(failures, isMemoryLeft)) {
            return;
        }
        failures.attempt(last.journal()::close);
        last.endLease(failures, isMemoryLeft);
        retired.remove(last);
        retired.forEach(this::leave); // the ways of those before it to the memory servers
        failures.attempt(last.catalog()::close);
        last.resources().closeLast(failures);
    }

    /// No other compute server follows.
    ///
    /// @return the last one
    private ComputeServer stop() {
        joining.lock();
        try {
            isClosed = true;
            return server;
        } finally {
            joining.unlock();
        }
    }
}
