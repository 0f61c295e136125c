package org.namdb.fabric.tcp;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.MappedQueuePair;
import org.namdb.fabric.shm.MappedRegion;

/// Verbs to memory servers of which some may be on this machine, with their regions mapped here:
/// to those a verb is a load, a store or an atomic, and takes effect when it is posted. To the
/// others verbs are gathered, and go out together at the await, each agent's in one message.
final class TcpQueuePair extends MappedQueuePair {
    /// A larger WRITE goes in pieces, so that none fills a frame.
    private static final int WRITE_BYTES = 1 << 20;

    /// An atomic to count each verb would cost more than the verb.
    private static final int COUNTED_TOGETHER = 1024;

    /// How a memory server is reached.
    static final class Route {
        final Region region;

        /// Where its region is mapped in this process; 0 if it is not.
        final long base;

        /// Of a mapped region: where the word is that has the key by which it is open, and its
        /// value if that is ours.
        final long keyWord;

        final long open;
        final VerbStream stream;
        private final @Nullable MappedRegion mapped;

        /// Verbs to the mapping since they were counted last.
        private int uncounted;

        /// @param mapped the region in this process; null if it is not mapped
        /// @param stream where verbs are posted that don't go to the mapping, and requests
        Route(Region region, @Nullable MappedRegion mapped, VerbStream stream) {
            this.region = region;
            this.mapped = mapped;
            this.base = mapped == null ? 0 : mapped.address();
            this.keyWord = mapped == null ? 0 : mapped.keyWord();
            this.open = MappedRegion.openBy(region.key());
            this.stream = stream;
        }

        /// The native address of a remote one in the mapping, for a verb.
        long target(long address) {
            if (++uncounted == COUNTED_TOGETHER) {
                count();
            }
            return base + RemoteAddress.offset(address);
        }

        void count() {
            if (mapped != null) {
                mapped.count(uncounted);
                uncounted = 0;
            }
        }
    }

    private final TcpComputeFabric fabric;
    private final VerbStream[] streams;

    /// The ways to the agents whose regions are mapped here.
    private final AgentLink[] watched;

    private final @Nullable Route[] routes = new @Nullable Route[RemoteAddress.MAX_SERVERS];
    private boolean disconnected;

    TcpQueuePair(
            TcpComputeFabric fabric,
            List<Route> routes,
            List<VerbStream> streams,
            int landingBytes) {
        super(landingBytes);
        this.fabric = fabric;
        this.streams = streams.toArray(VerbStream[]::new);
        for (Route route : routes) {
            this.routes[route.region.server()] = route;
        }
        this.watched =
                routes.stream()
                        .filter(route -> route.base != 0)
                        .map(route -> route.stream.link())
                        .distinct()
                        .toArray(AgentLink[]::new);
    }

    @Override
    public boolean readsInPlace(int server) {
        Route route = routes[server];
        return route != null && route.base != 0;
    }

    @Override
    protected long postRead(long address, int bytes) {
        Route route = route(address, bytes);
        if (route.base != 0) {
            return route.target(address);
        }
        VerbStream stream = stream(route);
        long view = land(bytes);
        stream.read(address, bytes, route.region.key(), view);
        return view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        Route route = route(address, bytes);
        if (route.base != 0) {
            store(route.target(address), source, bytes);
            return;
        }
        VerbStream stream = stream(route);
        for (int done = 0; done < bytes; done += WRITE_BYTES) {
            int piece = Math.min(WRITE_BYTES, bytes - done);
            stream.write(address + done, source + done, piece, route.region.key());
        }
    }

    @Override
    protected void postWriteWord(long address, long value) {
        Route route = route(address, Long.BYTES);
        if (route.base != 0) {
            storeWord(route.target(address), value);
            return;
        }
        stream(route).writeWord(address, value, route.region.key());
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        Route route = route(address, Long.BYTES);
        if (route.base != 0) {
            return cas(route.target(address), expected, desired);
        }
        VerbStream stream = stream(route);
        long view = land(Long.BYTES);
        stream.compareAndSwap(address, expected, desired, route.region.key(), view);
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        Route route = route(address, Long.BYTES);
        if (route.base != 0) {
            return add(route.target(address), delta);
        }
        VerbStream stream = stream(route);
        long view = land(Long.BYTES);
        stream.fetchAndAdd(address, delta, route.region.key(), view);
        return view;
    }

