package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;

/// What a cluster is recovered to: the commits that a member of the snapshot chain shows, and the
/// schema of that moment. In the journal of each memory server, behind the images of all these
/// commits; so a cut is complete when all journals have it, or a later one.
/// ```
/// number of the member | catalog numbers given | catalog's hash | slots | bytes | V[0] ..| catalog
/// ```
///
/// @param sequence the member's number in the chain
/// @param catalogNumbers how many numbers of tables and compute servers were given out
/// @param hash of the schema
/// @param vector the member, slot by slot
/// @param catalog all tables, as [DefinedTable] writes them; null if a cut before has had them
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Cut(
        long sequence, long catalogNumbers, long hash, long[] vector, byte @Nullable [] catalog) {
    private static final int HEAD_BYTES = 32;

    /// The schema as bytes.
    public static byte[] catalog(List<Table> tables) {
        return DefinedTable.encode(tables.stream().map(DefinedTable::of).toList(), List.of());
    }

    /// A number that no other schema has.
    public static long hash(byte[] catalog) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(catalog)).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The body of an entry of a journal.
    public byte[] encode() {
        byte[] known = catalog;
        int bytes = known == null ? 0 : known.length;
        ByteBuffer into =
                ByteBuffer.allocate(HEAD_BYTES + Long.BYTES * vector.length + (bytes + 7 & -8))
                        .putLong(sequence)
                        .putLong(catalogNumbers)
                        .putLong(hash)
                        .putInt(vector.length)
                        .putInt(bytes);
        for (long timestamp : vector) {
            into.putLong(timestamp);
        }
        if (known != null) {
            into.put(known);
        }
        return into.array();
    }

    static Cut decode(byte[] body) {
        ByteBuffer from = ByteBuffer.wrap(body);
        long sequence = from.getLong();
        long numbers = from.getLong();
        long hash = from.getLong();
        long[] vector = new long[from.getInt()];
        byte[] catalog = new byte[from.getInt()];
        for (int slot = 0; slot < vector.length; slot++) {
            vector[slot] = from.getLong();
        }
        from.get(catalog);
        return new Cut(sequence, numbers, hash, vector, catalog.length == 0 ? null : catalog);
    }

    /// Whether a commit is one of those that it shows.
    boolean shows(int slot, long timestamp) {
        return slot < vector.length && timestamp <= vector[slot];
    }
}
