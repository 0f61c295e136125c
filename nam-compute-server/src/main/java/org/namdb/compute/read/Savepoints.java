package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.RecordSchema;

/// The savepoints of a transaction, and what its rows were at each of them. Before a row changes
/// for the first time after a savepoint, an entry saves it, and the change goes to a copy of its
/// payload:
/// ```
/// entries    | a b c | a d | d e        for each row changed since a savepoint, before the next
///            ^       ^     ^
/// savepoints 0       1     2
/// ```
/// To roll back is to restore rows from their entries, newest first; to release a savepoint is to
/// drop the entries of rows that have one of the savepoint before as well. Without a savepoint, a
/// change costs one comparison.
final class Savepoints {
    /// That the first packed row behind a savepoint is not packed yet.
    static final int UNKNOWN = Integer.MAX_VALUE;

    /// In place of a reference: the entry is not needed.
    private static final int DROPPED = -1;

    /// What an entry takes of the heap.
    private static final int ENTRY_BYTES = 64;

    private final LocalChunks memory;
    private final PackedRows packed;

    /// The entries, by number; of a row that is packed, null here, and its reference there.
    private @Nullable Row[] rows = new @Nullable Row[16];

    private int[] references = new int[16];

    private Row.Role[] roles = new Row.Role[16];
    private long[] loaded = new long[16];
    private long[] dirty = new long[16];
    private long[] data = new long[16];
    private long[] inserts = new long[16];
    private long[] unset = new long[16];

    /// The entry of the same row before; -1 for none.
    private int[] former = new int[16];

    private int count;

    /// For each savepoint, how many there were of entries, of writes, and of requirements.
    private int[] entryMarks = new int[8];

    private int[] writeMarks = new int[8];
    private long[] requirementMarks = new long[8];
    private int depth;

    /// A row whose newest entry is below this must be saved before it changes.
    private int mark = Integer.MIN_VALUE;

    /// For each savepoint, what the packed rows are not below that were changed first after it.
    private int[] packedMarks = new int[8];

    Savepoints(LocalChunks memory, PackedRows packed) {
        this.memory = memory;
        this.packed = packed;
    }

    void clear() {
        if (count > 0) {
            Arrays.fill(rows, 0, count, null);
            count = 0;
        }
        depth = 0;
        mark = Integer.MIN_VALUE;
    }

    /// Whether a row must be saved before it changes. One that the transaction has made and packed
    /// since the newest savepoint need not: a rollback removes it.
    boolean needs(Row row) {
        return row.undo < mark && !(row.packed != PackedChanges.NONE && isMadeSince(row));
    }

    private boolean isMadeSince(Row row) {
        return row.packed >= packedMarks[depth - 1] && !row.read.isPresent();
    }

    /// @param packedMark what packed rows are not below that are changed first from now on, or
    ///     [#UNKNOWN]
    int open(int writes, int packedMark, long requirements) {
        if (depth == entryMarks.length) {
            packedMarks = Arrays.copyOf(packedMarks, 2 * depth);
            entryMarks = Arrays.copyOf(entryMarks, 2 * depth);
            writeMarks = Arrays.copyOf(writeMarks, 2 * depth);
            requirementMarks = Arrays.copyOf(requirementMarks, 2 * depth);
        }
        entryMarks[depth] = count;
        writeMarks[depth] = writes;
        packedMarks[depth] = packedMark;
        requirementMarks[depth] = requirements;
        mark = count;
        return depth++;
    }

    int writes(int savepoint) {
        return writeMarks[savepoint];
    }

    int packedMark(int savepoint) {
        return packedMarks[savepoint];
    }

    /// The next row to be packed is number `number` of the changed ones.
    void markPacked(int number) {
        for (int i = depth - 1; i >= 0 && packedMarks[i] == UNKNOWN; i--) {
            if (writeMarks[i] == number) {
                packedMarks[i] = packed.entries.end();
            }
        }
    }

    /// Whether the entries of a row can be kept while it is packed: it had no column that still
    /// had to be set.
    boolean arePackable(Row row) {
        for (int entry = row.undo; entry >= 0; entry = former[entry]) {
            if (unset[entry] != 0) {
                return false;
            }
        }
        return true;
    }

    /// A row is about to be packed. If the transaction has made it since the newest savepoint, its
    /// only entry is dropped: to roll back takes the row out.
    void pack(Row row) {
        int newest = row.undo;
        if (newest >= 0
                && newest >= mark
                && former[newest] < 0
                && roles[newest] == Row.Role.READ
                && !row.read.isPresent()) {
            rows[newest] = null;
            references[newest] = DROPPED;
            row.undo = -1;
        }
        for (int entry = row.undo; entry >= 0; entry = former[entry]) {
            rows[entry] = null;
            references[entry] = row.packed;
        }
    }

    /// Rows were packed: entries that were dropped for that, and have none behind them, go.
    void trim() {
        while (count > Math.max(mark, 0) && isDropped(count - 1)) {
            count--;
        }
    }

    private boolean isDropped(int entry) {
        return rows[entry] == null && references[entry] == DROPPED;
    }

    /// A row has taken over what was packed.
    void unpack(Row row) {
        for (int entry = row.undo; entry >= 0; entry = former[entry]) {
            rows[entry] = row;
        }
    }

    long requirements(int savepoint) {
        return requirementMarks[savepoint];
    }

