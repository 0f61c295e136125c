package org.namdb.memory.server;

import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.DroppedTrees;
import org.namdb.mvcc.coarse.TreeWorker;

/// A memory server: one region, its extents, its part of the catalog, and the answers to the few
/// requests that need a processor. Everything else that happens to its memory, compute servers do
/// by one-sided verbs.
///
/// All of its state lies in the region, but for advisory locks: a server that is started over the
/// memory of one that has ended goes on where that one stopped, between any two words.
///
/// Source: NAM-DB, sections 2.1 and 5.3.
public final class MemoryServer implements AutoCloseable {
    private final MemoryFabric fabric;
    private final Region region;
    private volatile UnaryOperator<ByteBuffer> journal = MemoryServer::refuse;

    /// Registers new memory and starts to answer.
    ///
    /// @param number the server's number, from 0
    /// @param regionBytes how much memory it holds
    /// @param reservedBytes how much of it, after the head, is kept for fixed structures (the
    ///     timestamp vector, intents)
    public MemoryServer(MemoryFabric fabric, int number, long regionBytes, long reservedBytes) {
        this(fabric, fabric.register(number, regionBytes));
        RegionWords words = new MappedWords(fabric.memory(number));
        ServerCatalog catalog = ServerCatalog.open(words, number, regionBytes);
        Extents extents = Extents.format(words, RegionLayout.extentMap(reservedBytes), regionBytes);
        words.put(RegionLayout.REGION_BYTES_OFFSET, regionBytes);
        words.put(RegionLayout.MAGIC_OFFSET, RegionLayout.MAGIC); // last: now it is one of ours
        serve(extents, catalog);
    }

    private MemoryServer(MemoryFabric fabric, Region region) {
        this.fabric = fabric;
        this.region = region;
    }

    /// Takes up the memory that a server of this number has left, with all that is in it, and
    /// starts to answer.
    ///
    /// @throws IllegalStateException if no memory server has formatted it, or in another format or
    ///     size, or if what it holds is damaged
    public static MemoryServer resume(MemoryFabric fabric, int number, long regionBytes) {
        MemoryServer server = new MemoryServer(fabric, fabric.resume(number, regionBytes));
        boolean isServing = false;
        try {
            server.takeUp();
            isServing = true;
        } finally {
            if (!isServing) {
                server.close();
            }
        }
        return server;
    }

    private void takeUp() {
        RegionWords words = new MappedWords(fabric.memory(region.server()));
        if (words.word(RegionLayout.MAGIC_OFFSET) != RegionLayout.MAGIC
                || words.word(RegionLayout.REGION_BYTES_OFFSET) != region.bytes()) {
            throw new IllegalStateException(
                    "memory server %d: what is there is not a region of %d bytes in format %s"
                            .formatted(
                                    region.server(),
                                    region.bytes(),
                                    Long.toHexString(RegionLayout.MAGIC)));
        }
        ServerCatalog catalog = ServerCatalog.open(words, region.server(), region.bytes());
        serve(Extents.open(words, region.bytes(), catalog.offsets()), catalog);
    }

    private void serve(Extents extents, ServerCatalog catalog) {
        catalog.use(extents);
        RequestRegistry requests = new RequestRegistry();
        new ExtentRequests(region.server(), region.bytes(), extents, catalog).register(requests);
        new CatalogRequests(catalog).register(requests);
        requests.register(Request.ADVISORY_LOCKS, new AdvisoryLockTable()::answer);
        requests.register(Request.JOURNAL, body -> Request.rest(journal.apply(body)));
        RequestHandler others = RequestHandler.ofArrays(requests::handle);
        DroppedTrees dropped = new DroppedTrees();
        RemoteAllocator allocator = new WorkerAllocator(region, extents, requests);
        int server = region.server();
        fabric.serve(
                server,
                () ->
                        new ServerWorker(
                                new TreeWorker(
                                        server,
                                        landingBytes -> fabric.map(server, landingBytes),
                                        allocator,
                                        dropped),
                                others));
    }

    private static ByteBuffer refuse(ByteBuffer body) {
        return ByteBuffer.wrap(new byte[] {Request.REFUSED});
    }

    /// From now on, requests about the server's disk are answered.
    ///
    /// @param handler gets what follows a request's head, and returns the reply with its status
    public void answerJournal(UnaryOperator<ByteBuffer> handler) {
        journal = handler;
    }

    /// What a peer needs to reach this server.
    public Region region() {
        return region;
    }

    @Override
    public void close() {
        fabric.leave(region.server());
    }
}
