package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.util.function.LongConsumer;
import org.namdb.compute.commit.CommitImage;
import org.namdb.fabric.LocalMemory;

/// Entries that wait to be written, one behind the other in native memory. Guarded by its user's
/// lock until it is being written, then used by one thread.
final class EntryBuffer implements AutoCloseable {
    private static final int INITIAL_BYTES = 1 << 20;
    private static final int MAX_KEPT_BYTES = 16 << 20;

    private Arena arena = Arena.ofShared();
    private long memory;
    private long capacity;
    private long used;
    private long reservedBytes;

    EntryBuffer() {
        allocate(INITIAL_BYTES);
    }

    private void allocate(long bytes) {
        memory = arena.allocate(bytes, 8).address();
        capacity = bytes;
    }

    /// Makes it so large that so many bytes can still be appended.
    void require(long bytes) {
        if (used + bytes <= capacity) {
            return;
        }
        Arena before = arena;
        long old = memory;
        arena = Arena.ofShared();
        allocate(Math.max(used + bytes, 2 * capacity));
        LocalMemory.copy(old, memory, used);
        before.close();
    }

    /// Appends an entry, for which there is [enough][#require] memory.
    ///
    /// @param body the native address of its body
    /// @param diskBytes what was reserved for it on the disk
    void append(JournalEntry.Kind kind, long body, int bytes, long diskBytes) {
        LocalMemory.putLong(memory + used, JournalEntry.head(kind, bytes));
        LocalMemory.copy(body, memory + used + JournalEntry.HEAD_BYTES, bytes);
        used += JournalEntry.HEAD_BYTES + bytes;
        reservedBytes += diskBytes;
    }

    /// Hands over the commit timestamps of its commits, in their order.
    void forEachCommit(LongConsumer action) {
        for (long at = memory; at < memory + used; ) {
            long head = LocalMemory.longAt(at);
            at += JournalEntry.HEAD_BYTES;
            if (JournalEntry.kind(head) == JournalEntry.Kind.COMMIT) {
                action.accept(CommitImage.commitTimestamp(at));
            }
            at += JournalEntry.bytes(head);
        }
    }

    boolean isEmpty() {
        return used == 0;
    }

    /// The native address of the first entry.
    long memory() {
        return memory;
    }

    /// How many bytes its entries have.
    long used() {
        return used;
    }

    /// What was reserved on the disk for its entries.
    long reservedBytes() {
        return reservedBytes;
    }

    /// Whether its memory is there.
    boolean isOpen() {
        return capacity > 0;
    }

    /// Frees its memory.
    @Override
    public void close() {
        if (isOpen()) {
            capacity = 0;
            arena.close();
        }
    }

    /// Its entries were written.
    void clear() {
        used = 0;
        reservedBytes = 0;
        if (capacity > MAX_KEPT_BYTES) {
            arena.close();
            arena = Arena.ofShared();
            allocate(INITIAL_BYTES);
        }
    }
}
