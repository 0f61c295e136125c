package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.snapshot.DirectRead;
import org.namdb.timestamp.snapshot.SharedChain;
import org.namdb.timestamp.snapshot.SnapshotChain;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// Opens the oracles of a compute server's sessions, as [EmbeddedOptions.Oracle] says.
///
/// A shared chain has a connection and a slot of its own. The slot publishes nothing: it has the
/// buffers for new members of the chain, and the one announcement for all sessions. The sessions
/// keep their own slots for their commits. If its connection is lost, the sessions that use it end
/// as if they had lost theirs, and those that are opened later share another one.
final class Oracles implements AutoCloseable {
    private final EmbeddedOptions options;
    private final Supplier<QueuePair> connections;
    private final Function<QueuePair, TimestampSlot> slots;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Shared shared;

    private record Shared(QueuePair queuePair, TimestampSlot slot, SharedChain chain) {}

    /// The queue pairs of shared chains before this one, whose connections were lost.
    private final List<QueuePair> broken = new ArrayList<>();

    /// @param connections connects to all memory servers
    /// @param slots takes a slot for a connection
    Oracles(
            EmbeddedOptions options,
            Supplier<QueuePair> connections,
            Function<QueuePair, TimestampSlot> slots) {
        this.options = options;
        this.connections = connections;
        this.slots = slots;
    }

    /// How many slots it takes for itself.
    static int slots(EmbeddedOptions options) {
        return options.oracle() == EmbeddedOptions.Oracle.SHARED_CHAIN ? 1 : 0;
    }

    /// An oracle for the session that has this slot.
    SnapshotOracle open(TimestampSlot slot) {
        return switch (options.oracle()) {
            case CHAIN ->
                    new SnapshotChain(
                            slot, options.staleness().toNanos(), options.host()::nanoTime);
            case SHARED_CHAIN -> shared().session();
            case DIRECT -> new DirectRead(slot);
        };
    }

    private SharedChain shared() {
        lock.lock();
        try {
            Shared known = shared;
            if (known == null || known.chain().isBroken()) {
                if (known != null) {
                    broken.add(known.queuePair()); // sessions may still look at what it has read
                    shared = null;
                }
                QueuePair queuePair = connections.get();
                TimestampSlot slot = slots.apply(queuePair);
                known = new Shared(queuePair, slot, new SharedChain(slot));
                shared = known;
            }
            return known.chain();
        } finally {
            lock.unlock();
        }
    }

    /// Gives the shared chain's slot back. No session runs a transaction any more.
    @Override
    public void close() {
        broken.forEach(QueuePair::close);
        broken.clear();
        Shared known = shared;
        if (known == null) {
            return;
        }
        shared = null;
        try {
            known.slot().release();
        } catch (FabricException e) {
            // The memory servers are gone, and the slot with them.
        }
        known.queuePair().close();
    }
}
