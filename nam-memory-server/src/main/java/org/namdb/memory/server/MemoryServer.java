package org.namdb.memory.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// A memory server: one region, its extents, its part of the catalog, and the answers to the few requests that need a
/// processor. Everything else that happens to its memory, compute servers do by one-sided verbs.
///
/// Source: NAM-DB, sections 2.1 and 5.3.
public final class MemoryServer implements AutoCloseable {
    private final Fabric fabric;
    private final Region region;
    private final Extents extents;
    private final TreeMap<String, byte[]> catalog = new TreeMap<>();

    /// Registers the memory and starts to answer.
    ///
    /// @param number the server's number, from 0
    /// @param regionBytes how much memory it holds
    /// @param reservedBytes how much of it, after the head, is kept for fixed structures (the timestamp vector)
    public MemoryServer(Fabric fabric, int number, long regionBytes, long reservedBytes) {
        this.fabric = fabric;
        this.region = fabric.register(number, regionBytes);
        this.extents = new Extents(RegionLayout.HEAD_BYTES + reservedBytes, regionBytes);
        try (QueuePair queuePair = fabric.connect(List.of(region))) {
            queuePair.writeWord(
                    RegionLayout.address(number, RegionLayout.REGION_BYTES_OFFSET), regionBytes);
            queuePair.writeWord(
                    RegionLayout.address(number, RegionLayout.MAGIC_OFFSET), RegionLayout.MAGIC);
            queuePair.await();
        }
        fabric.serve(number, this::answer);
    }

    /// What a peer must know to reach this server.
    public Region region() {
        return region;
    }

    @Override
    public void close() {
        fabric.leave(region.server());
    }

    /// Answers a request; one that makes no sense is refused and changes nothing.
    private byte[] answer(byte[] request) {
        try {
            ByteBuffer body = ByteBuffer.wrap(request);
            return switch (body.get()) {
                case Request.ALLOCATE -> offset(extents.allocate(positive(body.getLong())));
                case Request.ALLOCATE_ZEROED -> zeroed(positive(body.getLong()));
                case Request.FREE -> free(body);
                case Request.USAGE ->
                        Request.of(
                                Request.DONE,
                                extents.usedBytes(),
                                extents.largestFreeBytes(),
                                region.bytes());
                case Request.CATALOG_PUT -> put(Request.name(body), Request.rest(body));
                case Request.CATALOG_REPLACE -> replace(Request.name(body), Request.rest(body));
                case Request.CATALOG_GET -> found(catalog.get(Request.name(body)));
                case Request.CATALOG_REMOVE -> found(catalog.remove(Request.name(body)));
                case Request.CATALOG_LIST -> list();
                default -> new byte[] {Request.REFUSED};
            };
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | NegativeArraySizeException e) {
            return new byte[] {Request.REFUSED};
        }
    }

    private static long positive(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes " + bytes);
        }
        return bytes;
    }

    private byte[] offset(long offset) {
        return offset < 0
                ? new byte[] {Request.NOTHING}
                : Request.of(Request.DONE, RemoteAddress.of(region.server(), offset));
    }

    /// An extent, and how many of its bytes the requester has to fill with zeroes: this server leaves that to a verb, as everything else.
    private byte[] zeroed(long bytes) {
        long untouched = extents.touched();
        long offset = extents.allocate(bytes);
        return offset < 0
                ? new byte[] {Request.NOTHING}
                : Request.of(
                        Request.DONE,
                        RemoteAddress.of(region.server(), offset),
                        Math.clamp(untouched - offset, 0, bytes));
    }

    private byte[] free(ByteBuffer pieces) {
        do {
            long address = pieces.getLong();
            extents.free(RemoteAddress.offset(address), pieces.getLong());
        } while (pieces.hasRemaining());
        return new byte[] {Request.DONE};
    }

    private byte[] replace(String name, byte[] entry) {
        boolean isKnown = catalog.replace(name, entry) != null;
        return new byte[] {isKnown ? Request.DONE : Request.NOTHING};
    }

    private byte[] put(String name, byte[] entry) {
        boolean isNew = catalog.putIfAbsent(name, entry) == null;
        return new byte[] {isNew ? Request.DONE : Request.NOTHING};
    }

    private static byte[] found(byte @org.jspecify.annotations.Nullable [] entry) {
        return entry == null
                ? new byte[] {Request.NOTHING}
                : ByteBuffer.allocate(1 + entry.length).put(Request.DONE).put(entry).array();
    }

    private byte[] list() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(Request.DONE);
            for (String name : catalog.keySet()) {
                out.writeUTF(name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
