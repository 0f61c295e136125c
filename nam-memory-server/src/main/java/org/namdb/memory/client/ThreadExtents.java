package org.namdb.memory.client;

import java.util.Arrays;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;

/// One thread's remote memory for one purpose: it cuts extents up, and reuses what it freed, last
/// in, first out, so that what it gets is likely still in a cache. It talks to a memory server only
/// when an extent is used up.
public final class ThreadExtents implements RemoteAllocator {
    private static final int ALIGNMENT_SHIFT = 6;
    private static final long FIRST_EXTENT_BYTES = 64 << 10;
    private static final long LARGEST_EXTENT_BYTES = 1 << 20;
    private static final int POOLED_BYTES = 64 << 10;

    /// As much of what a thread has freed, and does not use again, it keeps for itself.
    private static final long MAX_UNUSED_BYTES = 3 << 20;

    /// As much it keeps even if it may use that again.
    private static final long MAX_KEPT_BYTES = 16 << 20;

    /// How many pieces are freed by one request.
    private static final int RELEASED_AT_ONCE = 512;

    private final MemoryClient client;
    private final int servers;
    private final long[] next;
    private final long[] end;
    private final long[] extentBytes;
    private final long[][] pools;
    private final int[] pooled;
    private final long[] released = new long[2 * RELEASED_AT_ONCE];
    private int releasedCount;
    private long heldBytes;
    private long freeBytes;

    /// The bytes of all that is pooled.
    private long pooledBytes;

    /// While so much was freed, the least that was pooled: more was never used again.
    private long freedSince;

    private long leastPooledBytes;

    public ThreadExtents(MemoryClient client) {
        this.client = client;
        this.servers = client.servers();
        this.next = new long[servers];
        this.end = new long[servers];
        this.extentBytes = new long[servers];
        Arrays.fill(extentBytes, FIRST_EXTENT_BYTES);
        int classes = (POOLED_BYTES >>> ALIGNMENT_SHIFT) + 1;
        this.pools = new long[servers * classes][];
        this.pooled = new int[servers * classes];
    }

    @Override
    public long allocate(int server, int bytes) {
        int units = units(bytes);
        long size = (long) units << ALIGNMENT_SHIFT;
        if (size <= POOLED_BYTES) {
            int pool = pool(server, units);
            if (pooled[pool] > 0) {
                freeBytes -= size;
                pooledBytes -= size;
                leastPooledBytes = Math.min(leastPooledBytes, pooledBytes);
                return pools[pool][--pooled[pool]];
            }
        }
        if (end[server] - next[server] < size) {
            if (size > LARGEST_EXTENT_BYTES / 2) {
                return request(server, size, size);
            }
            extend(server, size);
        }
        long address = next[server];
        next[server] += size;
        freeBytes -= size;
        return address;
    }

    @Override
    public void reserve(int server, int bytes) {
        long size = (long) units(bytes) << ALIGNMENT_SHIFT;
        if (end[server] - next[server] < size) {
            extend(server, size);
        }
    }

    @Override
    public void require(int server, long bytes) {
        ServerUsage usage = client.usage(server);
        if (bytes > client.bytesLeft(usage) + (servers == 1 ? freeBytes : 0)) {
            throw new MemoryFullException(server, bytes, usage.regionBytes());
        }
    }

    @Override
    public void free(long address, int bytes) {
        int units = units(bytes);
        long size = (long) units << ALIGNMENT_SHIFT;
        int server = RemoteAddress.server(address);
        if (size > POOLED_BYTES) {
            client.free(server, address, size);
            heldBytes -= size;
            return;
        }
        int pool = pool(server, units);
        long[] addresses = pools[pool];
        if (addresses == null || pooled[pool] == addresses.length) {
            addresses =
                    addresses == null
                            ? new long[64]
                            : Arrays.copyOf(addresses, 2 * addresses.length);
            pools[pool] = addresses;
        }
        addresses[pooled[pool]++] = address;
        freeBytes += size;
        pooledBytes += size;
        freedSince += size;
    }

    /// The bytes that memory servers have handed to this thread.
    public long heldBytes() {
        return heldBytes;
    }

    /// The bytes of those that are in use.
    public long usedBytes() {
        return heldBytes - freeBytes;
    }

