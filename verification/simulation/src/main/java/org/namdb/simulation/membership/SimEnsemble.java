package org.namdb.simulation.membership;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.membership.Member;
import org.namdb.fabric.PlantedFault;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;

/// Holds the leases of a simulated cluster. Only it decides that a lease has ended, by its own
/// clock: when its holder has not been heard of for so long. It never crashes, and all see the same
/// of it.
public final class SimEnsemble {
    /// How long a message to it, or from it, takes at least and at most.
    private static final long MIN_WAY_NANOS = 5_000;

    private static final long MAX_WAY_NANOS = 30_000;

    private static final class Lease {
        final Member member;
        long heardNanos;

        Lease(Member member, long heardNanos) {
            this.member = member;
            this.heardNanos = heardNanos;
        }
    }

    /// Until when messages from a process, and to it, are held up.
    private static final class Cut {
        long requestsUntilNanos;
        long repliesUntilNanos;
    }

    private final Simulation simulation;
    private final long leaseNanos;
    private final Map<Integer, Lease> leases = new TreeMap<>();
    private final IdentityHashMap<SimHost, Cut> cuts = new IdentityHashMap<>();
    private final List<SimMembership> watchers = new ArrayList<>();
    private IntConsumer whenEnded = process -> {};
    private double clockRate = 1;
    private long clockSinceNanos;
    private long clockNanos;

    /// @param leaseNanos how long a member may be silent
    public SimEnsemble(Simulation simulation, long leaseNanos) {
        this.simulation = simulation;
        this.leaseNanos = leaseNanos;
    }

    /// A process's way to it.
    public SimMembership connect(SimHost host) {
        return new SimMembership(this, host);
    }

    /// Has its clock go so many times as fast as virtual time does.
    public void driftFromNowOn(double rate) {
        clockNanos = clock();
        clockSinceNanos = simulation.nanoTime();
        clockRate = rate;
    }

    /// Has its clock jump forward: to it, all members were silent meanwhile.
    public void jump(long nanos) {
        clockNanos += nanos;
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        "ensemble",
                        () -> "has its clock jump by %,d ns".formatted(nanos));
        List.copyOf(leases.keySet()).forEach(this::checkLease);
    }

    /// Cuts a process off for a while; it may reach memory servers all the same.
    ///
    /// @param requests whether what it sends is lost
    /// @param replies whether what is sent to it is
    public void cutOff(SimHost host, boolean requests, boolean replies, long nanos) {
        Cut cut = cuts.computeIfAbsent(host, _ -> new Cut());
        long until = simulation.nanoTime() + nanos;
        cut.requestsUntilNanos = requests ? until : cut.requestsUntilNanos;
        cut.repliesUntilNanos = replies ? until : cut.repliesUntilNanos;
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        host.name(),
                        () ->
                                "%s the ensemble for %,d ns"
                                        .formatted(
                                                requests
                                                        ? replies
                                                                ? "is cut off from"
                                                                : "is not heard by"
                                                        : "does not hear",
                                                nanos));
    }

    /// Notifies `observer` of each lease that ends without having been given up.
    public void observeEnds(IntConsumer observer) {
        whenEnded = observer;
    }

    /// Whether a process has a lease now, in truth.
    public boolean holds(int process) {
        return leases.containsKey(process);
    }

    /// Whether no process has a lease now.
    public boolean isEmpty() {
        return leases.isEmpty();
    }

    /// How long a member may be silent, by the ensemble's clock.
    public long leaseNanos() {
        return leaseNanos;
    }

    Simulation simulation() {
        return simulation;
    }

    /// Has something happen here, when a message that a process sends now arrives; never, if that
    /// is lost.
    void hear(SimHost from, Runnable happens) {
        if (!from.isDead()) {
            Cut cut = cuts.get(from);
            arrive(cut == null ? 0 : cut.requestsUntilNanos, happens);
        }
    }

    /// Has something happen in a process, when a message to it that is sent now arrives.
    void tell(SimHost to, Runnable happens) {
        Cut cut = cuts.get(to);
        arrive(
                cut == null ? 0 : cut.repliesUntilNanos,
                () -> {
                    if (!to.isDead()) {
                        happens.run();
                    }
                });
    }

    /// What is lost is sent again, up to a timeout.
    private void arrive(long heldUntilNanos, Runnable happens) {
        long way = simulation.random().nextLong(MIN_WAY_NANOS, MAX_WAY_NANOS);
        if (heldUntilNanos <= simulation.nanoTime() + SimMembership.TIMEOUT_NANOS) {
            simulation.at(Math.max(simulation.nanoTime() + way, heldUntilNanos), happens);
        }
    }

    /// Gives a lease to a member that has none.
    ///
    /// @return whether it has the lease; not if another one has taken this number
    boolean join(Member member) {
        Lease before = leases.get(member.process());
        if (before != null) {
            return before.member.equals(member);
        }
        leases.put(member.process(), new Lease(member, clock()));
        say(member.process(), "joins");
        checkLease(member.process());
        return true;
    }

    /// A member is alive.
    ///
    /// @return whether its lease has not ended
    boolean beat(Member member) {
        Lease lease = leases.get(member.process());
        if (lease == null) {
            return PlantedFault.LEASE_TAKEN_AGAIN.isPlanted() && join(member);
        }
        lease.heardNanos = clock();
        return true;
    }

    void leave(int process) {
        if (leases.remove(process) != null) {
            say(process, "leaves");
            changed();
        }
    }

    List<Member> members() {
        return leases.values().stream().map(lease -> lease.member).toList();
    }

    void watch(SimMembership watcher) {
        watchers.add(watcher);
    }

    void unwatch(SimMembership watcher) {
        watchers.remove(watcher);
    }

    /// Ends a lease, if it is over; and checks again when it will be.
    private void checkLease(int process) {
        @Nullable Lease lease = leases.get(process);
        if (lease == null) {
            return;
        }
        long left = lease.heardNanos + leaseNanos - clock();
        if (left <= 0) {
            leases.remove(process);
            say(process, "is silent for too long: its lease ends");
            whenEnded.accept(process);
            changed();
        } else {
            simulation.at(
                    simulation.nanoTime() + (long) Math.ceil(left / clockRate),
                    () -> checkLease(process));
        }
    }

    private void changed() {
        watchers.forEach(SimMembership::changed);
    }

    private long clock() {
        return clockNanos + (long) ((simulation.nanoTime() - clockSinceNanos) * clockRate);
    }

    private void say(int process, String what) {
        simulation.trace().say(simulation.nanoTime(), "member " + process, () -> what);
    }
}
