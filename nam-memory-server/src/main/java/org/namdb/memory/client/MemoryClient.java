package org.namdb.memory.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.server.RegionLayout;
import org.namdb.memory.server.Request;
import org.namdb.mvcc.MemoryFullException;

/// One thread's requests to memory servers: each is a SEND, a RECEIVE and a round trip.
public final class MemoryClient {
    /// How many numbers of tables, indexes and compute servers there are: 24 bits of an intent, and
    /// of an item of garbage. None is ever used again.
    public static final int CATALOG_NUMBERS = 1 << 24;

    private static final int ZERO_BYTES = 64 << 10;

    /// The longest reply to most requests: a status and some numbers.
    private static final int REPLY_BYTES = 64;

    /// Larger entries of the catalog come in pieces of this size at the most, so that each fits in
    /// a message of any provider.
    private static final int MAX_PIECE_BYTES = 32 << 10;

    private final QueuePair queuePair;
    private final int servers;

    /// By server, the version of its part of the catalog up to which this client has all changes.
    private final long[] catalogVersions;

    private long zeroes;
    private long reserve = Request.NOT_FROM_RESERVE;

    public MemoryClient(QueuePair queuePair, int servers) {
        this.queuePair = queuePair;
        this.servers = servers;
        this.catalogVersions = new long[servers];
    }

    /// How many memory servers there are.
    public int servers() {
        return servers;
    }

    /// Runs what deletes: it may allocate what memory servers keep for that.
    public <T extends @Nullable Object> T fromReserve(Supplier<T> body) {
        reserve = Request.FROM_RESERVE;
        try {
            return body.get();
        } finally {
            reserve = Request.NOT_FROM_RESERVE;
        }
    }

    /// How many bytes the server has left for this client.
    long bytesLeft(ServerUsage usage) {
        long kept =
                reserve == Request.FROM_RESERVE
                        ? 0
                        : RegionLayout.reserveBytes(usage.regionBytes());
        return usage.regionBytes() - usage.usedBytes() - usage.catalogBytes() - kept;
    }

    /// Requests an extent.
    ///
    /// @return its remote address, or null if the server is full
    public long allocate(int server, long bytes) {
        return address(request(server, Request.of(Request.ALLOCATE, bytes, reserve)));
    }

    /// Requests an extent of zeroes.
    ///
    /// @return its remote address, or null if the server is full
    public long allocateZeroed(int server, long bytes) {
        return zeroed(request(server, Request.of(Request.ALLOCATE_ZEROED, bytes, reserve)));
    }

    /// Requests an extent of zeroes that lies at a multiple of its size.
    ///
    /// @param bytes a power of two, 64 KiB or more
    /// @return its remote address, or null if the server has no space for it
    public long allocateAligned(int server, long bytes) {
        return zeroed(request(server, Request.of(Request.ALLOCATE_ALIGNED, bytes, reserve)));
    }

    private long zeroed(ByteBuffer reply) {
        long address = address(reply);
        if (reply.hasRemaining()) {
            zero(address, reply.getLong() + 7 & -8);
        }
        return address;
    }

    private void zero(long address, long bytes) {
        if (bytes > 0 && zeroes == 0) {
            zeroes = queuePair.localMemory(ZERO_BYTES);
        }
        for (long done = 0; done < bytes; done += ZERO_BYTES) {
            queuePair.write(address + done, zeroes, (int) Math.min(ZERO_BYTES, bytes - done));
            queuePair.await();
        }
    }

    /// Takes the next number for a table or an index of the catalog, or for a compute server.
    ///
    /// @throws IllegalStateException if there is none left
    public int nextCatalogNumber() {
        long view =
                queuePair.fetchAndAdd(
                        RegionLayout.address(0, RegionLayout.CATALOG_NUMBER_OFFSET), 1);
        queuePair.await();
        long number = LocalMemory.longAt(view);
        if (number >= CATALOG_NUMBERS) {
            throw new IllegalStateException(
                    "the database has had %,d tables, indexes and compute servers, and can number no more: %s"
                            .formatted(CATALOG_NUMBERS, "copy what it holds to a new one"));
        }
        return (int) number;
    }

    /// Whether other clients have altered something in the part of the catalog that holds `name`
    /// since the last such call for a name there.
    public boolean isCatalogAltered(String name) {
        int server = serverOf(name);
        long version =
                queuePair.readWord(
                        RegionLayout.address(server, RegionLayout.CATALOG_VERSION_OFFSET));
        if (catalogVersions[server] == version) {
            return false;
        }
        catalogVersions[server] = version;
        return true;
    }

    /// The versions of all parts of the catalog, by server: each rises after an entry there was
    /// altered.
    public long[] catalogVersions() {
        long[] versions = new long[servers];
        try (ViewScope _ = queuePair.openViews()) {
            for (int server = 0; server < servers; server++) {
                long address = RegionLayout.address(server, RegionLayout.CATALOG_VERSION_OFFSET);
                versions[server] = queuePair.read(address, Long.BYTES);
            }
            queuePair.await();
            for (int server = 0; server < servers; server++) {
                versions[server] = LocalMemory.longAcquire(versions[server]);
            }
        }
        return versions;
    }

    /// Gives an extent, or a part of one, back.
    public void free(int server, long address, long bytes) {
        request(server, Request.of(Request.FREE, address, bytes));
    }

    /// Gives many extents, or parts of some, back at once.
    ///
    /// @param pieces address and bytes of each in turn
    void free(int server, long[] pieces) {
        request(server, Request.of(Request.FREE, pieces));
    }

