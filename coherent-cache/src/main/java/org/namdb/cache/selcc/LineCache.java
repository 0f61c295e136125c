package org.namdb.cache.selcc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.line.LineAllocator;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;

/// A compute server's cache of lines. It answers the other compute servers' requests for lines, and
/// has a session for each thread that reads and changes lines.
///
/// When it is closed, all lines are released. A compute server that ends without that keeps its
/// lines: the others wait for them in vain, until their waits end.
///
/// Thread-safe. Source: SELCC.
public final class LineCache implements AutoCloseable {
    private final LineCacheOptions options;
    private final ComputeFabric fabric;
    private final List<Region> regions;
    private final PeerFabric peers;
    private final Host host;
    private final LineArea layout;
    private final FrameTable table;
    private final LineAllocator allocator;
    private final int station;
    private final ReleaseHandler handler;

    private volatile long[] stations = new long[Stations.MAX + 1];

    private volatile @Nullable FabricException failure;

    /// Takes a station, and begins to answer requests.
    ///
    /// @param fabric the way to the memory servers
    /// @param regions of all memory servers, by number
    /// @param peers the way to the other compute servers, which this cache serves from now on, and
    ///     which is closed after it
    /// @throws IllegalStateException if 58 compute servers have caches already
    public LineCache(
            LineCacheOptions options,
            ComputeFabric fabric,
            List<Region> regions,
            PeerFabric peers,
            Host host) {
        this.options = options;
        this.fabric = fabric;
        this.regions = List.copyOf(regions);
        this.peers = peers;
        this.host = host;
        this.layout = new LineArea(options.lineBytes());
        this.table = new FrameTable(options.frames(), options.lineBytes());
        this.allocator = new LineAllocator(layout, regions.size(), peers.process());
        try (QueuePair queuePair = connect()) {
            this.station = Stations.take(queuePair, peers.process());
        }
        this.handler = new ReleaseHandler(this);
        peers.serve(handler);
    }

    /// Opens a thread's session.
    public LineSession open() {
        requireUsable();
        return new LineSession(this);
    }

    /// What this compute server may do with a line at this moment, for who judges it.
    public State state(long line) {
        Frame frame = table.find(line);
        return frame == null ? State.INVALID : frame.state();
    }

    /// The station: this compute server's number in latch words.
    public int station() {
        return station;
    }

    /// Writes what is changed to memory and releases all lines. No session has a guard open.
    @Override
    public void close() {
        try {
            if (failure == null) {
                releaseAll();
                try (QueuePair queuePair = connect()) {
                    Stations.release(queuePair, station);
                }
            }
        } finally {
            peers.close();
            handler.close();
            table.close();
        }
    }

    private void releaseAll() {
        try (LineProtocol protocol = new LineProtocol(this)) {
            for (int i = 0; i < table.size(); i++) {
                Frame frame = table.frame(i);
                while (frame.line() != RemoteAddress.NULL) {
                    if (frame.tryExclusive()) {
                        protocol.release(frame);
                        table.remove(frame);
                    } else {
                        host.sleep(LineSession.MIN_PAUSE_NANOS); // the handler has it
                    }
                }
            }
        }
    }

    /// The verbs by which requests of others were handled.
    VerbCounters handled() {
        return handler.counters();
    }

    QueuePair connect() {
        return fabric.connect(regions);
    }

    PeerQueue connectPeers() {
        return peers.connect();
    }

    LineArea layout() {
        return layout;
    }

    FrameTable table() {
        return table;
    }

    LineAllocator allocator() {
        return allocator;
    }

    Host host() {
        return host;
    }

    int memoryServers() {
        return regions.size();
    }

    long waitNanos() {
        return options.waitLimit().toNanos();
    }

    boolean flushesOnRelease() {
        return options.flush() == LineCacheOptions.Flush.ON_RELEASE;
    }

    /// The words of all stations as they were read last; zeroes before that.
    long[] stations() {
        return stations;
    }

    void stations(long[] newStations) {
        stations = newStations;
    }

    /// The memory servers refuse this process, or are gone: it is unknown which lines it has, and
    /// the cache is of no use any more.
    void fail(FabricException newFailure) {
        failure = newFailure;
    }

    void requireUsable() {
        FabricException found = failure;
        if (found != null) {
            throw new FabricException(
                    found.kind(), "the cache of lines has failed: " + found.getMessage(), found);
        }
    }
}
