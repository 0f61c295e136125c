package org.namdb.fabric.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// What queue pairs have in common that reach memory of this process: landing buffers, local
/// memory, and verbs as loads, stores and atomics. Those take effect when they are posted, except
/// READs in place, which take effect when the caller reads the view.
public abstract class MappedQueuePair extends QueuePair {
    private static final int SOURCE_ALIGNMENT = 64;
    private static final int PIECE_BYTES = 1 << 20;

    /// What is not smaller has pages of its own, which take memory when they are touched.
    private static final int PAGES_BYTES = 64 << 10;

    private final Arena arena = Arena.ofShared();
    private final LandingRing landing;

    /// Local memory that can be freed by itself, by address.
    private final Map<Long, Arena> pieces = new HashMap<>();

    private boolean written;

    protected MappedQueuePair(int landingBytes) {
        this.landing = new LandingRing((bytes, _) -> allocate(bytes), landingBytes);
    }

    @Override
    public final int landingBytes() {
        return landing.landingBytes();
    }

    @Override
    public final long landed() {
        return landing.landed();
    }

    @Override
    protected final void forgetViews(long mark) {
        landing.giveUp(mark);
    }

    @Override
    public final long localMemory(long bytes) {
        if (bytes < PIECE_BYTES) {
            return allocate(bytes).address();
        }
        Arena own = Arena.ofShared();
        long address = Mapping.pages(bytes, own).address();
        pieces.put(address, own);
        return address;
    }

    private MemorySegment allocate(long bytes) {
        return bytes < PAGES_BYTES
                ? arena.allocate(bytes, SOURCE_ALIGNMENT)
                : Mapping.pages(bytes, arena);
    }

    @Override
    public final boolean releaseLocalMemory(long address) {
        Arena own = pieces.remove(address);
        if (own == null) {
            return false;
        }
        own.close();
        return true;
    }

    /// Allocates in the landing buffer.
    ///
    /// @return the view
    protected final long land(int bytes) {
        return landing.land(bytes);
    }

    /// A READ of native memory that is copied.
    ///
    /// @return the view
    protected final long landCopy(long source, int bytes) {
        long view = landing.land(bytes);
        VarHandle.fullFence();
        LocalMemory.copy(source, view, bytes);
        VarHandle.acquireFence();
        return view;
    }

    /// A WRITE to native memory.
    protected final void store(long target, long source, int bytes) {
        VarHandle.releaseFence();
        LocalMemory.copy(source, target, bytes);
        written = true;
    }

    /// A WRITE of a word to native memory.
    protected final void storeWord(long target, long value) {
        LocalMemory.putLongRelease(target, value);
        written = true;
    }

    /// A compare-and-swap of a word of native memory.
    ///
    /// @return the view
    protected final long cas(long target, long expected, long desired) {
        long view = landing.land(Long.BYTES);
        LocalMemory.putLong(view, LocalMemory.compareAndExchange(target, expected, desired));
        return view;
    }

    /// A fetch-and-add on a word of native memory.
    ///
    /// @return the view
    protected final long add(long target, long delta) {
        long view = landing.land(Long.BYTES);
        LocalMemory.putLong(view, LocalMemory.fetchAndAdd(target, delta));
        return view;
    }

    /// Everything that was posted to memory of this process is over, and seen by all.
    protected final void endBatch() {
        landing.endBatch();
        if (written) {
            written = false;
            VarHandle.fullFence();
        }
    }

    /// Whether local memory and views are freed.
    protected final boolean isFreed() {
        return !arena.scope().isAlive();
    }

    /// Frees local memory and views.
    protected final void free() {
        pieces.values().forEach(Arena::close);
        pieces.clear();
        arena.close();
    }
}
