package org.namdb.benchmarks;

import java.util.List;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// A memory server with a timestamp vector all of whose slots are in use, mapped in this process
/// and read in place.
final class VectorServer implements AutoCloseable {
    private static final int SERVER = 0;
    private static final long OFFSET = 4096;

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final QueuePair reader;
    private final QueuePair writer;
    private final TimestampSlot first;
    private final TimestampSlot last;

    VectorServer(int slots) {
        long bytes = OFFSET + TimestampVectorLayout.bytes(slots);
        Region region = fabric.register(SERVER, bytes);
        reader = fabric.connect(List.of(region));
        writer = fabric.connect(List.of(region));
        var layout = new TimestampVectorLayout(RemoteAddress.of(SERVER, OFFSET), slots);
        layout.format(writer);
        first = TimestampSlot.take(layout, reader, 1);
        TimestampSlot taken = first;
        while (taken.number() < slots - 1) {
            taken = TimestampSlot.take(layout, writer, 1);
            publish(taken, writer);
        }
        last = taken;
    }

    /// The first slot, for the thread that is measured.
    TimestampSlot first() {
        return first;
    }

    /// The queue pair of the first slot.
    QueuePair queuePair() {
        return reader;
    }

    /// Commits a transaction in the last slot, which is the first one where there is no other.
    void commitInLast() {
        publish(last, last == first ? reader : writer);
    }

    /// Takes the next commit timestamp and publishes it.
    static void publish(TimestampSlot slot, QueuePair queuePair) {
        slot.publish(slot.next());
        queuePair.await();
    }

    @Override
    public void close() {
        reader.close();
        writer.close();
        fabric.close();
    }
}
