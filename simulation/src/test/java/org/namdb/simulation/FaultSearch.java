package org.namdb.simulation;

import java.util.EnumSet;
import org.namdb.checker.Verdict;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.fabric.sim.SimTrace;

/// Looks for a seed that finds the fault which is planted in this JVM, and prints it with what was found.
final class FaultSearch {
    private FaultSearch() {}

    /// @param arguments how many seeds to try, and `direct` for the paper's plain vector read in place of the chain
    public static void main(String[] arguments) {
        int most = Integer.parseInt(arguments[0]);
        boolean direct = arguments.length > 1 && arguments[1].equals("direct");
        for (int seed = 1; seed <= most; seed++) {
            SimulationOptions options = SimulationOptions.ofSeed(seed, allowed());
            SimulationVerdict verdict =
                    SimulationRun.of(
                            direct ? options.withOracle(Oracle.DIRECT) : options, SimTrace.off());
            if (!verdict.holds()) {
                System.out.println("found by seed " + seed + ": " + what(verdict));
                return;
            }
        }
        System.out.println("not found in " + most + " seeds");
        System.exit(1);
    }

    /// A memory server's crash ends a run early, and finds nothing.
    private static EnumSet<Fault> allowed() {
        EnumSet<Fault> allowed = EnumSet.allOf(Fault.class);
        allowed.remove(Fault.MEMORY_CRASH);
        return allowed;
    }

    private static String what(SimulationVerdict verdict) {
        Verdict history = verdict.history();
        if (history != null && !history.holds()) {
            return history.smallest().orElseThrow().rule().label();
        }
        return String.valueOf(verdict.failure()).lines().findFirst().orElse("");
    }
}
