package org.namdb.fabric.sim;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.Host;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;

/// Verbs in virtual time, late, torn at words, and beside pauses. Each test runs on a thread of a
/// simulated host.
class SimConformanceTest extends FabricConformance {
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final FaultPlan FAULTS =
            new FaultPlan(500, 0.001, 20_000, 8, 0.5, 3_000, 0.0005, 50_000, 0, 0);

    @RegisterExtension final Simulated simulated = new Simulated();

    private Simulation simulation;
    private SimHost host;
    private SimFabric network;

    @Override
    protected Fabric open(int landingBytes) {
        simulation = new Simulation(Seeds.next(), ClusterModel.FREE_PROCESSORS, SimTrace.off());
        simulation.faults(FAULTS);
        network = new SimFabric(simulation, landingBytes);
        host = simulation.host("test");
        return Fabric.of(network.memorySide(host), network.computeSide(host));
    }

    @Override
    protected void closed() {
        simulation.close();
        network.close();
    }

    /// Runs test methods in virtual time.
    final class Simulated implements InvocationInterceptor {
        @Override
        public void interceptTestMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> context,
                ExtensionContext extension)
                throws Throwable {
            run(invocation);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> context,
                ExtensionContext extension)
                throws Throwable {
            run(invocation);
        }

        private void run(Invocation<Void> invocation) throws Throwable {
            Throwable[] failure = new Throwable[1];
            boolean[] isOver = new boolean[1];
            Threads.of(host);
            host.start(
                    "test",
                    () -> {
                        try {
                            invocation.proceed();
                        } catch (Throwable e) {
                            failure[0] = e;
                        }
                        isOver[0] = true;
                        simulation.stop();
                    });
            try {
                simulation.run(MOST_NANOS);
            } finally {
                Threads.of(Host.MACHINE);
            }
            if (failure[0] != null) {
                throw failure[0];
            }
            if (!isOver[0]) {
                throw new AssertionError("the test waits for ever");
            }
        }
    }
}
