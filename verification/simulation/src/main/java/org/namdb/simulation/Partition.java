package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.simulated.SimHost;
import org.namdb.simulation.membership.SimEnsemble;

/// A compute server's network fails: for a moment, which is not noticed, or for longer, which ends
/// its connections. Whether it can renew its lease meanwhile is another matter, as that is another
/// connection; nor does the lease end at the same moment for all, as clocks differ. So it may be
/// fenced while it is cut off, when it is back, or though it never was.
final class Partition {
    private static final long MIN_NANOS = 20_000;

    private final SimulationOptions options;
    private final SimEnsemble ensemble;
    private final Cleaners cleaners;
    private final SplittableRandom random;

    Partition(RunCourse course, Cleaners cleaners, SplittableRandom random) {
        this.options = course.options();
        this.ensemble = course.cluster().ensemble();
        this.cleaners = cleaners;
        this.random = random;
    }

    /// Cuts it off, from now on.
    void begin(SimHost host) {
        boolean isLong = random.nextBoolean();
        long nanos =
                isLong
                        ? random.nextLong(Cleaners.LEASE_NANOS, SimulationRun.MAX_STANDSTILL_NANOS)
                        : random.nextLong(MIN_NANOS, Cleaners.LEASE_NANOS);
        boolean isFromAll = random.nextBoolean();
        int only = random.nextInt(options.memoryServers());
        int ways = random.nextInt(1, 4);
        for (int server = 0; server < options.memoryServers(); server++) {
            if (isFromAll || server == only) {
                host.cutOff(server, (ways & 1) != 0, (ways & 2) != 0, nanos);
            }
        }
        if (isLong && random.nextInt(4) != 0) {
            if (options.leases().isOn()) {
                ensemble.cutOff(host, (ways & 1) != 0, (ways & 2) != 0, nanos);
            }
            cleaners.isSilent(
                    host, random.nextLong(Cleaners.LEASE_NANOS / 2, 2 * Cleaners.LEASE_NANOS));
        }
    }
}
