package org.namdb.memory.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Answers the requests about the catalog.
final class CatalogRequests {
    private final ServerCatalog catalog;

    CatalogRequests(ServerCatalog catalog) {
        this.catalog = catalog;
    }

    void register(RequestRegistry requests) {
        requests.register(
                Request.CATALOG_PUT, body -> put(Request.name(body), Request.rest(body), false));
        requests.register(
                Request.CATALOG_REPLACE, body -> put(Request.name(body), Request.rest(body), true));
        requests.register(Request.CATALOG_GET, body -> found(catalog.entry(Request.name(body))));
        requests.register(
                Request.CATALOG_REMOVE, body -> status(catalog.remove(Request.name(body))));
        requests.register(Request.CATALOG_LIST, _ -> list());
    }

    private byte[] put(String name, byte[] entry, boolean isThere) {
        if (catalog.contains(name) != isThere) {
            return status(false);
        }
        return catalog.put(name, entry) ? status(true) : new byte[] {Request.FULL};
    }

    private static byte[] status(boolean isDone) {
        return new byte[] {isDone ? Request.DONE : Request.NOTHING};
    }

    private static byte[] found(byte @Nullable [] entry) {
        return entry == null
                ? status(false)
                : ByteBuffer.allocate(1 + entry.length).put(Request.DONE).put(entry).array();
    }

    private byte[] list() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(Request.DONE);
            for (String name : catalog.names()) {
                out.writeUTF(name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
