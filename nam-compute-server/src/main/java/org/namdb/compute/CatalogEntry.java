package org.namdb.compute;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The catalog's entries as bytes: a table or an index, its number, and where it is.
///
/// @param number the number in the catalog
/// @param addresses remote addresses: of a bucket array's ranges, or of a tree's anchor
/// @param bucketsPerRange the buckets of each range
@SuppressWarnings("ArrayRecordComponent") // never compared
record CatalogEntry(int number, long[] addresses, long bucketsPerRange) {
    static final String TABLE = "table:";
    static final String INDEX = "index:";

    /// A table's entry.
    static byte[] encode(TableDefinition table, CatalogEntry entry) {
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
    /// @param filled whether it has an entry for every row; until then, and if whoever was filling
    ///     it has died, nobody looks anything up in it
    static byte[] encode(IndexDefinition index, CatalogEntry entry, boolean filled) {
        return write(out -> {
            entry.write(out);
            out.writeUTF(index.name());
            out.writeUTF(index.table());
            writeNames(out, index.columns());
            out.writeUTF(index.kind().name());
            writeProperties(out, index.properties());
            out.writeBoolean(filled);
        });
    }

    /// Where a table or an index is.
    static CatalogEntry decode(byte[] bytes) {
        return read(bytes, CatalogEntry::new);
    }

    /// What a table is.
    static TableDefinition decodeTable(byte[] bytes) {
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
    static IndexDefinition decodeIndex(byte[] bytes) {
        return read(
                bytes,
                in -> {
                    new CatalogEntry(in);
                    return new IndexDefinition(
                            in.readUTF(),
                            in.readUTF(),
                            readNames(in),
                            IndexDefinition.Kind.valueOf(in.readUTF()),
                            readProperties(in));
                });
    }

    /// Whether an index has an entry for every row.
    static boolean decodeFilled(byte[] bytes) {
        return bytes[bytes.length - 1] != 0;
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
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writer.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static <T> T read(byte[] bytes, Reader<T> reader) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return reader.read(in);
        } catch (IOException e) {
            throw new UncheckedIOException("a catalog entry is damaged", e);
        }
    }
}
