package org.namdb.sql.shell;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Ctrl-C, as the thread that works sees it: it can sleep until it comes.
final class Interruption {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition came = lock.newCondition();
    private boolean isSet;

    /// It has come. For any thread.
    void set() {
        lock.lock();
        try {
            isSet = true;
            came.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Clears an earlier one.
    void clear() {
        lock.lock();
        try {
            isSet = false;
        } finally {
            lock.unlock();
        }
    }

    /// Sleeps.
    ///
    /// @return whether it has come
    boolean sleep(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!isSet && left > 0) {
                left = came.awaitNanos(left);
            }
            return isSet;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Nanoseconds of a number of seconds.
    static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }
}