    @Override
    protected void awaitCompletions() {
        endBatch();
        boolean isUnderWay = false;
        for (VerbStream stream : streams) {
            if (!stream.isEmpty()) {
                stream.link().post(stream);
                isUnderWay = true;
            }
        }
        if (isUnderWay) {
            awaitStreams();
        }
        for (AgentLink link : watched) {
            link.requireAgent();
        }
    }

    /// All are sent before the first is awaited: they are one round trip, and no agent waits for
    /// another one.
    private void awaitStreams() {
        for (VerbStream stream : streams) {
            if (!stream.isEmpty()) {
                stream.link().flush(stream);
            }
        }
        FabricException failure = null;
        for (VerbStream stream : streams) {
            if (!stream.isEmpty()) {
                stream.link().await(stream);
                failure = failure == null ? failure(stream) : failure;
                stream.clear();
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable FabricException failure(VerbStream stream) {
        FabricException lost = stream.lost();
        if (lost != null) {
            return new FabricException(lost.kind(), String.valueOf(lost.getMessage()), lost);
        }
        if (stream.code() == 0) {
            return null;
        }
        return new FabricException(
                ServedMemory.kind(stream.code()),
                stream.link().name() + " refuses a verb or a request");
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        Route route = disconnected ? null : routes[server];
        if (route == null) {
            throw withoutRoute(server, "no connection to memory server " + server);
        }
        int most = Math.max(bytes, replyBytes);
        if (most > AgentFrame.MAX_MESSAGE_BYTES) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE,
                    "a request or a reply of %,d bytes: %,d are the most"
                            .formatted(most, AgentFrame.MAX_MESSAGE_BYTES));
        }
        VerbStream stream = stream(route);
        long view = land(landedReply(replyBytes));
        stream.call(server, source, bytes, view, replyBytes);
        return view;
    }

    private static VerbStream stream(Route route) {
        AgentLink.requireKept(route.stream);
        return route.stream;
    }

    /// The way to a remote address, if all of `bytes` lie in the region and both are multiples
    /// of 8.
    private Route route(long address, int bytes) {
        Route route = routes[RemoteAddress.server(address)];
        long offset = RemoteAddress.offset(address);
        if (address >= 0
                || route == null
                || bytes <= 0
                || offset + bytes > route.region.bytes()
                || ((offset | bytes) & 7) != 0
                || (route.base != 0 && LocalMemory.longAcquire(route.keyWord) != route.open)) {
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
        long keyWord =
                route == null || route.base == 0 ? 0 : LocalMemory.longAcquire(route.keyWord);
        if ((route == null || route.base != 0 && keyWord == 0) && address < 0) {
            return withoutRoute(
                    RemoteAddress.server(address), what + ": the memory server is gone");
        }
        if (route != null && route.base != 0 && keyWord != route.open) {
            return new FabricException(
                    FabricException.Kind.BAD_KEY,
                    what + ": the region key does not open this region");
        }
        return new FabricException(
                FabricException.Kind.BAD_ADDRESS,
                what
                        + ": not inside of a region of "
                        + (route == null ? 0 : route.region.bytes())
                        + " bytes, or not aligned to 8");
    }

    /// A memory server that was silent when this was opened may be there again, with all that it
    /// holds. Links that were opened since show whether it is: this does not wait for it.
    private FabricException withoutRoute(int server, String what) {
        if (!disconnected && fabric.hasWayTo(server)) {
            lost();
        }
        FabricException why = fabric.unreachable(server);
        return why == null
                ? new FabricException(FabricException.Kind.PEER_GONE, what)
                : new FabricException(FabricException.Kind.PEER_GONE, what, why);
    }

    /// @throws FabricException if an agent may still do what was posted last: another call may
    ///     settle that
    @Override
    public void disconnect() {
        disconnected = true;
        Arrays.fill(routes, null);
        for (VerbStream stream : streams) {
            fabric.settle(stream);
        }
    }

    @Override
    public void close() {
        if (isFreed()) {
            return;
        }
        disconnected = true;
        for (Route route : routes) {
            if (route != null) {
                route.count();
            }
        }
        Arrays.fill(routes, null);
        for (VerbStream stream : streams) {
            stream.link().forget(stream);
        }
        free();
    }
}
