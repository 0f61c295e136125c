package org.namdb.memory.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeSet;

/// Answers the requests about the catalog.
final class CatalogRequests {
    private static final byte[] NO_BYTES = {};

    private final ServerCatalog catalog;

    CatalogRequests(ServerCatalog catalog) {
        this.catalog = catalog;
    }

    void register(RequestRegistry requests) {
        requests.register(
                Request.CATALOG_PUT, body -> put(Request.name(body), Request.rest(body), false));
        requests.register(
                Request.CATALOG_REPLACE, body -> put(Request.name(body), Request.rest(body), true));
        requests.register(Request.CATALOG_GET, this::piece);
        requests.register(
                Request.CATALOG_REMOVE, body -> status(catalog.remove(Request.name(body))));
        requests.register(Request.CATALOG_LIST, this::list);
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

    /// A piece of an entry, with the length and the hash code of the whole one: `from, most bytes`.
    private byte[] piece(ByteBuffer body) {
        byte[] entry = catalog.entry(Request.name(body));
        if (entry == null) {
            return status(false);
        }
        int from = Math.clamp(body.getLong(), 0, entry.length);
        int bytes = Math.clamp(body.getLong(), 0, entry.length - from);
        return ByteBuffer.allocate(Request.CATALOG_PIECE_HEAD_BYTES + bytes)
                .put(Request.DONE)
                .putInt(entry.length)
                .putInt(Arrays.hashCode(entry))
                .put(entry, from, bytes)
                .array();
    }

    /// Names in order, those behind another one, as many as fit, with their entries where they are
    /// requested and are not longer than a list: `max bytes, with entries`.
    private byte[] list(ByteBuffer body) {
        String behind = Request.name(body);
        long max = body.getLong();
        boolean withEntries = body.getLong() != 0;
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(list)) {
            out.writeByte(Request.DONE);
            for (String name : new TreeSet<>(catalog.names()).tailSet(behind, false)) {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                byte[] entry = withEntries ? catalog.entry(name) : null;
                int bytes = Integer.BYTES + utf8.length;
                if (withEntries) {
                    bytes += Integer.BYTES;
                    if (entry != null && 1 + bytes + entry.length > max) {
                        entry = null;
                    }
                    bytes += entry == null ? 0 : entry.length;
                }
                if (out.size() + bytes > max) {
                    break;
                }
                out.writeInt(utf8.length);
                out.write(utf8);
                if (withEntries) {
                    out.writeInt(entry == null ? Request.CATALOG_ENTRY_LEFT_OUT : entry.length);
                    out.write(entry == null ? NO_BYTES : entry);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return list.toByteArray();
    }
}
