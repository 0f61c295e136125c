package org.namdb.simulation;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.namdb.compute.NamDb;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;
import org.namdb.simulation.membership.SimEnsemble;

/// A simulated cluster whose compute servers a test starts one by one. Time passes in [#run] alone.
final class TestCluster implements AutoCloseable {
    private final Simulation simulation;
    private final SimulatedCluster cluster;

    TestCluster(long seed, SimulationOptions options) {
        simulation = new Simulation(seed, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        cluster = new SimulatedCluster(simulation, options);
    }

    /// Starts the memory servers, and has `load` fill the database.
    ///
    /// @param millis more than enough time for that
    void load(Consumer<NamDb> load, long millis) {
        boolean[] isLoaded = new boolean[1];
        cluster.start(load, () -> isLoaded[0] = true);
        run(millis);
        if (!isLoaded[0]) {
            throw new IllegalStateException("the database is not there after ms: " + millis);
        }
    }

    /// Starts a compute server that does `work` and stays attached.
    ///
    /// @param work gets its process, too
    SimHost start(String name, BiConsumer<NamDb, SimHost> work) {
        SimHost host = simulation.host(name);
        host.start(name, () -> work.accept(cluster.attach(host), host));
        return host;
    }

    /// Starts a compute server that holds a lease, does `work` and stays.
    ///
    /// @param work gets its process, too
    SimHost join(String name, BiConsumer<NamDb, SimHost> work) {
        SimHost host = simulation.host(name);
        Thread _ = host.start(name, () -> work.accept(cluster.join(host), host));
        return host;
    }

    SimEnsemble ensemble() {
        return cluster.ensemble();
    }

    /// Virtual time.
    long nanoTime() {
        return simulation.nanoTime();
    }

    /// Lets so much time pass, and a little more if nothing happens then.
    void run(long millis) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
