package org.namdb.simulated;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.Seeds;

/// Verbs in virtual time, late, torn at words, and with pauses. Each test runs on a thread of a
/// simulated host.
class SimConformanceTest extends FabricConformance {
    private static final FaultPlan FAULTS =
            new FaultPlan(500, 0.001, 20_000, 8, 0.5, 3_000, 0.0005, 50_000, 0, 0);

    @RegisterExtension final VirtualTime virtualTime = new VirtualTime();

    private Simulation simulation;
    private SimFabric network;

    @Override
    protected Fabric open(int landingBytes) {
        simulation = new Simulation(Seeds.next(), ClusterModel.FREE_PROCESSORS, SimTrace.off());
        simulation.faults(FAULTS);
        network = new SimFabric(simulation, landingBytes);
        SimHost host = simulation.host("test");
        virtualTime.of(simulation, host);
        return Fabric.of(network.memorySide(host), network.computeSide(host));
    }

    @Override
    protected void closed() {
        simulation.close();
        network.close();
    }
}
