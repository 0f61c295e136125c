package org.namdb.simulation.membership;

import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.Membership;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;

/// A simulated process's access to the [ensemble][SimEnsemble]. A thread of the process beats, by
/// the process's clock; if it can't, for whatever reason, only the ensemble decides what follows.
public final class SimMembership implements Membership {
    /// How long an answer is waited for.
    static final long TIMEOUT_NANOS = 1_000_000;

    private static final int BEATS_PER_LEASE = 4;

    /// An answer of the ensemble, for a thread that waits.
    private static final class Answer<T> {
        private final Thread waiter = Thread.currentThread();
        private @Nullable T content;
        private boolean isOver;

        void over(@Nullable T answer) {
            if (!isOver) {
                isOver = true;
                content = answer;
                LockSupport.unpark(waiter);
            }
        }
    }

    private final SimEnsemble ensemble;
    private final Simulation simulation;
    private final SimHost host;
    private @Nullable Member member;
    private Runnable changed = () -> {};
    private boolean isLost;
    private boolean isClosed;

    SimMembership(SimEnsemble ensemble, SimHost host) {
        this.ensemble = ensemble;
        this.simulation = ensemble.simulation();
        this.host = host;
    }

    @Override
    public void join(Member joining) {
        if (!request("join", () -> ensemble.join(joining))) {
            throw new MembershipException(joining + " is there already");
        }
        member = joining;
        Thread _ = host.start(host.name() + "-beats", () -> beat(joining));
    }

    private void beat(Member joined) {
        while (!isClosed && !isLost) {
            ensemble.hear(
                    host,
                    () -> {
                        boolean isHeld = ensemble.beat(joined);
                        ensemble.tell(host, () -> learn(isHeld));
                    });
            host.sleep(ensemble.leaseNanos() / BEATS_PER_LEASE);
        }
    }

    private void learn(boolean isHeld) {
        if (!isHeld && !isClosed) {
            isLost = true;
            changed.run();
        }
    }

    @Override
    public Set<Integer> members() {
        return describe().stream().map(Member::process).collect(Collectors.toSet());
    }

    @Override
    public List<Member> describe() {
        List<Member> members = request("list the members", ensemble::members);
        Member joined = member;
        if (joined != null && !members.contains(joined)) {
            isLost = true;
        }
        return members;
    }

    @Override
    public void watch(Runnable whenChanged) {
        changed = whenChanged;
        ensemble.watch(this);
    }

    /// Others have come or gone. Called by the ensemble.
    void changed() {
        ensemble.tell(host, () -> changed.run());
    }

    @Override
    public boolean isLost() {
        return isLost;
    }

    /// If the ensemble doesn't answer, the lease ends by itself.
    @Override
    public void close() {
        isClosed = true;
        changed = () -> {};
        ensemble.unwatch(this);
        Member joined = member;
        if (joined != null) {
            member = null;
            try {
                boolean _ =
                        request(
                                "leave",
                                () -> {
                                    ensemble.leave(joined.process());
                                    return true;
                                });
            } catch (MembershipException e) {
                // it beats no more
            }
        }
    }

    private <T> T request(String what, Supplier<T> question) {
        Answer<T> answer = new Answer<>();
        ensemble.hear(
                host,
                () -> {
                    T content = question.get();
                    ensemble.tell(host, () -> answer.over(content));
                });
        simulation.at(simulation.nanoTime() + TIMEOUT_NANOS, () -> answer.over(null));
        while (!answer.isOver) {
            host.park();
        }
        T content = answer.content;
        if (content == null) {
            throw new MembershipException(
                    "%s can't %s: the ensemble does not answer".formatted(host.name(), what));
        }
        return content;
    }
}
