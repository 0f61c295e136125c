package org.namdb.compute.journal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// A table in the journal: its definition, and nothing of its location.
///
/// @param number what images of commits call it, in its generation
/// @param indexes those that are filled
public record DefinedTable(int number, TableDefinition definition, List<IndexDefinition> indexes) {
    private static final long[] NOWHERE = {};

    /// A table with all indexes that it has, filled or not.
    static DefinedTable withAllIndexes(Table table) {
        return new DefinedTable(
                table.records().id(),
                table.definition(),
                table.allIndexes().stream().map(Index::definition).toList());
    }

    /// A table as it is.
    static DefinedTable of(Table table) {
        return new DefinedTable(
                table.records().id(),
                table.definition(),
                table.allIndexes().stream()
                        .filter(Index::isFilled)
                        .map(Index::definition)
                        .toList());
    }

    /// The body of an entry of tables that are so from now on, and numbers of dropped tables. A
    /// multiple of 8 bytes.
    static byte[] encode(List<DefinedTable> defined, List<Integer> gone) {
        return encode(new Change(defined, gone, false));
    }

    static byte[] encode(Change change) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(change.defined.size());
            for (DefinedTable each : change.defined) {
                CatalogEntry entry = new CatalogEntry(each.number, NOWHERE, 0);
                write(out, CatalogEntry.encode(each.definition, entry));
                out.writeInt(each.indexes.size());
                for (IndexDefinition index : each.indexes) {
                    write(out, CatalogEntry.encode(index, entry, true));
                }
            }
            out.writeInt(change.gone.size());
            for (int number : change.gone) {
                out.writeInt(number);
            }
            out.writeBoolean(change.isStep);
            while (out.size() % Long.BYTES != 0) {
                out.writeByte(0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, byte[] entry) throws IOException {
        out.writeInt(entry.length);
        out.write(entry);
    }

    /// The same, read again.
    static Change decode(byte[] body, int from) {
        try (DataInputStream in =
                new DataInputStream(new ByteArrayInputStream(body, from, body.length - from))) {
            List<DefinedTable> defined = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                byte[] table = in.readNBytes(in.readInt());
                List<IndexDefinition> indexes = new ArrayList<>();
                for (int more = in.readInt(); more > 0; more--) {
                    indexes.add(CatalogEntry.decodeIndex(in.readNBytes(in.readInt())));
                }
                defined.add(
                        new DefinedTable(
                                CatalogEntry.decode(table).number(),
                                CatalogEntry.decodeTable(table),
                                List.copyOf(indexes)));
            }
            List<Integer> gone = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                gone.add(in.readInt());
            }
            return new Change(List.copyOf(defined), List.copyOf(gone), in.readBoolean());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What a schema change has changed.
    ///
    /// @param gone the numbers of dropped tables
    /// @param isStep whether it counts only with the other steps of a schema change
    record Change(List<DefinedTable> defined, List<Integer> gone, boolean isStep) {}
}
