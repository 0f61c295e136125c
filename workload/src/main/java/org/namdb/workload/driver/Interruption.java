package org.namdb.workload.driver;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/// What Ctrl-C does while a run lasts: the first stops the run and lets it end in good order, with
/// its results and checks; the second ends the process at once.
public final class Interruption implements AutoCloseable {
    private static final int STATUS_INTERRUPTED = 130;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;

    private Interruption(BooleanSupplier stop) {
        hook =
                new Thread(
                        () -> {
                            haltAtNextSignal();
                            if (stop.getAsBoolean()) {
                                awaitFinished();
                            }
                        },
                        "interruption");
    }

    /// From now on until the close, a signal calls `stop`, and the process ends when this
    /// is closed.
    ///
    /// @param stop returns whether the run ends soon; if not, as nothing is there yet that could be
    ///     stopped, the process ends at once
    public static Interruption during(BooleanSupplier stop) {
        Interruption interruption = new Interruption(stop);
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running: the process ends now.
        }
    }

    private void awaitFinished() {
        try {
            finished.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The machine ignores further signals once it has begun to shut down, so a handler has to take
    /// them. By reflection, because the compiler warns of the class and the warning can't be
    /// suppressed. Without it, a second Ctrl-C waits for the first.
    private static void haltAtNextSignal() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt =
                    Proxy.newProxyInstance(
                            Interruption.class.getClassLoader(),
                            new Class<?>[] {handler},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("handle")) {
                                    Runtime.getRuntime().halt(STATUS_INTERRUPTED);
                                }
                                return null;
                            });
            Object interrupt = signal.getConstructor(String.class).newInstance("INT");
            signal.getMethod("handle", signal, handler).invoke(null, interrupt, halt);
        } catch (ReflectiveOperationException e) {
            // Another Java machine: see above.
        }
    }
}
