package org.namdb.fabric.shm;

import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Verbs as loads, stores and atomics. Every verb takes effect when it is posted, except READs in
/// place, which take effect when the caller looks at the view.
final class ShmQueuePair extends QueuePair {
    /// In place of a region's base: the key did not open it.
    static final long NO_KEY = -1;

    private static final int ATOMIC_BYTES = 8;
    private static final int SOURCE_ALIGNMENT = 64;
    private static final int PIECE_BYTES = 1 << 20;

    private final ShmFabric fabric;
    private final boolean readsInPlace;
    private final long[] bases;
    private final long[] limits;
    private final Arena arena = Arena.ofShared();
    private final LandingRing landing;

    /// Local memory that can be given back by itself, by address.
    private final Map<Long, Arena> pieces = new HashMap<>();

    private boolean written;

    ShmQueuePair(ShmFabric fabric, ShmFabric.Options options, long[] bases, long[] limits) {
        this.fabric = fabric;
        this.readsInPlace = options.readsInPlace();
        this.bases = bases;
        this.limits = limits;
        this.landing = new LandingRing(arena, options.landingBytes());
    }

    @Override
    public boolean readsInPlace(int server) {
        return readsInPlace;
    }

    @Override
    public int landingBytes() {
        return landing.landingBytes();
    }

    @Override
    public long landed() {
        return landing.landed();
    }

    @Override
    protected void forgetViews(long mark) {
        landing.giveUp(mark);
    }

    @Override
    public long localMemory(long bytes) {
        if (bytes < PIECE_BYTES) {
            return arena.allocate(bytes, SOURCE_ALIGNMENT).address();
        }
        Arena own = Arena.ofShared();
        long address = own.allocate(bytes, SOURCE_ALIGNMENT).address();
        pieces.put(address, own);
        return address;
    }

    @Override
    public boolean releaseLocalMemory(long address) {
        Arena own = pieces.remove(address);
        if (own == null) {
            return false;
        }
        own.close();
        return true;
    }

    @Override
    protected long postRead(long address, int bytes) {
        long source = translate(address, bytes);
        if (readsInPlace) {
            return source;
        }
        long view = landing.land(bytes);
        VarHandle.fullFence();
        LocalMemory.copy(source, view, bytes);
        VarHandle.acquireFence();
        return view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        long target = translate(address, bytes);
        VarHandle.releaseFence();
        LocalMemory.copy(source, target, bytes);
        written = true;
    }

    @Override
    protected void postWriteWord(long address, long value) {
        LocalMemory.putLongRelease(translate(address, ATOMIC_BYTES), value);
        written = true;
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        long target = translate(address, ATOMIC_BYTES);
        long view = landing.land(ATOMIC_BYTES);
        LocalMemory.putLong(view, LocalMemory.compareAndExchange(target, expected, desired));
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        long target = translate(address, ATOMIC_BYTES);
        long view = landing.land(ATOMIC_BYTES);
        LocalMemory.putLong(view, LocalMemory.fetchAndAdd(target, delta));
        return view;
    }

    @Override
    protected void awaitCompletions() {
        landing.endBatch();
        if (written) {
            written = false;
            VarHandle.fullFence();
        }
    }

    /// Verbs take effect when they are posted, so none is on its way.
    @Override
    public void disconnect() {
        Arrays.fill(bases, 0);
    }

    @Override
    protected byte[] exchange(int server, byte[] request) {
        if (bases[server] == 0) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "no connection to memory server " + server);
        }
        return fabric.exchange(server, request);
    }

    /// Verbs that are posted afterwards are refused: they must not land in memory that is gone.
    @Override
    public void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        disconnect();
        pieces.values().forEach(Arena::close);
        pieces.clear();
        arena.close();
    }

    /// The native address of a remote one, if all of `bytes` lie in the region and both are
    /// multiples of 8.
    private long translate(long address, int bytes) {
        int server = RemoteAddress.server(address);
        long offset = RemoteAddress.offset(address);
        long base = bases[server];
        if (address >= 0
                || base <= 0
                || bytes <= 0
                || offset + bytes > limits[server]
                || ((offset | bytes) & 7) != 0) {
            throw refused(address, bytes);
        }
        return base + offset;
    }

    private FabricException refused(long address, int bytes) {
        int server = RemoteAddress.server(address);
        String what = bytes + " bytes at " + RemoteAddress.describe(address);
        if (RemoteAddress.isNull(address)) {
            return new FabricException(
                    FabricException.Kind.BAD_ADDRESS, "a verb on the null address");
        }
        if (bases[server] == NO_KEY) {
            return new FabricException(
                    FabricException.Kind.BAD_KEY,
                    what + ": the region key does not open this region");
        }
        if (bases[server] == 0 || limits[server] == 0) {
            return new FabricException(
                    FabricException.Kind.PEER_GONE, what + ": the memory server is gone");
        }
        return new FabricException(
                FabricException.Kind.BAD_ADDRESS,
                what
                        + ": not inside of a region of "
                        + limits[server]
                        + " bytes, or not aligned to 8");
    }
}
