package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.NamDb;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.simulation.LeftBehind;
import org.namdb.timestamp.SlotOwners;

/// The holders of slots, and what the dead have left, read from the memory over a connection of its
/// own.
final class SlotHolders implements AutoCloseable {
    private static final long MAX_MAINTENANCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ComputeFabric fabric;
    private final QueuePair queuePair;
    private final SlotOwners slots;

    SlotHolders(ClusterConfig config) {
        fabric = ComputeTransport.connect(config);
        queuePair = fabric.connect(fabric.regions());
        slots = new SlotOwners(DatabaseLayout.openVector(queuePair), queuePair);
    }

    boolean contains(int process) {
        return !slotsOf(process).isEmpty();
    }

    /// The slots of a compute server.
    Set<Integer> slotsOf(int process) {
        Set<Integer> found = new TreeSet<>();
        long[] words = slots.read();
        for (int slot = 0; slot < words.length; slot++) {
            if (words[slot] != 0 && SlotOwners.process(SlotOwners.holder(words[slot])) == process) {
                found.add(slot);
            }
        }
        return found;
    }

    /// Waits until nothing is held: no lock, claim or latch stays; what is moved and swept follows
    /// a little later.
    void awaitNothingLeft(NamDb db) throws InterruptedException {
        LeftBehind left = new LeftBehind(db, queuePair, slots);
        String found = left.find();
        for (long until = System.nanoTime() + MAX_MAINTENANCE_NANOS;
                found != null && System.nanoTime() < until;
                found = left.find()) {
            Thread.sleep(100);
        }
        assertThat(found).as("left behind").isNull();
    }

    @Override
    public void close() {
        queuePair.close();
        fabric.close();
    }
}