    void check(int savepoint) {
        if (savepoint < 0 || savepoint >= depth) {
            throw new IllegalArgumentException(
                    "there is no savepoint " + savepoint + ": " + depth + " are open");
        }
    }

    /// Takes what a row is before its role changes.
    void remember(Row row) {
        if (count == rows.length) {
            grow();
        }
        rows[count] = row;
        roles[count] = row.role;
        loaded[count] = row.loaded;
        dirty[count] = row.dirty;
        data[count] = row.data;
        inserts[count] = row.insertSerial;
        unset[count] = row.unset;
        former[count] = row.undo;
        row.undo = count++;
    }

    /// Takes what a row is before its columns change.
    void rememberColumns(Row row) {
        remember(row);
        long copy = memory.allocate(bodyBytes(row));
        LocalMemory.zero(copy, RecordBody.PAYLOAD_OFFSET);
        LocalMemory.copy(
                row.data, copy + RecordBody.PAYLOAD_OFFSET, row.table().schema().payloadBytes());
        row.data = copy + RecordBody.PAYLOAD_OFFSET;
    }

    /// Undoes what was changed since.
    void rollBack(int savepoint) {
        int from = entryMarks[savepoint];
        while (count > from) {
            Row row = rows[--count];
            if (row == null) {
                rollBackPacked(count);
                continue;
            }
            if (row.data != data[count]) {
                packed.free(row.table(), row.data);
            }
            row.role = roles[count];
            row.load(loaded[count]);
            row.dirty = dirty[count];
            row.data = data[count];
            row.insertSerial = inserts[count];
            row.unset = unset[count];
            row.undo = former[count];
        }
        depth = savepoint + 1;
        mark = from;
    }

    private void rollBackPacked(int entry) {
        int reference = references[entry];
        if (reference != DROPPED) {
            PackedChanges entries = packed.entries;
            long payload = entries.payload(reference);
            if (payload != data[entry] && payload != 0) {
                packed.free(entries.table(reference), payload);
            }
            entries.setState(reference, roles[entry].code());
            entries.setLoaded(reference, loaded[entry]);
            entries.setChanged(reference, dirty[entry]);
            entries.setPayload(reference, data[entry]);
            entries.setSerial(reference, (int) inserts[entry]);
            entries.setUndo(reference, former[entry]);
        }
    }

    /// Drops a savepoint, and those after it.
    void release(int savepoint) {
        while (depth > savepoint) {
            depth--;
            int from = entryMarks[depth];
            int kept = depth == 0 ? Integer.MAX_VALUE : entryMarks[depth - 1];
            int to = from;
            for (int entry = from; entry < count; entry++) {
                if (isDropped(entry)) {
                    continue;
                }
                if (depth == 0 || former[entry] >= kept) {
                    drop(entry);
                } else {
                    move(entry, to++);
                }
            }
            count = to;
            mark = depth == 0 ? Integer.MIN_VALUE : kept;
        }
    }

    /// All columns of a row were read into `fresh`, a payload: so its entries get them too.
    void reload(Row row, long fresh) {
        RecordSchema schema = row.table().schema();
        for (int entry = row.undo; entry >= 0; entry = former[entry]) {
            long image = memory.allocate(bodyBytes(row));
            LocalMemory.zero(image, RecordBody.PAYLOAD_OFFSET);
            image += RecordBody.PAYLOAD_OFFSET;
            LocalMemory.copy(fresh, image, schema.payloadBytes());
            row.copyColumns(dirty[entry], data[entry], image);
            data[entry] = image;
            loaded[entry] = -1L;
        }
    }

    private void drop(int entry) {
        Row row = rows[entry];
        int reference = references[entry];
        long now = row == null ? packed.entries.payload(reference) : row.data;
        boolean shared = former[entry] >= 0 && data[former[entry]] == data[entry];
        if (data[entry] != now && !shared) {
            packed.free(row == null ? packed.entries.table(reference) : row.table(), data[entry]);
        }
        setUndo(entry, former[entry]);
    }

    /// The newest entry of the row that an entry is for is another one.
    private void setUndo(int entry, int newest) {
        Row row = rows[entry];
        if (row == null) {
            packed.entries.setUndo(references[entry], newest);
        } else {
            row.undo = newest;
        }
    }

    private void move(int from, int to) {
        rows[to] = rows[from];
        references[to] = references[from];
        roles[to] = roles[from];
        loaded[to] = loaded[from];
        dirty[to] = dirty[from];
        data[to] = data[from];
        inserts[to] = inserts[from];
        unset[to] = unset[from];
        former[to] = former[from];
        setUndo(to, to);
    }

    private static int bodyBytes(Row row) {
        return row.table().records().layout().bodyBytes();
    }

    private void grow() {
        if (count >= TransactionBudget.OWN_ROWS) {
            memory.takeHeap((long) count * ENTRY_BYTES); // for as many more
        }
        rows = Arrays.copyOf(rows, 2 * count);
        references = Arrays.copyOf(references, 2 * count);
        roles = Arrays.copyOf(roles, 2 * count);
        loaded = Arrays.copyOf(loaded, 2 * count);
        dirty = Arrays.copyOf(dirty, 2 * count);
        data = Arrays.copyOf(data, 2 * count);
        inserts = Arrays.copyOf(inserts, 2 * count);
        unset = Arrays.copyOf(unset, 2 * count);
        former = Arrays.copyOf(former, 2 * count);
    }
}
