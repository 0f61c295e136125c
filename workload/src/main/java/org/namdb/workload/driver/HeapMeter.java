package org.namdb.workload.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/// How much heap the process allocates while transactions are measured: all of its threads
/// together, as there is no count for a virtual thread alone. Used by many threads.
final class HeapMeter {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final AtomicBoolean isRunning = new AtomicBoolean();
    private volatile long before;

    /// Starts, at the first call.
    void start() {
        if (!isRunning.getPlain() && isRunning.compareAndSet(false, true)) {
            before = THREADS.getTotalThreadAllocatedBytes();
        }
    }

    /// Bytes allocated since it was started; 0 if it was not.
    long allocatedBytes() {
        return isRunning.get() ? THREADS.getTotalThreadAllocatedBytes() - before : 0;
    }
}
