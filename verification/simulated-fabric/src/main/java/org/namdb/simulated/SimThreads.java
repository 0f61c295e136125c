package org.namdb.simulated;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;

/// Makes virtual threads whose continuations go to a scheduler of our own: the simulation, that
/// runs them one after the other on its own thread. The JDK has such threads and doesn't offer them
/// in public yet, hence the JVM option that this needs.
final class SimThreads {
    private static final String BUILDER = "java.lang.ThreadBuilders$VirtualThreadBuilder";
    private static final String OPTION = "--add-opens=java.base/java.lang=ALL-UNNAMED";

    private SimThreads() {}

    /// A builder of threads that `scheduler` gets to run whenever they can go on.
    ///
    /// @throws IllegalStateException if the JVM was started without the option
    static Thread.Builder.OfVirtual builder(Executor scheduler) {
        try {
            Constructor<?> constructor =
                    Class.forName(BUILDER).getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            return (Thread.Builder.OfVirtual) constructor.newInstance(scheduler);
        } catch (InaccessibleObjectException e) {
            throw new IllegalStateException("a simulation needs the JVM option " + OPTION, e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "this JVM (" + Runtime.version() + ") can't run simulations", e);
        }
    }
}
