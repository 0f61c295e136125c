package org.namdb.mvcc.catalog;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The catalog's entries as bytes: a table or an index, its number, and where it is. Numbers are
/// big-endian.
/// ```
/// 0        4                     8        12
/// | format | CRC-32C of the rest | number | addresses, buckets per range, what it is
/// ```
/// The format is `NAM`, and one byte for its number. An entry of another format, or one that is
/// damaged, is refused.
///
/// @param number the number in the catalog
/// @param addresses remote addresses: of the heads of a table's ranges, or of a tree's anchor
/// @param bucketsPerRange the first buckets of each range
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CatalogEntry(int number, long[] addresses, long bucketsPerRange) {
    /// What the names of tables' entries begin with.
    public static final String TABLE = "table:";

    /// What the names of indexes' entries begin with.
    public static final String INDEX = "index:";

    /// The prefix of the entries of tables that have no name yet, or none any more, and hold
    /// memory. Two numbers follow: that of the compute server that makes or drops it, and its own.
    public static final String UNNAMED_TABLE = "unnamed-table:";

    /// The same of indexes. Such an index's table is called by its number.
    public static final String UNNAMED_INDEX = "unnamed-index:";

    /// The name of the entry that lists a change of several entries while these are changed.
    public static final String UPDATE = "update";

    /// What the names of entries begin with that each list a part of such a change. Then that entry
    /// lists these, as entries that are to be removed.
    public static final String UPDATE_PART = "update-part:";

    /// What the names of entries begin with that keep space for those of such a change, each on the
    /// memory server of one of them. That entry lists these, as entries that are to be removed.
    public static final String UPDATE_SPACE = "update-space:";

    private static final int MAGIC = 'N' << 24 | 'A' << 16 | 'M' << 8;
    private static final int FORMAT = 3;
    private static final int HEAD_BYTES = 8;
    private static final int REMOVED = -1;

    /// Whether an entry is of a table or an index without a name, by the entry's own name.
    public static boolean isUnnamed(String name) {
        return name.startsWith(UNNAMED_TABLE) || name.startsWith(UNNAMED_INDEX);
    }

    /// Whether an entry belongs to a change of several others: without that, it was left by
    /// a coordinator that has died before.
    public static boolean isOfUpdate(String name) {
        return name.startsWith(UPDATE_PART) || name.startsWith(UPDATE_SPACE);
    }

    /// A table's entry.
    public static byte[] encode(TableDefinition table, CatalogEntry entry) {
        return write(out -> {
            entry.write(out);
            out.writeUTF(table.name());
            out.writeInt(table.columns().size());
            for (TableDefinition.ColumnDefinition column : table.columns()) {
                out.writeUTF(column.name());
                out.writeUTF(column.type().kind().name());
                out.writeInt(column.type().length());
                out.writeInt(column.type().scale());
                out.writeBoolean(column.nullable());
            }
            writeNames(out, table.primaryKey());
            out.writeInt(table.bucketRecords());
            out.writeBoolean(table.inlined());
            out.writeInt(table.versions());
            out.writeLong(table.expectedRows());
            out.writeInt(table.load());
            out.writeInt(table.neighbourColumns());
            writeServers(out, table.servers());
            writeProperties(out, table.properties());
        });
    }

    /// An index's entry.
    ///
    /// @param filled whether it has an entry for every row; until then, and if the session that was
    ///     filling it has died, no lookup uses it
    public static byte[] encode(IndexDefinition index, CatalogEntry entry, boolean filled) {
        return write(out -> {
            entry.write(out);
            out.writeBoolean(filled);
            out.writeUTF(index.name());
            out.writeUTF(index.table());
            writeNames(out, index.columns());
            out.writeUTF(index.kind().name());
            writeProperties(out, index.properties());
        });
    }

    /// The entry that lists a change of others.
    ///
    /// @param entries by name, as they are to be; null for one that is to be removed
    public static byte[] encodeUpdate(Map<String, byte @Nullable []> entries) {
        return write(out -> {
            out.writeInt(entries.size());
            for (Map.Entry<String, byte @Nullable []> each : entries.entrySet()) {
                byte[] entry = each.getValue();
                out.writeUTF(each.getKey());
                out.writeInt(entry == null ? REMOVED : entry.length);
                out.write(entry == null ? new byte[0] : entry);
            }
        });
    }

    /// What an entry lists that was made by [#encodeUpdate].
    public static Map<String, byte @Nullable []> decodeUpdate(byte[] bytes) {
        return read(
                bytes,
                in -> {
                    Map<String, byte @Nullable []> entries = new LinkedHashMap<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        String name = in.readUTF();
                        int length = in.readInt();
                        entries.put(name, length == REMOVED ? null : in.readNBytes(length));
                    }
                    return entries;
                });
    }

    /// Where a table or an index is.
    public static CatalogEntry decode(byte[] bytes) {
        return read(bytes, CatalogEntry::new);
    }

    /// What a table is.
    public static TableDefinition decodeTable(byte[] bytes) {
        return read(
                bytes,
                in -> {
                    new CatalogEntry(in);
                    String name = in.readUTF();
                    List<TableDefinition.ColumnDefinition> columns = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        String column = in.readUTF();
                        ColumnType type =
                                new ColumnType(
                                        ColumnType.Kind.valueOf(in.readUTF()),
                                        in.readInt(),
                                        in.readInt());
                        columns.add(
                                new TableDefinition.ColumnDefinition(
                                        column, type, in.readBoolean()));
                    }
                    return new TableDefinition(
                            name,
                            columns,
                            readNames(in),
                            in.readInt(),
                            in.readBoolean(),
                            in.readInt(),
                            in.readLong(),
                            in.readInt(),
                            in.readInt(),
                            readServers(in),
                            readProperties(in));
                });
    }

    /// What an index is.
    public static IndexDefinition decodeIndex(byte[] bytes) {
        return read(
                bytes,
                in -> {
                    new CatalogEntry(in);
                    boolean _ = in.readBoolean();
                    return new IndexDefinition(
                            in.readUTF(),
                            in.readUTF(),
                            readNames(in),
                            IndexDefinition.Kind.valueOf(in.readUTF()),
                            readProperties(in));
                });
    }

    /// Whether an index has an entry for every row.
    public static boolean decodeFilled(byte[] bytes) {
        return read(
                bytes,
                in -> {
                    new CatalogEntry(in);
                    return in.readBoolean();
                });
    }

    private CatalogEntry(DataInputStream in) throws IOException {
        this(in.readInt(), readAddresses(in), in.readLong());
    }

    private void write(DataOutputStream out) throws IOException {
        out.writeInt(number);
        out.writeInt(addresses.length);
        for (long address : addresses) {
            out.writeLong(address);
        }
        out.writeLong(bucketsPerRange);
    }

    private static long[] readAddresses(DataInputStream in) throws IOException {
        long[] addresses = new long[in.readInt()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = in.readLong();
        }
        return addresses;
    }

    private static void writeNames(DataOutputStream out, List<String> names) throws IOException {
        out.writeInt(names.size());
        for (String name : names) {
            out.writeUTF(name);
        }
    }

    private static List<String> readNames(DataInputStream in) throws IOException {
        List<String> names = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            names.add(in.readUTF());
        }
        return names;
    }

    private static void writeServers(DataOutputStream out, List<Integer> servers)
            throws IOException {
        out.writeInt(servers.size());
        for (int server : servers) {
            out.writeInt(server);
        }
    }

    private static List<Integer> readServers(DataInputStream in) throws IOException {
        List<Integer> servers = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            servers.add(in.readInt());
        }
        return servers;
    }

    /// Keys and values may be of any length.
    private static void writeProperties(DataOutputStream out, Map<String, String> properties)
            throws IOException {
        out.writeInt(properties.size());
        for (Map.Entry<String, String> property : properties.entrySet()) {
            writeText(out, property.getKey());
            writeText(out, property.getValue());
        }
    }

    private static Map<String, String> readProperties(DataInputStream in) throws IOException {
        Map<String, String> properties = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            String key = readText(in);
            properties.put(key, readText(in));
        }
        return properties;
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    private interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    private static byte[] write(Writer writer) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(body)) {
            writer.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] bytes = body.toByteArray();
        return ByteBuffer.allocate(HEAD_BYTES + bytes.length)
                .putInt(MAGIC | FORMAT)
                .putInt(checksum(bytes, 0))
                .put(bytes)
                .array();
    }

    private static <T> T read(byte[] bytes, Reader<T> reader) {
        if (bytes.length < HEAD_BYTES) {
            throw new CatalogFormatException("a catalog entry is damaged: it is too short");
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        int format = head.getInt();
        if ((format & ~0xff) != MAGIC) {
            throw new CatalogFormatException("a catalog entry is damaged: it is none");
        }
        if ((format & 0xff) != FORMAT) {
            throw new CatalogFormatException(
                    "a catalog entry has format %d, and this version of NamDB knows format %d only"
                            .formatted(format & 0xff, FORMAT));
        }
        if (head.getInt() != checksum(bytes, HEAD_BYTES)) {
            throw new CatalogFormatException("a catalog entry is damaged: its checksum is wrong");
        }
        try (DataInputStream in =
                new DataInputStream(
                        new ByteArrayInputStream(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES))) {
            return reader.read(in);
        } catch (IOException e) {
            throw new CatalogFormatException("a catalog entry is damaged: " + e.getMessage());
        }
    }

    private static int checksum(byte[] bytes, int from) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, bytes.length - from);
        return (int) checksum.getValue();
    }
}
