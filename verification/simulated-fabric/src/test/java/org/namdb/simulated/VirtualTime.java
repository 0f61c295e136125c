package org.namdb.simulated;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;

/// Runs test methods in virtual time, each on a thread of a simulated host.
final class VirtualTime implements InvocationInterceptor {
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private @Nullable Simulation simulation;
    private @Nullable SimHost host;

    /// The simulation and the host of the next test.
    void of(Simulation newSimulation, SimHost newHost) {
        simulation = newSimulation;
        host = newHost;
    }

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
        Simulation time = Objects.requireNonNull(simulation);
        SimHost own = Objects.requireNonNull(host);
        Throwable[] failure = new Throwable[1];
        boolean[] isOver = new boolean[1];
        Threads.of(own);
        own.start(
                "test",
                () -> {
                    try {
                        invocation.proceed();
                    } catch (Throwable e) {
                        failure[0] = e;
                    }
                    isOver[0] = true;
                    time.stop();
                });
        try {
            time.run(MAX_NANOS);
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
