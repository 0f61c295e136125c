package org.namdb.simulation;

import java.time.Duration;
import java.util.SplittableRandom;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;
import org.namdb.simulation.membership.SimEnsemble;

/// Faults of leases and clocks in a run, at any moment of it.
final class LeaseFaults {
    /// Most runs last longer than this.
    static final long LATEST_NANOS = 10_000_000;

    private static final long MIN_NANOS = LeasePlan.LEASE_NANOS / 4;
    private static final long MAX_NANOS = 4 * LeasePlan.LEASE_NANOS;
    private static final int WRONG_HOURS = 24;

    private final Simulation simulation;
    private final SimEnsemble ensemble;
    private final LeasePlan plan;
    private final SplittableRandom random;
    private int lossesLeft;

    LeaseFaults(RunCourse course) {
        this.simulation = course.simulation();
        this.ensemble = course.cluster().ensemble();
        this.plan = course.options().leases();
        this.random = new SplittableRandom(course.options().seed() + 2);
        this.lossesLeft = plan.losses();
    }

    /// The clock of the lease service is wrong.
    void begin() {
        if (plan.drift() > 0) {
            ensemble.driftFromNowOn(rate());
            if (random.nextBoolean()) {
                long jump = random.nextLong(1, 2 * LeasePlan.LEASE_NANOS);
                later(() -> ensemble.jump(jump));
            }
        }
    }

    /// A compute server starts: its clocks go wrong, and it may be in trouble before long.
    void befall(SimHost host) {
        if (plan.drift() > 0) {
            host.driftFromNowOn(rate());
            host.jump(hours());
            Duration jump = hours();
            later(() -> host.jump(jump));
        }
        int share = Math.min(lossesLeft, random.nextInt(plan.losses() + 1));
        lossesLeft -= share;
        for (int loss = 0; loss < share; loss++) {
            later(() -> silence(host));
        }
    }

    private void silence(SimHost host) {
        long nanos = random.nextLong(MIN_NANOS, MAX_NANOS);
        int ways = random.nextInt(4);
        if (ways == 0) {
            host.pause(nanos);
        } else {
            ensemble.cutOff(host, (ways & 1) != 0, (ways & 2) != 0, nanos);
        }
    }

    private void later(Runnable happens) {
        simulation.at(simulation.nanoTime() + random.nextLong(LATEST_NANOS), happens);
    }

    private double rate() {
        return 1 + random.nextDouble(-plan.drift(), plan.drift());
    }

    private Duration hours() {
        return Duration.ofHours(random.nextInt(-WRONG_HOURS, WRONG_HOURS + 1));
    }
}
