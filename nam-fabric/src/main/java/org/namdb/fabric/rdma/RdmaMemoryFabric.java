package org.namdb.fabric.rdma;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.ShmFabric;

/// The memory servers of one process, whose regions a NIC opens to others.
///
/// A NIC's atomics are not atomic with respect to those of a processor, on most devices
/// (`ATOMIC_HCA`). So a word that is ever the target of a remote atomic is changed by verbs alone,
/// by its own server, too; [#memory] is for words that only the server changes.
///
/// A region is pinned: all of it takes memory from the start, and the process must be allowed to
/// lock as much (`ulimit -l`).
public final class RdmaMemoryFabric implements MemoryFabric {
    private final RdmaOptions options;
    private final ShmFabric memory;
    private final Nic nic;
    private final Map<Integer, OpenRegion> open = new ConcurrentHashMap<>();
    private final Listener listener;
    private boolean closed;

    /// A region that verbs can reach.
    ///
    /// @param remote what is reported to compute servers
    record OpenRegion(RemoteRegion remote, List<Nic.Registration> pieces) {}

    /// Listens.
    ///
    /// @param address an IPv4 address of an RDMA device; with port 0, any free one ([#address])
    /// @param directory where regions are files, so that a process that is started again finds
    ///     them; null for anonymous memory
    /// @throws FabricException if no device has the address, or there is no native library
    public RdmaMemoryFabric(
            InetSocketAddress address, @Nullable Path directory, RdmaOptions options) {
        this.options = options;
        nic = Nic.open(RdmaDevice.ofMachine().listening(options, address));
        memory = new ShmFabric(new ShmFabric.Options(true, 1 << 12, directory));
        try {
            listener = new Listener(nic, address, options.token(), open);
        } catch (FabricException e) {
            nic.close();
            throw e;
        }
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public synchronized Region register(int server, long bytes) {
        return open(memory.register(server, bytes));
    }

    @Override
    public synchronized Region resume(int server, long bytes) {
        return open(memory.resume(server, bytes));
    }

    private Region open(Region region) {
        int shift = Long.numberOfTrailingZeros(options.pieceBytes());
        int count = RemoteRegion.pieces(region, shift);
        List<Nic.Registration> pieces = new ArrayList<>();
        long[] addresses = new long[count];
        int[] keys = new int[count];
        try {
            for (int i = 0; i < count; i++) {
                long start = (long) i << shift;
                addresses[i] = memory.memory(region.server()) + start;
                long length = Math.min(region.bytes() - start, options.pieceBytes());
                pieces.add(nic.register(addresses[i], length, Nic.LOCAL_AND_REMOTE));
                keys[i] = pieces.getLast().remoteKey();
            }
            RemoteRegion remote = new RemoteRegion(region, shift, addresses, keys);
            requireCapacity(remote);
            open.put(region.server(), new OpenRegion(remote, pieces));
            return region;
        } catch (FabricException e) {
            pieces.forEach(nic::deregister);
            memory.leave(region.server());
            throw e;
        }
    }

    /// All regions are reported in one message.
    private void requireCapacity(RemoteRegion added) {
        int bytes = Integer.BYTES + added.messageBytes();
        for (OpenRegion region : open.values()) {
            bytes += region.remote().messageBytes();
        }
        if (bytes > Message.MAX_BYTES) {
            throw new FabricException(
                    Kind.TOO_LARGE,
                    "the regions of this process are in too many pieces: make them larger");
        }
    }

    @Override
    public long memory(int server) {
        return memory.memory(server);
    }

    @Override
    public void serve(int server, Supplier<RequestHandler> workers) {
        listener.serve(server, workers.get());
    }

    /// There is none: the atomics of a network card need not be atomic with the processor's.
    @Override
    public @Nullable QueuePair map(int server, int landingBytes) {
        return null;
    }

    /// Verbs that come later are refused by the NIC.
    @Override
    public synchronized void leave(int server) {
        OpenRegion region = open.remove(server);
        listener.leave(server);
        if (region != null) {
            region.pieces().forEach(nic::deregister);
        }
        memory.leave(server);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        listener.close();
        for (int server : List.copyOf(open.keySet())) {
            leave(server);
        }
        nic.close();
        memory.close();
    }
}
