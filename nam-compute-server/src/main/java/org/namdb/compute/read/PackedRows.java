package org.namdb.compute.read;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.KeyLayout;

/// The rows that a large transaction has changed and that its caller holds no [Row] of: packed into
/// native memory, and unpacked when they are needed.
/// ```
/// row, in the write set --pack--> entry --unpack--> row, with the entry's place in the write set
///                                   ^------pack------'
/// ```
/// An entry that a row has taken over has its number, and is out of date until that is packed.
final class PackedRows {
    private final KnownRows rows;
    private final ReadSet readSet;
    private final LocalChunks memory;
    final PackedChanges entries;
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private @Nullable Row image;

    /// Counts the rollbacks that have taken entries out.
    private long truncations;

    PackedRows(KnownRows rows, ReadSet readSet, LocalChunks memory) {
        this.rows = rows;
        this.readSet = readSet;
        this.memory = memory;
        this.entries = new PackedChanges(memory);
    }

    void clear() {
        entries.clear();
    }

    int count() {
        return entries.count();
    }

    long truncations() {
        return truncations;
    }

    /// The packed entry of a record, or [PackedChanges#NONE]. Rows are searched first.
    int find(Table table, long[] words) {
        return entries.find(table, words);
    }

    /// Adds a row of the write set; the row stays the current one.
    void add(Row row) {
        int reference = entries.add(row.table(), row.read);
        entries.setRow(reference, row.number);
        row.packed = reference;
    }

    /// Writes what a row is to its entry.
    void store(Row row) {
        int reference = row.packed;
        entries.setState(reference, row.role.code());
        entries.setRead(reference, row.read, row.isBlind);
        entries.setPayload(reference, row.data);
        entries.setChanged(reference, row.dirty);
        entries.setLoaded(reference, row.loaded);
        entries.setSerial(reference, (int) row.insertSerial);
        entries.setUndo(reference, row.undo);
    }

    /// Packs a row that has an entry: the entry is the current one from now on.
    void pack(Row row) {
        store(row);
        entries.setRow(row.packed, PackedChanges.NONE);
        boolean isGone = row.role == Row.Role.DELETE || row.role == Row.Role.NOTHING;
        if (isGone && row.undo < 0) {
            free(row.table(), row.data);
            entries.setPayload(row.packed, 0);
            entries.setLoaded(row.packed, 0);
        }
    }

    void free(Table table, long payload) {
        memory.free(payload - RecordBody.PAYLOAD_OFFSET, table.records().layout().bodyBytes());
    }

    /// Has a row take the record over that is packed in an entry.
    void unpack(int reference, Row into) {
        long payload = entries.payload(reference);
        if (payload == 0) {
            int bytes = entries.table(reference).records().layout().bodyBytes();
            payload = memory.allocateZeroed(bytes) + RecordBody.PAYLOAD_OFFSET;
        }
        into.unpack(entries, reference, payload, key);
        entries.setRow(reference, into.number);
    }

    /// A view of what is packed in an entry: the next call changes it.
    Row peek(int reference) {
        Row row = image;
        if (row == null) {
            row = new Row(readSet, entries.table(reference));
            image = row;
        }
        row.unpack(entries, reference, entries.payload(reference), key);
        return row;
    }

    /// Whether a row is what [#peek] has returned.
    boolean isView(Row row) {
        return row == image;
    }

    /// Takes all entries out from `mark` on; rows that have taken one over don't have it any more.
    void truncate(int mark) {
        for (int at = entries.from(mark); at != entries.end(); at = entries.next(at)) {
            int number = entries.row(at);
            if (number != PackedChanges.NONE) {
                rows.row(number).takeOut();
            } else if (entries.payload(at) != 0) {
                free(entries.table(at), entries.payload(at));
            }
        }
        entries.truncate(mark);
        truncations++;
    }
}
