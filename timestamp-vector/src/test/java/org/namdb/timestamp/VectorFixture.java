package org.namdb.timestamp;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.tearing.TearingFabric;

/// Memory servers with an empty timestamp vector.
public final class VectorFixture implements AutoCloseable {
    private static final int SERVER = 3;
    private static final long OFFSET = 1 << 12;

    public final TimestampVectorLayout layout;
    private final Fabric fabric;
    private final List<Region> regions = new ArrayList<>();
    private final QueuePair own;
    private final AtomicLong owners = new AtomicLong();

    public VectorFixture(Fabric fabric, int maxSlots) {
        this(fabric, maxSlots, 1);
    }

    private VectorFixture(Fabric fabric, int maxSlots, int servers) {
        this.fabric = fabric;
        this.layout =
                new TimestampVectorLayout(RemoteAddress.of(SERVER, OFFSET), maxSlots, servers);
        for (int server = SERVER; server < SERVER + servers; server++) {
            regions.add(fabric.register(server, OFFSET + layout.bytesOn(server)));
        }
        this.own = connect();
        layout.format(own);
    }

    public static VectorFixture inPlace(int maxSlots) {
        return new VectorFixture(new ShmFabric(ShmFabric.Options.DEFAULT), maxSlots);
    }

    public static VectorFixture landing(int maxSlots) {
        return new VectorFixture(
                new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)), maxSlots);
    }

    /// With the slots on so many servers.
    public static VectorFixture landing(int maxSlots, int servers) {
        return new VectorFixture(
                new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)),
                maxSlots,
                servers);
    }

    /// On a fabric that tears READs and WRITEs between words.
    public static VectorFixture tearing(int maxSlots) {
        return new VectorFixture(
                new TearingFabric(TearingFabric.Options.words(Seeds.next())), maxSlots);
    }

    public QueuePair connect() {
        return fabric.connect(regions);
    }

    /// A slot of a thread's own.
    public TimestampSlot slot() {
        return slot(connect());
    }

    public TimestampSlot slot(QueuePair queuePair) {

        return TimestampSlot.take(layout, queuePair, owners.incrementAndGet());
    }

    public List<TimestampSlot> slots(int count) {
        List<TimestampSlot> slots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.add(slot());
        }
        return slots;
    }

    /// The word at an address, now.
    public synchronized long word(long address) {
        long view = own.read(address, 8);
        own.await();
        return LocalMemory.longAcquire(view);
    }

    /// The vector as it is now. It must not change meanwhile.
    public synchronized long[] vector(int length) {
        long[] vector = new long[length];
        for (int slot = 0; slot < length; slot++) {
            vector[slot] = word(layout.slot(slot));
        }
        return vector;
    }

    /// Commits a transaction in a slot that writes nothing.
    public static long commit(TimestampSlot slot) {
        long commitTimestamp = slot.next();
        slot.publish(commitTimestamp);
        slot.queuePair().await();
        return CommitTimestamp.timestamp(commitTimestamp);
    }

    @Override
    public void close() {
        fabric.close();
    }
}
