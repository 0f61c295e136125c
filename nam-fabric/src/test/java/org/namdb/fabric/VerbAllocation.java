package org.namdb.fabric;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/// How many bytes posting and awaiting allocates.
public final class VerbAllocation {
    private static final int WARM_UP_ROUNDS = 20_000;
    private static final int ROUNDS = 2_000;

    /// The first trials may still run in the interpreter, which allocates for itself.
    private static final int TRIALS = 20;

    private VerbAllocation() {}

    /// The least that any trial allocated. Closes the fabric.
    public static long bytes(Fabric fabric) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (fabric) {
            List<Region> regions =
                    List.of(fabric.register(0, 1 << 16), fabric.register(1, 1 << 16));
            fabric.serve(0, VerbAllocation::increment);
            fabric.serve(1, VerbAllocation::increment);
            try (QueuePair queuePair = fabric.connect(regions)) {
                long source = queuePair.localMemory(512);
                postAndAwait(queuePair, source, WARM_UP_ROUNDS);
                long least = Long.MAX_VALUE;
                for (int trial = 0; trial < TRIALS && least > 0; trial++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    postAndAwait(queuePair, source, ROUNDS);
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                return least;
            }
        }
    }

    private static void postAndAwait(QueuePair queuePair, long source, int rounds) {
        for (int round = 0; round < rounds; round++) {
            long header = RemoteAddress.of(round & 1, 64L * (round & 511));
            queuePair.write(header, source, 512);
            queuePair.writeWord(header, round);
            queuePair.readLeading(header, 8);
            queuePair.read(header, 200);
            queuePair.read(header, 8);
            queuePair.await();
            try (ViewScope _ = queuePair.openViews()) {
                queuePair.compareAndSwap(header, round, 1);
                queuePair.fetchAndAdd(header, 1);
                queuePair.await();
            }
            long found = queuePair.readWord(header);
            queuePair.casWord(header, found, 1);
            try (ViewScope _ = queuePair.openViews()) {
                queuePair.request(0, source, 8, 8);
                queuePair.request(1, source, 8, 64);
                queuePair.await();
            }
        }
    }

    private static int increment(long request, int bytes, long reply, int replyBytes) {
        LocalMemory.putLong(reply, LocalMemory.longAt(request) + 1);
        return bytes;
    }
}
