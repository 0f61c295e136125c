package org.namdb.fabric.shm;

import java.util.Arrays;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// Verbs to regions that are mapped here by the memory servers of this very process.
final class ShmQueuePair extends MappedQueuePair {
    /// In place of a region's base: the key did not open it.
    static final long NO_KEY = -1;

    private static final int ATOMIC_BYTES = 8;

    private final ShmFabric fabric;
    private final boolean readsInPlace;
    private final long[] bases;
    private final long[] limits;

    ShmQueuePair(ShmFabric fabric, ShmFabric.Options options, long[] bases, long[] limits) {
        super(options.landingBytes());
        this.fabric = fabric;
        this.readsInPlace = options.readsInPlace();
        this.bases = bases;
        this.limits = limits;
    }

    @Override
    public boolean readsInPlace(int server) {
        return readsInPlace;
    }

    @Override
    protected long postRead(long address, int bytes) {
        long source = translate(address, bytes);
        return readsInPlace ? source : landCopy(source, bytes);
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        store(translate(address, bytes), source, bytes);
    }

    @Override
    protected void postWriteWord(long address, long value) {
        storeWord(translate(address, ATOMIC_BYTES), value);
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        return cas(translate(address, ATOMIC_BYTES), expected, desired);
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        return add(translate(address, ATOMIC_BYTES), delta);
    }

    @Override
    protected void awaitCompletions() {
        endBatch();
    }

    /// Verbs take effect when they are posted, so none is on its way.
    @Override
    public void disconnect() {
        Arrays.fill(bases, 0);
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        if (bases[server] == 0) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "no connection to memory server " + server);
        }
        long view = land(landedReply(replyBytes));
        LocalMemory.putLong(
                view, fabric.answer(server, source, bytes, view + REPLY_HEAD_BYTES, replyBytes));
        return view;
    }

    /// Verbs that are posted afterwards are refused: they must not land in memory that is gone.
    @Override
    public void close() {
        if (isFreed()) {
            return;
        }
        disconnect();
        free();
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
