package org.namdb.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// Verbs to memory servers of which some may be on this machine, with their regions mapped here:
/// to those a verb is a load, a store or an atomic, and takes effect when it is posted. To the
/// others verbs are gathered, and go out together at the await, each agent's in one message.
final class TcpQueuePair extends QueuePair {
    private static final int SOURCE_ALIGNMENT = 64;
    private static final int PIECE_BYTES = 1 << 20;

    /// A larger WRITE goes in pieces, so that none fills a frame.
    private static final int WRITE_BYTES = 1 << 20;

    /// How a memory server is reached.
    ///
    /// @param base where its region is mapped in this process; 0 if it is not
    /// @param lane where verbs to it are posted; null if it is out of reach
    record Route(Region region, long base, @Nullable Lane lane) {}

    private final TcpComputeFabric fabric;
    private final Lane[] lanes;
    private final @Nullable Route[] routes = new @Nullable Route[RemoteAddress.MAX_SERVERS];
    private final long[] bases = new long[RemoteAddress.MAX_SERVERS];
    private final Arena arena = Arena.ofShared();
    private final LandingRing landing;

    /// Local memory that can be given back by itself, by address.
    private final Map<Long, Arena> pieces = new HashMap<>();

    private boolean written;
    private boolean disconnected;

    TcpQueuePair(TcpComputeFabric fabric, List<Route> routes, List<Lane> lanes, int landingBytes) {
        this.fabric = fabric;
        this.lanes = lanes.toArray(Lane[]::new);
        this.landing = new LandingRing(arena, landingBytes);
        for (Route route : routes) {
            this.routes[route.region().server()] = route;
            this.bases[route.region().server()] = route.base();
        }
    }

    @Override
    public boolean readsInPlace(int server) {
        return bases[server] != 0;
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
        Route route = route(address, bytes);
        if (route.base() != 0) {
            return route.base() + RemoteAddress.offset(address);
        }
        Lane lane = lane(route);
        long view = landing.land(bytes);
        lane.read(address, bytes, route.region().key(), view);
        return view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        Route route = route(address, bytes);
        if (route.base() != 0) {
            VarHandle.releaseFence();
            LocalMemory.copy(source, route.base() + RemoteAddress.offset(address), bytes);
            written = true;
            return;
        }
        Lane lane = lane(route);
        for (int done = 0; done < bytes; done += WRITE_BYTES) {
            int piece = Math.min(WRITE_BYTES, bytes - done);
            lane.write(address + done, source + done, piece, route.region().key());
        }
    }

    @Override
    protected void postWriteWord(long address, long value) {
        Route route = route(address, Long.BYTES);
        if (route.base() != 0) {
            LocalMemory.putLongRelease(route.base() + RemoteAddress.offset(address), value);
            written = true;
            return;
        }
        lane(route).writeWord(address, value, route.region().key());
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        Route route = route(address, Long.BYTES);
        if (route.base() != 0) {
            long target = route.base() + RemoteAddress.offset(address);
            long view = landing.land(Long.BYTES);
            LocalMemory.putLong(view, LocalMemory.compareAndExchange(target, expected, desired));
            return view;
        }
        Lane lane = lane(route);
        long view = landing.land(Long.BYTES);
        lane.compareAndSwap(address, expected, desired, route.region().key(), view);
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        Route route = route(address, Long.BYTES);
        if (route.base() != 0) {
            long target = route.base() + RemoteAddress.offset(address);
            long view = landing.land(Long.BYTES);
            LocalMemory.putLong(view, LocalMemory.fetchAndAdd(target, delta));
            return view;
        }
        Lane lane = lane(route);
        long view = landing.land(Long.BYTES);
        lane.fetchAndAdd(address, delta, route.region().key(), view);
        return view;
    }

    @Override
    protected void awaitCompletions() {
        landing.endBatch();
        if (written) {
            written = false;
            VarHandle.fullFence();
        }
        boolean isUnderWay = false;
        for (Lane lane : lanes) {
            if (!lane.isEmpty()) {
                lane.link().post(lane);
                isUnderWay = true;
            }
        }
        if (isUnderWay) {
            awaitLanes();
        }
    }

    private void awaitLanes() {
        FabricException failure = null;
        for (Lane lane : lanes) {
            if (!lane.isEmpty()) {
                lane.link().await(lane);
                failure = failure == null ? failure(lane) : failure;
                lane.clear();
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable FabricException failure(Lane lane) {
        FabricException lost = lane.lost();
        if (lost != null) {
            return new FabricException(lost.kind(), String.valueOf(lost.getMessage()), lost);
        }
        if (lane.code() == 0) {
            return null;
        }
        return new FabricException(
                ServedMemory.kind(lane.code()),
                "the memory server at %s refuses a verb".formatted(lane.link().address()));
    }

    @Override
    protected byte[] exchange(int server, byte[] request) {
        Route route =
                server >= 0 && server < routes.length && !disconnected ? routes[server] : null;
        if (route == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "no connection to memory server " + server);
        }
        if (request.length > Frame.MOST_MESSAGE_BYTES) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE,
                    "a request of %,d bytes: %,d are the most"
                            .formatted(request.length, Frame.MOST_MESSAGE_BYTES));
        }
        Lane lane = lane(route);
        lane.message(Frame.CALL, server, request);
        lane.link().post(lane);
        lane.link().await(lane);
        try {
            return lane.link().answerOf(lane);
        } finally {
            lane.clear();
        }
    }

    private Lane lane(Route route) {
        Lane lane = route.lane();
        if (lane == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "memory server %d can't be reached".formatted(route.region().server()));
        }
        AgentLink.requireKept(lane);
        return lane;
    }

    /// The way to a remote address, if all of `bytes` lie in the region and both are multiples
    /// of 8.
    private Route route(long address, int bytes) {
        Route route = routes[RemoteAddress.server(address)];
        long offset = RemoteAddress.offset(address);
        if (address >= 0
                || route == null
                || bytes <= 0
                || offset + bytes > route.region().bytes()
                || ((offset | bytes) & 7) != 0) {
            throw refused(route, address, bytes);
        }
        return route;
    }

    private FabricException refused(@Nullable Route route, long address, int bytes) {
        String what = bytes + " bytes at " + RemoteAddress.describe(address);
        if (RemoteAddress.isNull(address)) {
            return new FabricException(
                    FabricException.Kind.BAD_ADDRESS, "a verb on the null address");
        }
        if (disconnected) {
            return new FabricException(
                    FabricException.Kind.CONNECTION_LOST, what + ": disconnected before");
        }
        if (route == null && address < 0) {
            return new FabricException(
                    FabricException.Kind.PEER_GONE, what + ": the memory server is gone");
        }
        return new FabricException(
                FabricException.Kind.BAD_ADDRESS,
                what
                        + ": not inside of a region of "
                        + (route == null ? 0 : route.region().bytes())
                        + " bytes, or not aligned to 8");
    }

    /// @throws FabricException if it is not known whether an agent still does what was posted last:
    ///     another call may find that out
    @Override
    public void disconnect() {
        disconnected = true;
        Arrays.fill(routes, null);
        Arrays.fill(bases, 0);
        for (Lane lane : lanes) {
            fabric.settle(lane);
        }
    }

    @Override
    public void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        disconnected = true;
        Arrays.fill(routes, null);
        Arrays.fill(bases, 0);
        for (Lane lane : lanes) {
            lane.link().forget(lane);
        }
        pieces.values().forEach(Arena::close);
        pieces.clear();
        arena.close();
    }
}
