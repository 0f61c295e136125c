package org.namdb.fabric.shm;

import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;

/// A region that a memory server of another process, on this machine, has made, mapped in this one.
/// Behind the region's bytes, at the next page, lies a word with the key by which the server opens
/// it now; 0 if it does not. A process that accesses the region directly checks it before, and
/// counts its verbs on the same page.
public final class MappedRegion implements AutoCloseable {
    private static final long PAGE_BYTES = 4096;

    /// Away from the word that all processes read.
    private static final long COUNTER_OFFSET = 128;

    private static final long OPEN = 1L << 32;

    private final Mapping mapping;
    private final long bytes;
    private volatile boolean closed;

    private MappedRegion(Mapping mapping, long bytes) {
        this.mapping = mapping;
        this.bytes = bytes;
    }

    /// Maps it.
    ///
    /// @param bytes the size of the region
    /// @throws FabricException if the file is another one, or can't be mapped
    public static MappedRegion map(RegionFile file, long bytes) {
        Mapping mapping = Mapping.ofOther(file.path(), fileBytes(bytes));
        if (!file.isHere()) { // it was replaced in between
            mapping.close();
            throw new FabricException(
                    FabricException.Kind.SYSTEM, file.path() + " is not the region's file");
        }
        return new MappedRegion(mapping, bytes);
    }

    /// The native address of the region.
    public long address() {
        return mapping.address();
    }

    /// The native address of the word by which the server opens the region: [#openBy] its key, 0
    /// while it is closed.
    public long keyWord() {
        return keyWord(address(), bytes);
    }

    /// What the [word][#keyWord] is if the region is opened by this key.
    public static long openBy(int key) {
        return OPEN | key & 0xffff_ffffL;
    }

    /// Counts verbs that have bypassed the server, for its statistics.
    public void count(int verbs) {
        if (closed) {
            return;
        }
        long _ = LocalMemory.fetchAndAdd(keyWord() + COUNTER_OFFSET, verbs);
    }

    /// For the server: how many verbs have gone past it.
    static long counted(long address, long bytes) {
        return LocalMemory.longAcquire(keyWord(address, bytes) + COUNTER_OFFSET);
    }

    /// No verb may be posted to it any more.
    @Override
    public void close() {
        closed = true;
        mapping.close();
    }

    /// The size of a file for a region of `bytes`.
    static long fileBytes(long bytes) {
        return pages(bytes) + PAGE_BYTES;
    }

    /// For the server: opens the region to the processes that have mapped it.
    static void open(long address, long bytes, int key) {
        LocalMemory.putLongVolatile(keyWord(address, bytes), openBy(key));
    }

    /// For the server: closes it.
    static void shut(long address, long bytes) {
        LocalMemory.putLongVolatile(keyWord(address, bytes), 0);
    }

    private static long keyWord(long address, long bytes) {
        return address + pages(bytes);
    }

    private static long pages(long bytes) {
        return bytes + PAGE_BYTES - 1 & -PAGE_BYTES;
    }
}
