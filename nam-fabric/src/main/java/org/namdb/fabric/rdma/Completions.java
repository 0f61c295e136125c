package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.namdb.fabric.LocalMemory;

/// A completion queue, and what was taken from it last.
/// ```
/// | work request's number 8 | status 4 | opcode 4 | vendor's error 4 | bytes 4 | ... | 48 bytes
/// ```
final class Completions implements AutoCloseable {
    /// The status of what has gone well.
    static final int SUCCESS = 0;

    /// Bad access to the peer's memory: it has changed nothing.
    static final int REMOTE_ACCESS = 10;

    private static final int BYTES = 48;
    private static final int STATUS = 8;
    private static final int LENGTH = 20;
    private static final int MAX = 32;

    private final NativeDispatcher verbs;
    private final long queue;
    private final Arena arena = Arena.ofShared();
    private final long taken = arena.allocate((long) BYTES * MAX, 8).address();

    Completions(Nic nic, int entries) {
        verbs = nic.verbs();
        queue = nic.completionQueue(entries);
    }

    /// The native queue.
    long queue() {
        return queue;
    }

    /// Takes what there is; returns how many.
    int poll() {
        try {
            int count = verbs._pollCQ(queue, MAX, taken);
            if (count < 0) {
                throw new IOException("status " + count);
            }
            return count;
        } catch (IOException e) {
            throw Nic.refused("a completion queue can't be polled", e);
        }
    }

    /// The number of the work request that completion `index` is about.
    long number(int index) {
        return LocalMemory.longAt(taken + (long) index * BYTES);
    }

    int status(int index) {
        return LocalMemory.intAt(taken + (long) index * BYTES + STATUS);
    }

    /// How many bytes were received.
    int bytes(int index) {
        return LocalMemory.intAt(taken + (long) index * BYTES + LENGTH);
    }

    /// No connection uses the queue any more.
    @Override
    public void close() {
        verbs._destroyCQ(queue);
        arena.close();
    }
}
