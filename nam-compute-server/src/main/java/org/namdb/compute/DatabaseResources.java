package org.namdb.compute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.cluster.Holders;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.compute.journal.JournalClient;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.timestamp.TimestampVectorLayout;

/// Where a database's memory servers are, and what of that is closed together with it: all of an
/// embedded database, the connection to a cluster, and nothing of a caller's own fabric.
///
/// @param regions by number
/// @param servers those of an embedded database
/// @param clusterMember a compute server's membership of a cluster
/// @param opensPeers connects a compute server of a number to the others, where there is no member
///     of a cluster that does; null if there are none
record DatabaseResources(
        ComputeFabric fabric,
        List<Region> regions,
        @Nullable EmbeddedServers servers,
        @Nullable ClusterMember clusterMember,
        @Nullable IntFunction<PeerFabric> opensPeers) {
    static DatabaseResources of(EmbeddedServers servers) {
        return new DatabaseResources(servers.fabric(), servers.regions(), servers, null, null);
    }

    static DatabaseResources of(ClusterMember clusterMember) {
        return new DatabaseResources(
                clusterMember.fabric(), clusterMember.regions(), null, clusterMember, null);
    }

    void join(int process) {
        if (clusterMember != null) {
            clusterMember.join(process);
        }
    }

    /// The way to the other compute servers; null if there is none. After [#join].
    @Nullable PeerFabric peers(int process) {
        if (clusterMember != null) {
            return clusterMember.peers();
        }
        return opensPeers == null ? null : opensPeers.apply(process);
    }

    void closePeers() {
        if (clusterMember != null) {
            clusterMember.closePeers();
        }
    }

    /// Whether other compute servers may keep copies of rows: not if there are none. That this one
    /// reads memory in place says nothing of the others.
    boolean mayBeCopied() {
        return servers == null;
    }

    /// Whether this compute server reads some memory in place.
    boolean isMapped() {
        return clusterMember != null && clusterMember.isMapped();
    }

    @Nullable String loss() {
        return clusterMember == null ? null : clusterMember.loss();
    }

    boolean isMemoryLost() {
        return clusterMember != null && clusterMember.isMemoryLost();
    }

    /// Whether the memory is lost, and the database is recovered from disks.
    boolean isMemoryRecovered() {
        return clusterMember != null && clusterMember.isMemoryRecovered();
    }

    /// The database that this compute server was attached to is not there any more.
    void loseMemory(String how) {
        if (clusterMember != null) {
            clusterMember.loseMemory(how);
        }
    }

    /// The compute server can't go on: see [ClusterMember#giveUp].
    void giveUp(String why, FabricException failure) {
        if (clusterMember != null) {
            clusterMember.giveUp(why, failure);
        }
    }

    /// What memory server 0 keeps in its data directory, and which generation it has begun with
    /// this memory; null if it keeps nothing.
    static JournalClient.@Nullable Contents kept(QueuePair queuePair) {
        if (DatabaseLayout.kept(queuePair) == 0) {
            return null;
        }
        JournalClient.Contents contents = new JournalClient(queuePair, 0).contents();
        long _ =
                DatabaseLayout.kept(
                        queuePair); // fails if the memory is not that of before any more
        return contents;
    }

    /// Whether another membership of the process leads to the same database: in the same memory, or
    /// recovered in other memory.
    ///
    /// @param next closed if that can't be found out
    /// @param before what was [kept][#kept]
    boolean isSameDatabase(ClusterMember next, JournalClient.@Nullable Contents before) {
        if (next.regions().equals(regions) || before == null) {
            return next.regions().equals(regions);
        }
        boolean isRead = false;
        try (QueuePair queuePair = next.fabric().connect(next.regions())) {
            JournalClient.Contents now = kept(queuePair);
            boolean isSame = now != null && Objects.equals(now.database(), before.database());
            isRead = true;
            return isSame;
        } finally {
            if (!isRead) {
                next.close(new FirstFailure());
            }
        }
    }

    /// Checks whether all memory servers are there, with the memory of this database. Mapped memory
    /// does not show that its server has died, and takes no image any more.
    ///
    /// @throws FabricException if one is not
    void checkServers(TimestampVectorLayout vector) {
        try (Holders there = new Holders(fabric.connect(regions), vector, regions.size(), false)) {
            there.requireServers();
        }
        if (MemoryServers.areReplaced(fabric, regions)) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "a memory server has been started again");
        }
    }

    void watch(
            int process,
            boolean isKept,
            Supplier<Holders> holders,
            Predicate<Set<Integer>> recoverProcesses,
            Runnable fenced) {
        if (clusterMember != null) {
            clusterMember.watch(process, isKept, holders, recoverProcesses, fenced);
        }
    }

    void noteFailure(FabricException failure) {
        if (clusterMember != null) {
            clusterMember.noteFailure(failure);
        }
    }

    void rest() {
        if (clusterMember != null) {
            clusterMember.rest();
        }
    }

    /// Closes it, and throws what has failed before; but not where the database is lost, since
    /// nothing can be released in it. A connection that was lost does not show that: the memory
    /// servers are checked once more then.
    void closeLast(FirstFailure failures) {
        if (clusterMember != null && failures.first() instanceof FabricException) {
            failures.attempt(clusterMember::checkServers);
        }
        close(failures);
        try {
            failures.rethrow();
        } catch (FabricException e) {
            noteFailure(e);
            if (loss() == null) {
                throw e;
            }
        }
    }

    void close(FirstFailure failures) {
        if (servers != null) {
            servers.close(failures);
        }
        if (clusterMember != null) {
            clusterMember.close(failures);
        }
    }

    /// An embedded database, with nothing in it.
    static NamDb embedded(EmbeddedOptions options) {
        return of(EmbeddedServers.start(options)).open(() -> options);
    }

    /// A compute server of a cluster, as [NamDb#connect].
    ///
    /// @param members joins again, and reports what it waits for; null if it does not join again
    /// @param joinWait how long a call waits for a join
    static NamDb connect(
            ClusterMember member,
            EmbeddedOptions options,
            @Nullable Function<Consumer<String>, ClusterMember> members,
            Duration joinWait) {
        NamDb db = of(member).open(() -> options.withLearnt(member.regions(), member.slots()));
        try {
            db.current.watch(members, member.isMapped(), joinWait);
        } catch (Throwable e) {
            db.close();
            throw e;
        }
        return db;
    }

    /// Opens the database in this place.
    NamDb open(Supplier<EmbeddedOptions> options) {
        return new NamDb(join(options, null));
    }

    /// Has a compute server begin here. What fails on the way leaves nothing open, and no lease
    /// that schema changes would wait for.
    ///
    /// @param before its fenced predecessor in this process; null if it joins first
    ComputeServer join(Supplier<EmbeddedOptions> options, @Nullable ComputeServer before) {
        List<Runnable> ends = new ArrayList<>();
        FirstFailure failures = new FirstFailure();
        ends.add(() -> close(failures));
        try {
            return new ComputeServer(options.get(), this, before, ends);
        } catch (Throwable e) {
            failures.add(e);
            ends.reversed().forEach(failures::attempt);
            throw e;
        }
    }
}
