package org.namdb.simulation;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// The kinds of faults that a simulation can have.
public enum Fault {
    /// Messages take longer, sometimes far longer, so that queue pairs overtake each other.
    LATENCY,
    /// READs and WRITEs are torn between cache lines.
    TEAR64,
    /// READs and WRITEs are torn between words.
    TEAR8,
    /// Processes are paused at any verb.
    PAUSE,
    /// Compute servers crash at any verb; others recover them, and take their place.
    CRASH,
    /// Compute servers stand still for so long that they are declared dead, fenced and recovered;
    /// then they wake up and go on.
    ZOMBIE,
    /// Compute servers are cut off from one memory server, or from all, in one direction or in
    /// both, for a moment or for longer than their lease, which may end meanwhile.
    PARTITION,
    /// Compute servers that hold leases stand still, or are cut off from the lease service, in one
    /// direction or in both, for about as long as a lease or for longer. They lose it, or just
    /// don't, and go on until they learn that, or meet a memory server that refuses them.
    LEASE,
    /// Where compute servers hold leases, clocks go faster or slower than others, those on the wall
    /// are wrong, and the clock that ends leases may jump.
    DRIFT,
    /// A memory server crashes, which ends everything.
    MEMORY_CRASH,
    /// Connections fail: some verbs that were posted take effect, and the others never do.
    DISCONNECT,
    /// The network is away, for less than the timeout of TCP's connections or for longer, and
    /// heals. Strikes the two ends of the TCP provider on a simulated wire
    /// ([org.namdb.fabric.tcp.LinkSimulation]), which every seed drives in addition to its cluster.
    OUTAGE,
    /// Calls of the fabric, a post, an await, a request, throw unplanned failures, before or after
    /// they were done; the process lives on.
    THROW;

    /// All of them.
    public static Set<Fault> all() {
        return EnumSet.allOf(Fault.class);
    }

    /// Its name on the command line.
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }
}
