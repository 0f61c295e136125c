package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// What the parts of one run share: the cluster, which processes are still at work in it, and what
/// was found wrong.
final class RunCourse {
    static final long MIN_PAUSE_NANOS = 500;
    static final long MAX_PAUSE_NANOS = 20_000;

    private final SimulationOptions options;
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final List<SimHost> computeHosts = new ArrayList<>();
    private @Nullable String failure;
    private int running;
    private long ended;

    RunCourse(SimulationOptions options, SimTrace trace) {
        this.options = options;
        this.simulation = new Simulation(options.seed(), ClusterModel.FREE_PROCESSORS, trace);
        this.cluster = new SimulatedCluster(simulation, options);
        this.random = new SplittableRandom(options.seed() + 1);
    }

    SimulationOptions options() {
        return options;
    }

    Simulation simulation() {
        return simulation;
    }

    SimulatedCluster cluster() {
        return cluster;
    }

    SplittableRandom random() {
        return random;
    }

    /// Another process that posts verbs.
    SimHost computeHost(String name) {
        SimHost host = simulation.host(name);
        computeHosts.add(host);
        return host;
    }

    /// The processes that have posted verbs, or still do.
    List<SimHost> computeHosts() {
        return computeHosts;
    }

    /// One more process is at work; the run goes on until it has [ended][#processEnded].
    void processStarted() {
        running++;
    }

    void processEnded() {
        running--;
        if (running == 0) {
            simulation.stop();
        }
    }

    /// How many processes are at work.
    int running() {
        return running;
    }

    /// A transaction has ended, in whatever way.
    void transactionEnded() {
        ended++;
    }

    long endedTransactions() {
        return ended;
    }

    /// Whether it makes sense to go on.
    boolean goesOn() {
        return cluster.hasMemory() && failure == null;
    }

    /// What was found wrong first; null if nothing was.
    @Nullable String failure() {
        return failure;
    }

    /// What a client has found wrong. Errors of a dead process's threads do not count.
    void fail(SimHost host, String what) {
        if (!host.isDead()) {
            fail(host.name() + ": " + what);
        }
    }

    /// Something is wrong: the run ends.
    void fail(String what) {
        if (failure == null) {
            failure = what;
        }
        simulation.stop();
    }
}
