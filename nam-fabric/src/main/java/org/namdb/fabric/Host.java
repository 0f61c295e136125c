package org.namdb.fabric;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a process gets from the machine that it runs on, besides memory: time, and threads. It is
/// passed to everything that needs it, so that a simulation can take the machine's place.
public interface Host {
    /// The machine that this JVM runs on.
    Host MACHINE = new Machine();

    /// A clock that only goes forward; its zero is arbitrary, and it is this host's own.
    long nanoTime();

    /// The time of day, as a clock on the wall shows it. It may jump: what measures takes
    /// [#nanoTime].
    Instant instant();

    /// Lets time pass. May return early, above all when the thread is unparked.
    void sleep(long nanos);

    /// Starts a thread.
    ///
    /// @param name for people
    Thread start(String name, Runnable work);

    /// Starts one of many threads, of which more are runnable at a time than there are processors.
    /// On a real machine it is a virtual thread: one hands over to the next in about a microsecond,
    /// and keeps its processor until it waits.
    ///
    /// @param name for people
    default Thread startOneOfMany(String name, Runnable work) {
        return start(name, work);
    }

    /// The process's log, for a class.
    default Logger logger(Class<?> about) {
        return LoggerFactory.getLogger(about);
    }

    /// Threads that don't keep the JVM from ending.
    final class Machine implements Host {
        private static final long MIN_PARK_NANOS = 50_000;

        private Machine() {}

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant instant() {
            return Instant.now();
        }

        /// Spins through a short sleep, as a parked thread wakes up late.
        @Override
        public void sleep(long nanos) {
            if (nanos > MIN_PARK_NANOS) {
                LockSupport.parkNanos(nanos);
                return;
            }
            long start = System.nanoTime();
            boolean isVirtual = Thread.currentThread().isVirtual();
            while (System.nanoTime() - start < nanos) {
                if (isVirtual) {
                    Thread.yield(); // the awaited thread may need this processor
                } else {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public Thread start(String name, Runnable work) {
            return Thread.ofPlatform().daemon().name(name).start(work);
        }

        @Override
        public Thread startOneOfMany(String name, Runnable work) {
            return Thread.ofVirtual().name(name).start(work);
        }
    }
}
