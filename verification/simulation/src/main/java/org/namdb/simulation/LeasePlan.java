package org.namdb.simulation;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;

/// The leases of a simulated cluster, and their faults.
///
/// @param isOn whether compute servers hold leases and recover each other. If not, deaths are
///     announced to them
/// @param losses how often a compute server stands still, or can't reach the lease service
/// @param drift by what part clocks go faster or slower, at the most
public record LeasePlan(boolean isOn, int losses, double drift) {
    /// How long a compute server may be silent.
    static final long LEASE_NANOS = 2_000_000;

    /// The pause between two checks for dead compute servers.
    static final long WATCH_REST_NANOS = 1_000_000;

    /// One of so many seeds has leases.
    private static final int SEEDS_PER_LEASES = 4;

    private static final int MAX_LOSSES = 6;

    /// A transaction trusts its own age up to half of the time after which others may collect what
    /// it reads, so no clock may run three times as fast as another.
    private static final double MAX_DRIFT = 0.2;

    /// No leases.
    public static final LeasePlan NONE = new LeasePlan(false, 0, 0);

    static LeasePlan draw(SplittableRandom random, Set<Fault> allowed) {
        boolean isWanted = random.nextInt(SEEDS_PER_LEASES) == 0;
        boolean loses = SimulationOptions.use(random, allowed, Fault.LEASE);
        boolean drifts = SimulationOptions.use(random, allowed, Fault.DRIFT);
        int losses = random.nextInt(1, MAX_LOSSES + 1);
        double drift = random.nextDouble(MAX_DRIFT);
        boolean isAllowed = allowed.contains(Fault.LEASE) || allowed.contains(Fault.DRIFT);
        return isWanted && isAllowed
                ? new LeasePlan(true, loses ? losses : 0, drifts ? drift : 0)
                : NONE;
    }

    String describe() {
        return isOn
                ? "leases of %.3f ms, checked every %.3f ms"
                        .formatted(LEASE_NANOS / 1e6, WATCH_REST_NANOS / 1e6)
                : "none, deaths are announced";
    }

    void describe(StringJoiner faults) {
        if (losses > 0) {
            faults.add("leases are about to be lost %d times".formatted(losses));
        }
        if (drift > 0) {
            faults.add("clocks are up to %.1f %% too fast or too slow".formatted(100 * drift));
        }
    }
}
