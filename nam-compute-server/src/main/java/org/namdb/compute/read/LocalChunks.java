package org.namdb.compute.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;

/// A session's local memory for the images of the records that a transaction reads and writes; cut
/// from the start of its chunks again for each transaction. What is freed within a transaction is a
/// list for each size, linked through the memory itself.
final class LocalChunks implements LocalAllocator {
    private static final int CHUNK_BYTES = 1 << 20;

    /// A piece of more bytes is memory of its own.
    private static final int LARGE_BYTES = CHUNK_BYTES / 4;

    private record Piece(long address, int bytes) {}

    private final QueuePair queuePair;
    private final TransactionBudget budget;
    private final List<Long> chunks = new ArrayList<>();
    private int chunk;
    private long next;
    private long end;

    /// Pieces that are larger than what chunks are cut into; and those of them that are free, as
    /// the provider can't free them.
    private final List<Piece> large = new ArrayList<>();

    private final List<Piece> spare = new ArrayList<>();

    /// The first free piece of each size, in words; 0 for none.
    private long[] freed = new long[64];

    private boolean hasFreed;

    /// @param budget accounts for what is beyond the session's own chunks
    LocalChunks(QueuePair queuePair, TransactionBudget budget) {
        this.queuePair = queuePair;
        this.budget = budget;
        chunks.add(queuePair.localMemory(CHUNK_BYTES));
        clear();
    }

    /// Starts over; what was handed out may be handed out again.
    void clear() {
        chunk = 0;
        open();
        if (hasFreed) {
            hasFreed = false;
            Arrays.fill(freed, 0);
        }
    }

    @Override
    public long allocate(int bytes) {
        if (bytes > LARGE_BYTES) {
            return allocateLarge(bytes);
        }
        if (hasFreed) {
            int words = bytes + 7 >>> 3;
            if (words < freed.length && freed[words] != 0) {
                long address = freed[words];
                freed[words] = LocalMemory.longAt(address);
                return address;
            }
        }
        if (end - next < bytes) {
            openNext();
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

    private long allocateLarge(int bytes) {
        budget.take(bytes);
        Piece piece = null;
        for (int i = 0; i < spare.size() && piece == null; i++) {
            piece = spare.get(i).bytes == bytes ? spare.get(i) : null;
        }
        if (piece == null) {
            piece = new Piece(queuePair.localMemory(bytes), bytes);
        } else {
            spare.remove(piece);
        }
        large.add(piece);
        return piece.address;
    }

    private void freeLarge(Piece piece) {
        large.remove(piece);
        budget.release(piece.bytes);
        if (!queuePair.releaseLocalMemory(piece.address)) {
            spare.add(piece);
        }
    }

    /// Frees a piece for another one of this size.
    @Override
    public void free(long address, int bytes) {
        if (bytes > LARGE_BYTES) {
            freeLarge(new Piece(address, bytes));
            return;
        }
        int words = bytes + 7 >>> 3;
        if (words >= freed.length) {
            freed = Arrays.copyOf(freed, Math.max(words + 1, 2 * freed.length));
        }
        LocalMemory.putLong(address, freed[words]);
        freed[words] = address;
        hasFreed = true;
    }

    /// How much of the chunks the transaction has used: what was freed and is not in use counts as
    /// well.
    long usedBytes() {
        return large.stream().mapToLong(Piece::bytes).sum()
                + (long) chunk * CHUNK_BYTES
                + CHUNK_BYTES
                - (end - next);
    }

    private void openNext() {
        if (chunk + 1 >= TransactionBudget.OWN_CHUNKS) {
            budget.take(CHUNK_BYTES);
        }
        if (chunk + 1 == chunks.size()) {
            chunks.add(queuePair.localMemory(CHUNK_BYTES));
        }
        chunk++;
        open();
    }

    /// Starts over with no more than the session's own chunks, and those that the provider can't
    /// free.
    void shrink() {
        while (!large.isEmpty()) {
            freeLarge(large.getLast());
        }
        while (chunks.size() > TransactionBudget.OWN_CHUNKS
                && queuePair.releaseLocalMemory(chunks.getLast())) {
            chunks.removeLast();
        }
        clear();
    }

    private void open() {
        next = chunks.get(chunk);
        end = next + CHUNK_BYTES;
    }
}