    /// A thread that frees more than it allocates returns half of what it holds to the memory
    /// servers, for threads that allocate more than they free: what it freed longest ago, which is
    /// in a cache no more. What it frees in one go and uses again afterwards is no surplus. Nothing
    /// may be on its way to what was freed.
    public void releaseSurplus() {
        if (!findsSurplus()) {
            return;
        }
        int classes = pools.length / servers;
        for (int server = 0; server < servers; server++) {
            for (int units = 1; units < classes; units++) {
                releaseOlderHalf(server, units);
            }
            sendReleased(server);
        }
    }

    /// Checks whether too much is kept; the next check begins once enough was freed since this one
    /// began.
    private boolean findsSurplus() {
        boolean isSurplus = pooledBytes > MAX_KEPT_BYTES;
        if (freedSince > MAX_UNUSED_BYTES) {
            isSurplus |= leastPooledBytes > MAX_UNUSED_BYTES;
            freedSince = 0;
            leastPooledBytes = pooledBytes;
        }
        return isSurplus;
    }

    private void releaseOlderHalf(int server, int units) {
        int pool = pool(server, units);
        int older = pooled[pool] + 1 >>> 1;
        if (older > 0) {
            long[] gone = Arrays.copyOf(pools[pool], older);
            pooled[pool] -= older;
            System.arraycopy(pools[pool], older, pools[pool], 0, pooled[pool]);
            for (long address : gone) {
                releasePooled(server, address, units);
            }
        }
    }

    private void releasePooled(int server, long address, int units) {
        long size = (long) units << ALIGNMENT_SHIFT;
        pooledBytes -= size;
        leastPooledBytes = Math.min(leastPooledBytes, pooledBytes);
        release(server, address, size);
    }

    /// Returns everything that is not in use to the memory servers.
    public void releaseUnused() {
        int classes = pools.length / servers;
        for (int server = 0; server < servers; server++) {
            for (int units = 0; units < classes; units++) {
                int pool = server * classes + units;
                while (pooled[pool] > 0) {
                    releasePooled(server, pools[pool][--pooled[pool]], units);
                }
            }
            if (end[server] > next[server]) {
                release(server, next[server], end[server] - next[server]);
            }
            next[server] = 0;
            end[server] = 0;
            extentBytes[server] = FIRST_EXTENT_BYTES;
            sendReleased(server);
        }
    }

    private void release(int server, long address, long bytes) {
        released[2 * releasedCount] = address;
        released[2 * releasedCount + 1] = bytes;
        releasedCount++;
        heldBytes -= bytes;
        freeBytes -= bytes;
        if (releasedCount == RELEASED_AT_ONCE) {
            sendReleased(server);
        }
    }

    private void sendReleased(int server) {
        if (releasedCount > 0) {
            long[] pieces = Arrays.copyOf(released, 2 * releasedCount);
            releasedCount = 0;
            client.free(server, pieces);
        }
    }

    /// Gets a new extent of at least `size` bytes; what is left of the old one is pooled.
    private void extend(int server, long size) {
        long left = end[server] - next[server];
        long wanted = Math.max(size, extentBytes[server]);
        long address = request(server, wanted, size);
        freeBytes += granted;
        while (left > 0) {
            long piece = Math.min(left, POOLED_BYTES);
            freeBytes -= piece;
            free(next[server], (int) piece);
            next[server] += piece;
            left -= piece;
        }
        next[server] = address;
        end[server] = address + granted;
        extentBytes[server] = Math.min(2 * extentBytes[server], LARGEST_EXTENT_BYTES);
    }

    private long granted;

    /// Requests `wanted` bytes, and where that fails less, down to `needed`.
    private long request(int server, long wanted, long needed) {
        for (long bytes = wanted; ; bytes = Math.max(needed, bytes / 2 & -64)) {
            long address = client.allocate(server, bytes);
            if (!RemoteAddress.isNull(address)) {
                granted = bytes;
                heldBytes += bytes;
                return address;
            }
            if (bytes == needed) {
                throw new MemoryFullException(server, needed, client.usage(server).regionBytes());
            }
        }
    }

    private int pool(int server, int units) {
        return server * ((POOLED_BYTES >>> ALIGNMENT_SHIFT) + 1) + units;
    }

    private static int units(int bytes) {
        return bytes + 63 >>> ALIGNMENT_SHIFT;
    }
}
