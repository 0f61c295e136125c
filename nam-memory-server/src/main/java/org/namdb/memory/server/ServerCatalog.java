package org.namdb.memory.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A memory server's part of the catalog: entries by name, each an extent of the region, linked one
/// behind the other.
/// ```
/// head word of the region -> entry -> entry -> ... -> 0
///
/// entry   0      8                     16         24
///        | next | name bytes, of entry | CRC-32C | name | entry |   zeroes fill the last word
/// ```
/// An entry is added, removed or replaced by the change of one word, which is the link to it;
/// before that it is whole. So a server that dies leaves the entries of before, or those of after.
/// Names are found by an index in this process.
final class ServerCatalog {
    private static final int LENGTHS = 8;
    private static final int CHECKSUM = 16;
    private static final int TEXT = 24;

    private record Place(long offset, int nameBytes, int entryBytes) {
        long bytes() {
            return TEXT + (nameBytes + (long) entryBytes + 7 & -8);
        }
    }

    private final RegionWords words;
    private final TreeMap<String, Place> places = new TreeMap<>();
    private @Nullable Extents extents;

    private ServerCatalog(RegionWords words) {
        this.words = words;
    }

    /// The catalog of a region of zeroes is empty.
    static ServerCatalog open(RegionWords words, int server, long limit) {
        ServerCatalog catalog = new ServerCatalog(words);
        long offset = words.word(RegionLayout.CATALOG_OFFSET);
        while (offset != 0) {
            catalog.add(offset, server, limit);
            offset = words.word(offset);
        }
        return catalog;
    }

    private void add(long offset, int server, long limit) {
        if (offset < 0 || offset > limit - TEXT || (offset & 63) != 0) {
            throw damaged(server, offset);
        }
        long lengths = words.word(offset + LENGTHS);
        Place place = new Place(offset, (int) (lengths >>> 32), (int) lengths);
        if (place.nameBytes < 0 || place.entryBytes < 0 || place.bytes() > limit - offset) {
            throw damaged(server, offset);
        }
        byte[] text = text(place);
        if (words.word(offset + CHECKSUM) != checksum(text)) {
            throw damaged(server, offset);
        }
        String name = new String(text, 0, place.nameBytes, StandardCharsets.UTF_8);
        if (places.put(name, place) != null) {
            throw damaged(server, offset); // or the chain is a ring
        }
    }

    private static IllegalStateException damaged(int server, long offset) {
        return new IllegalStateException(
                "memory server %d: its catalog is damaged at offset 0x%x"
                        .formatted(server, offset));
    }

    /// The offsets of all entries.
    Set<Long> offsets() {
        Set<Long> offsets = new HashSet<>();
        places.values().forEach(place -> offsets.add(place.offset));
        return offsets;
    }

    /// What the extents of all entries take.
    long usedBytes() {
        return places.values().stream()
                .mapToLong(place -> FreeExtents.aligned(place.bytes()))
                .sum();
    }

    /// Sets where entries get their extents.
    void use(Extents ofRegion) {
        extents = ofRegion;
    }

    Collection<String> names() {
        return places.keySet();
    }

    /// An entry; null if there is none of this name.
    byte @Nullable [] entry(String name) {
        Place place = places.get(name);
        if (place == null) {
            return null;
        }
        return Arrays.copyOfRange(text(place), place.nameBytes, place.nameBytes + place.entryBytes);
    }

    boolean contains(String name) {
        return places.containsKey(name);
    }

    /// Adds an entry, or puts it in the place of the one of its name.
    ///
    /// @return whether it fitted
    boolean put(String name, byte[] entry) {
        if (Arrays.equals(entry(name), entry)) {
            return true;
        }
        Place old = places.get(name);
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        Place made = new Place(0, nameBytes.length, entry.length);
        long offset = extents().begin(made.bytes());
        if (offset < 0) {
            return false;
        }
        Place place = new Place(offset, nameBytes.length, entry.length);
        long next = words.word(old == null ? RegionLayout.CATALOG_OFFSET : old.offset);
        write(place, next, nameBytes, entry);
        if (old == null) {
            words.put(RegionLayout.CATALOG_OFFSET, offset);
        } else {
            long link = linkTo(old.offset);
            extents().free(old.offset, old.bytes(), () -> words.put(link, offset));
        }
        extents().end();
        places.put(name, place);
        return true;
    }

    /// Takes an entry out.
    ///
    /// @return whether there was one of this name
    boolean remove(String name) {
        Place place = places.remove(name);
        if (place == null) {
            return false;
        }
        long link = linkTo(place.offset);
        long next = words.word(place.offset);
        extents().free(place.offset, place.bytes(), () -> words.put(link, next));
        return true;
    }

    private Extents extents() {
        return java.util.Objects.requireNonNull(extents, "has no extents yet");
    }

    private void write(Place place, long next, byte[] name, byte[] entry) {
        ByteBuffer text =
                ByteBuffer.allocate((int) (place.bytes() - TEXT)).order(ByteOrder.LITTLE_ENDIAN);
        text.put(name).put(entry);
        words.put(place.offset, next);
        words.put(place.offset + LENGTHS, (long) name.length << 32 | entry.length);
        words.put(place.offset + CHECKSUM, checksum(text.array()));
        for (int at = 0; at < text.capacity(); at += Long.BYTES) {
            words.put(place.offset + TEXT + at, text.getLong(at));
        }
    }

    /// Name and entry, and the zeroes behind.
    private byte[] text(Place place) {
        ByteBuffer text =
                ByteBuffer.allocate((int) (place.bytes() - TEXT)).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < text.capacity(); at += Long.BYTES) {
            text.putLong(at, words.word(place.offset + TEXT + at));
        }
        return text.array();
    }

    private static long checksum(byte[] text) {
        CRC32C checksum = new CRC32C();
        checksum.update(text);
        return checksum.getValue();
    }

    /// Where the link to an entry is.
    private long linkTo(long offset) {
        long link = RegionLayout.CATALOG_OFFSET;
        while (words.word(link) != offset) {
            link = words.word(link);
        }
        return link;
    }
}