    /// Requests how full a server is.
    public ServerUsage usage(int server) {
        ByteBuffer reply = request(server, Request.of(Request.USAGE));
        return new ServerUsage(reply.getLong(), reply.getLong(), reply.getLong(), reply.getLong());
    }

    /// Adds an entry to the catalog.
    ///
    /// @return whether there was none of this name
    /// @throws MemoryFullException if it does not fit
    public boolean putCatalogEntry(String name, byte[] entry) {
        int server = serverOf(name);
        if (!isDone(server, Request.of(Request.CATALOG_PUT, name, entry))) {
            return false;
        }
        altered(server);
        return true;
    }

    /// Puts an entry of the catalog in the place of the one of this name.
    ///
    /// @return whether there was one
    /// @throws MemoryFullException if it does not fit
    public boolean replaceCatalogEntry(String name, byte[] entry) {
        int server = serverOf(name);
        if (!isDone(server, Request.of(Request.CATALOG_REPLACE, name, entry))) {
            return false;
        }
        altered(server);
        return true;
    }

    private boolean isDone(int server, byte[] request) {
        byte status = queuePair.call(server, request, REPLY_BYTES)[0];
        if (status == Request.FULL) {
            throw new MemoryFullException(server, request.length, usage(server).regionBytes());
        }
        return status == Request.DONE;
    }

    /// Looks an entry of the catalog up; null if there is none of this name.
    public byte @Nullable [] catalogEntry(String name) {
        int piece = pieceBytes();
        byte[] entry = {};
        int hash = 0;
        int done = 0;
        do {
            byte[] request = Request.of(Request.CATALOG_GET, name, done, piece);
            int replyBytes = Request.CATALOG_PIECE_HEAD_BYTES + piece;
            byte[] reply = queuePair.call(serverOf(name), request, replyBytes);
            if (reply[0] != Request.DONE) {
                return null;
            }
            ByteBuffer body = ByteBuffer.wrap(reply).position(1);
            int bytes = body.getInt();
            int hashNow = body.getInt();
            if (done > 0 && (bytes != entry.length || hashNow != hash)) {
                done = 0; // it was replaced between two pieces
                continue;
            }
            if (done == 0) {
                entry = new byte[bytes];
                hash = hashNow;
            }
            int read = body.remaining();
            body.get(entry, done, read);
            done += read;
        } while (done < entry.length);
        return entry;
    }

    private int pieceBytes() {
        return Math.min(queuePair.batchBytes(), MAX_PIECE_BYTES);
    }

    /// Takes an entry out of the catalog.
    ///
    /// @return whether there was one of this name
    public boolean removeCatalogEntry(String name) {
        int server = serverOf(name);
        byte[] reply =
                queuePair.call(
                        server, Request.of(Request.CATALOG_REMOVE, name, new byte[0]), REPLY_BYTES);
        if (reply[0] != Request.DONE) {
            return false;
        }
        altered(server);
        return true;
    }

    /// The names of all entries of the catalog, in order.
    public List<String> catalogNames() {
        List<String> names = new ArrayList<>();
        for (int server = 0; server < servers; server++) {
            list(server, false, (name, _) -> names.add(name));
        }
        names.sort(null);
        return names;
    }

    /// All entries of the catalog by name, in the order of the names: consistent only while no
    /// session changes it.
    public SortedMap<String, byte[]> catalogEntries() {
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (int server = 0; server < servers; server++) {
            list(
                    server,
                    true,
                    (name, listed) -> {
                        byte[] entry = listed == null ? catalogEntry(name) : listed;
                        if (entry != null) { // else it has been removed just now
                            entries.put(name, entry);
                        }
                    });
        }
        return entries;
    }

    /// @param entries gets names and, if they are requested, entries: null for one that is too long
    ///     for a list
    private void list(
            int server, boolean withEntries, BiConsumer<String, byte @Nullable []> entries) {
        String last = "";
        boolean isMore = true;
        while (isMore) {
            byte[] request =
                    Request.of(Request.CATALOG_LIST, last, pieceBytes(), withEntries ? 1 : 0);
            ByteBuffer reply =
                    ByteBuffer.wrap(queuePair.call(server, request, pieceBytes())).position(1);
            isMore = reply.hasRemaining();
            while (reply.hasRemaining()) {
                last = Request.name(reply);
                int bytes = withEntries ? reply.getInt() : Request.CATALOG_ENTRY_LEFT_OUT;
                byte[] entry = bytes == Request.CATALOG_ENTRY_LEFT_OUT ? null : new byte[bytes];
                if (entry != null) {
                    reply.get(entry);
                }
                entries.accept(last, entry);
            }
        }
    }

    /// The server that holds a name's part of the catalog: it is partitioned by hash.
    public int serverOf(String name) {
        return Math.floorMod(name.hashCode(), servers);
    }

    private void altered(int server) {
        try (ViewScope _ = queuePair.openViews()) {
            long view =
                    queuePair.fetchAndAdd(
                            RegionLayout.address(server, RegionLayout.CATALOG_VERSION_OFFSET), 1);
            queuePair.await();
            if (LocalMemory.longAt(view) == catalogVersions[server]) {
                catalogVersions[server]++;
            }
        }
    }

    private ByteBuffer request(int server, byte[] request) {
        ByteBuffer reply = ByteBuffer.wrap(queuePair.call(server, request, REPLY_BYTES));
        if (reply.get(0) == Request.REFUSED) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "memory server " + server + " refuses request " + request[0]);
        }
        return reply.position(1);
    }

    private static long address(ByteBuffer reply) {
        return reply.hasRemaining() ? reply.getLong() : 0;
    }
}
