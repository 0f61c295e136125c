package org.namdb.concurrency;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;

/// A memory server's region: some bytes for all states of a test, and a place for each state that
/// is alive.
/// ```
/// 64                 64 + sharedBytes
/// |     shared       | place | place | place | ...  PLACES of them, used again in turn
/// ```
/// States are made and dropped by the million, so none can have a region of its own. They are made
/// and checked by both actors' threads, and so through a queue pair of the thread that does it;
/// those of the actors are for the actors alone.
public final class StressRegion {
    /// The region itself is what READs show.
    public static final ShmFabric.Options IN_PLACE = new ShmFabric.Options(true, 1 << 16, null);

    /// READs are copied to landing buffers.
    public static final ShmFabric.Options LANDING = IN_PLACE.withReadsInPlace(false);

    /// A state lives until one later than it, of the next turn, is checked: less than two turns.
    public static final int PLACES = 2 * ConcurrencyTests.STATES;

    private static final int SERVER = 0;
    private static final long START = 64;

    private final Fabric fabric;
    private final Region region;
    private final long firstPlace;
    private final int placeBytes;
    private final AtomicInteger places = new AtomicInteger();
    private final ThreadLocal<QueuePair> own = ThreadLocal.withInitial(this::connect);

    /// @param sharedBytes a multiple of 64
    /// @param placeBytes a multiple of 64
    public StressRegion(ShmFabric.Options options, long sharedBytes, int placeBytes) {
        this.fabric = new ShmFabric(options);
        this.firstPlace = START + sharedBytes;
        this.placeBytes = placeBytes;
        this.region = fabric.register(SERVER, firstPlace + (long) PLACES * placeBytes);
    }

    /// A queue pair for one actor.
    public QueuePair connect() {
        return fabric.connect(List.of(region));
    }

    /// The remote address of what all states share; zeroed.
    public long shared() {
        return RemoteAddress.of(SERVER, START);
    }

    /// The remote address of a place for another state; it holds what an earlier one has
    /// left there.
    public long nextPlace() {
        int place = places.getAndIncrement() & PLACES - 1;
        return RemoteAddress.of(SERVER, firstPlace + (long) place * placeBytes);
    }

    /// Writes words, before the actors start.
    public void put(long address, long... words) {
        QueuePair queuePair = own.get();
        for (int word = 0; word < words.length; word++) {
            queuePair.writeWord(address + 8L * word, words[word]);
        }
        queuePair.await();
    }

    /// Writes one value to `count` words, before the actors start.
    public void fill(long address, int count, long value) {
        QueuePair queuePair = own.get();
        for (int word = 0; word < count; word++) {
            queuePair.writeWord(address + 8L * word, value);
        }
        queuePair.await();
    }

    /// The word at an address, after the actors have ended.
    public long word(long address) {
        QueuePair queuePair = own.get();
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }
}
