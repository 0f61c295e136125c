package org.namdb.fabric.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.namdb.fabric.FabricException;

/// Memory of one queue pair that the NIC may read and write: zeroed, and registered in slabs, or by
/// itself where it is large. It is an arena, so that a landing ring can lie in it.
final class RegisteredMemory implements Arena {
    private static final int ALIGNMENT = 64;
    private static final long SLAB_BYTES = 1 << 16;

    private record Slab(Arena arena, long address, long bytes, Nic.Registration registration) {
        boolean holds(long place) {
            return place >= address && place - address < bytes;
        }
    }

    private final Nic nic;
    private final Arena scope = Arena.ofShared();
    private final List<Slab> slabs = new ArrayList<>();

    /// Where the key was found last.
    private int lastFound;

    /// What is left of the newest slab for small pieces.
    private long next;

    private long end;

    RegisteredMemory(Nic nic) {
        this.nic = nic;
    }

    @Override
    public MemorySegment allocate(long bytes, long alignment) {
        return MemorySegment.ofAddress(place(bytes)).reinterpret(bytes);
    }

    /// So many bytes, aligned to a cache line.
    long place(long bytes) {
        if (!scope.scope().isAlive()) {
            throw new IllegalStateException("the queue pair is closed");
        }
        long rounded = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        if (rounded >= SLAB_BYTES) {
            return slab(rounded);
        }
        if (end - next < rounded) {
            next = slab(SLAB_BYTES);
            end = next + SLAB_BYTES;
        }
        long place = next;
        next += rounded;
        return place;
    }

    private long slab(long bytes) {
        Arena own = Arena.ofShared();
        try {
            long address = own.allocate(bytes, ALIGNMENT).address();
            slabs.add(new Slab(own, address, bytes, nic.register(address, bytes, Nic.LOCAL)));
            return address;
        } catch (FabricException e) {
            own.close();
            throw e;
        }
    }

    /// Frees memory that was registered by itself.
    ///
    /// @return whether it was
    boolean release(long address) {
        for (Slab slab : slabs) {
            if (slab.address() == address && slab.bytes() > SLAB_BYTES) {
                slabs.remove(slab);
                lastFound = 0;
                release(slab);
                return true;
            }
        }
        return false;
    }

    private void release(Slab slab) {
        nic.deregister(slab.registration());
        slab.arena().close();
    }

    /// The key by which the NIC reaches this memory.
    int localKey(long address) {
        if (lastFound < slabs.size() && slabs.get(lastFound).holds(address)) {
            return slabs.get(lastFound).registration().localKey();
        }
        for (int i = 0; i < slabs.size(); i++) {
            if (slabs.get(i).holds(address)) {
                lastFound = i;
                return slabs.get(i).registration().localKey();
            }
        }
        throw new IllegalArgumentException(
                "what is written is neither a view nor local memory of this queue pair");
    }

    @Override
    public MemorySegment.Scope scope() {
        return scope.scope();
    }

    /// Nothing that uses the memory may be under way.
    @Override
    public void close() {
        if (scope.scope().isAlive()) {
            scope.close();
            slabs.forEach(this::release);
            slabs.clear();
        }
    }
}
