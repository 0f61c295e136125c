package org.namdb.simulation.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// Leases in virtual time.
class SimMembershipTest {
    private static final long MILLI = 1_000_000;
    private static final long LEASE = 2 * MILLI;

    /// Messages take less than this, there and back.
    private static final long AROUND = 60_000;

    private final Simulation simulation =
            new Simulation(1, ClusterModel.FREE_PROCESSORS, SimTrace.off());
    private final SimEnsemble ensemble = new SimEnsemble(simulation, LEASE);
    private final List<Long> ends = new ArrayList<>();

    SimMembershipTest() {
        ensemble.observeEnds(_ -> ends.add(simulation.nanoTime()));
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    private static Member member(int process) {
        return new Member(process, 0, "here", null);
    }

    /// A process that joins, and does `work` then.
    private SimHost start(int process, BiConsumer<SimMembership, SimHost> work) {
        SimHost host = simulation.host("process-" + process);
        Thread _ =
                host.start(
                        "work",
                        () -> {
                            SimMembership membership = ensemble.connect(host);
                            membership.join(member(process));
                            work.accept(membership, host);
                        });
        return host;
    }

    private void runUntil(long nanos) {
        boolean _ = simulation.run(nanos);
        simulation.skipTo(nanos);
    }

    @Test
    void aMemberIsListedUntilItLeaves() {
        List<Set<Integer>> seen = new ArrayList<>();
        SimHost first = simulation.host("first");
        SimHost _ =
                start(
                        7,
                        (membership, _) ->
                                first.start("list", () -> listTwice(first, seen, membership)));
        runUntil(20 * MILLI);
        assertThat(seen).containsExactly(Set.of(7), Set.of());
        assertThat(ends).isEmpty();
    }

    private void listTwice(SimHost host, List<Set<Integer>> seen, SimMembership other) {
        SimMembership own = ensemble.connect(host);
        host.sleep(5 * LEASE); // the other one beats
        seen.add(own.members());
        other.close();
        seen.add(own.members());
    }

    /// By the ensemble's clock, whatever the member's is.
    @ParameterizedTest
    @ValueSource(doubles = {0.8, 1, 1.2})
    void aPausedMemberLosesItsLeaseAndFindsOutLater(double rate) {
        ensemble.driftFromNowOn(rate);
        List<Boolean> lost = new ArrayList<>();
        SimHost host =
                start(
                        1,
                        (membership, own) -> {
                            own.sleep(10 * MILLI);
                            own.pause(20 * MILLI);
                            lost.add(membership.isLost());
                            own.sleep(1); // it stands still here
                            lost.add(membership.isLost());
                            own.sleep(MILLI);
                            lost.add(membership.isLost());
                        });
        host.driftFromNowOn(0.8);
        runUntil(60 * MILLI);
        long paused = (long) (10 * MILLI / 0.8);
        assertThat(ends).hasSize(1);
        assertThat(ends.getFirst() - paused)
                .isBetween(
                        (long) (LEASE / rate - LEASE / 4 / 0.8) - AROUND,
                        (long) (LEASE / rate) + AROUND);
        assertThat(lost).containsExactly(false, false, true);
    }

    @Test
    void aMemberThatIsNotHeardLosesItsLeaseAndGoesOn() {
        List<Boolean> lost = new ArrayList<>();
        SimHost _ =
                start(
                        1,
                        (membership, own) -> {
                            ensemble.cutOff(own, true, false, 10 * MILLI);
                            own.sleep(9 * MILLI);
                            lost.add(membership.isLost());
                            assertThatThrownBy(membership::members)
                                    .isInstanceOf(MembershipException.class)
                                    .hasMessage(
                                            "process-1 can't list the members: the ensemble does"
                                                    + " not answer");
                            own.sleep(2 * MILLI);
                            lost.add(membership.isLost());
                        });
        runUntil(60 * MILLI);
        assertThat(ends).hasSize(1);
        assertThat(ends.getFirst()).isLessThan(3 * MILLI);
        assertThat(lost).containsExactly(false, true);
    }

    @Test
    void aMemberThatHearsNothingKeepsItsLease() {
        List<Boolean> lost = new ArrayList<>();
        SimHost _ =
                start(
                        1,
                        (membership, own) -> {
                            ensemble.cutOff(own, false, true, 10 * MILLI);
                            assertThatThrownBy(membership::members)
                                    .isInstanceOf(MembershipException.class);
                            own.sleep(20 * MILLI);
                            assertThat(membership.members()).containsExactly(1);
                            lost.add(membership.isLost());
                        });
        runUntil(60 * MILLI);
        assertThat(lost).containsExactly(false);
        assertThat(ends).isEmpty();
        assertThat(ensemble.holds(1)).isTrue();
    }

    @Test
    void aMemberThatCrashesLosesItsLease() {
        SimHost host = start(1, (_, _) -> {});
        runUntil(5 * MILLI);
        host.crash();
        runUntil(8 * MILLI);
        assertThat(ends).hasSize(1);
        assertThat(ensemble.holds(1)).isFalse();
    }

    @Test
    void anEnsembleWhoseClockJumpsEndsAllLeases() {
        SimHost _ = start(1, (_, _) -> {});
        SimHost _ = start(2, (_, _) -> {});
        runUntil(5 * MILLI);
        ensemble.jump(LEASE);
        assertThat(ends).containsExactly(simulation.nanoTime(), simulation.nanoTime());
    }

    @Test
    void aNumberIsTakenOnce() {
        List<String> messages = new ArrayList<>();
        SimHost _ = start(1, (_, _) -> {});
        SimHost second = simulation.host("second");
        Thread _ =
                second.start(
                        "join",
                        () -> {
                            second.sleep(MILLI);
                            SimMembership membership = ensemble.connect(second);
                            try {
                                membership.join(new Member(1, 0, "there", null));
                            } catch (MembershipException e) {
                                messages.add(e.getMessage());
                            }
                        });
        runUntil(5 * MILLI);
        assertThat(messages).containsExactly("compute server 1 (pid 0 on there) is there already");
    }
}
