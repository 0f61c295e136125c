package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// A session's local memory for the images of the records that a transaction reads and writes; cut from the start of its chunks for each
/// transaction anew.
final class LocalChunks {
    private static final int CHUNK_BYTES = 1 << 20;

    private final QueuePair queuePair;
    private final List<Long> chunks = new ArrayList<>();
    private int chunk;
    private long next;
    private long end;

    LocalChunks(QueuePair queuePair) {
        this.queuePair = queuePair;
        chunks.add(queuePair.localMemory(CHUNK_BYTES));
        clear();
    }

    /// Starts over; what was handed out may be handed out again.
    void clear() {
        chunk = 0;
        open();
    }

    /// Hands out `bytes` bytes, aligned to 8; their content is not specified.
    long allocate(int bytes) {
        if (end - next < bytes) {
            if (++chunk == chunks.size()) {
                chunks.add(queuePair.localMemory(CHUNK_BYTES));
            }
            open();
        }
        long address = next;
        next += bytes + 7 & -8;
        return address;
    }

    /// Hands out `bytes` zero bytes.
    long allocateZeroed(int bytes) {
        long address = allocate(bytes);
        LocalMemory.zero(address, bytes);
        return address;
    }

    private void open() {
        next = chunks.get(chunk);
        end = next + CHUNK_BYTES;
    }
}
