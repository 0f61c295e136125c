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

    /// An entry, but for its row:
    /// ```
    ///  0 | loaded columns          24 | serial of the insert     44 | former entry of the row (4)
    ///  8 | dirty columns           32 | columns still to be set  48 | role (1)
    /// 16 | address of the payload  40 | reference (4)            49 | 0
    /// ```
    private static final int ENTRY_BYTES = 56;

    private static final int LOADED = 0;
    private static final int DIRTY = 8;
    private static final int DATA = 16;
    private static final int INSERT = 24;
    private static final int UNSET = 32;
    private static final int REFERENCE = 40;
    private static final int FORMER = 44;
    private static final int ROLE = 48;
    private static final int FIRST_ENTRIES = 16;

    /// A larger array is not kept for the next transaction.
    private static final int MAX_KEPT_ROWS = 1 << 14;

    private final LocalChunks memory;
    private final PackedRows packed;

    /// The rows of the entries, by number; null for one that is packed, whose reference is in the
    /// entry.
    private @Nullable Row[] rows = new @Nullable Row[FIRST_ENTRIES];

    /// The entries, in the transaction's local memory, and how many there is space for.
    private long entries;

    private int capacity;
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
        if (rows.length > MAX_KEPT_ROWS) {
            rows = new @Nullable Row[FIRST_ENTRIES];
        }
        entries = 0;
        capacity = 0;
        depth = 0;
        mark = Integer.MIN_VALUE;
    }

    private long at(int entry) {
        return entries + (long) entry * ENTRY_BYTES;
    }

    private int former(int entry) {
        return LocalMemory.intAt(at(entry) + FORMER);
    }

    private int reference(int entry) {
        return LocalMemory.intAt(at(entry) + REFERENCE);
    }

    private long word(int entry, int field) {
        return LocalMemory.longAt(at(entry) + field);
    }

    private void setReference(int entry, int reference) {
        LocalMemory.putInt(at(entry) + REFERENCE, reference);
    }

    private byte role(int entry) {
        return LocalMemory.byteAt(at(entry) + ROLE);
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
        for (int entry = row.undo; entry >= 0; entry = former(entry)) {
            if (word(entry, UNSET) != 0) {
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
                && former(newest) < 0
                && role(newest) == Row.Role.READ.code()
                && !row.read.isPresent()) {
            rows[newest] = null;
            setReference(newest, DROPPED);
            row.undo = -1;
        }
        for (int entry = row.undo; entry >= 0; entry = former(entry)) {
            rows[entry] = null;
            setReference(entry, row.packed);
        }
    }

    /// Rows were packed: entries that were dropped for that, and have none behind them, go.
    void trim() {
        while (count > Math.max(mark, 0) && isDropped(count - 1)) {
            count--;
        }
    }

    private boolean isDropped(int entry) {
        return rows[entry] == null && reference(entry) == DROPPED;
    }

    /// A row has taken over what was packed.
    void unpack(Row row) {
        for (int entry = row.undo; entry >= 0; entry = former(entry)) {
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
        if (count == capacity) {
            grow();
        }
        rows[count] = row;
        long at = at(count);
        LocalMemory.putLong(at + LOADED, row.loaded);
        LocalMemory.putLong(at + DIRTY, row.dirty);
        LocalMemory.putLong(at + DATA, row.data);
        LocalMemory.putLong(at + INSERT, row.insertSerial);
        LocalMemory.putLong(at + UNSET, row.unset);
        LocalMemory.putInt(at + REFERENCE, DROPPED);
        LocalMemory.putInt(at + FORMER, row.undo);
        LocalMemory.putByte(at + ROLE, row.role.code());
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
            if (row.data != word(count, DATA)) {
                packed.free(row.table(), row.data);
            }
            row.role = Row.Role.ofCode(role(count));
            row.load(word(count, LOADED));
            row.dirty = word(count, DIRTY);
            row.data = word(count, DATA);
            row.insertSerial = word(count, INSERT);
            row.unset = word(count, UNSET);
            row.undo = former(count);
        }
        depth = savepoint + 1;
        mark = from;
    }

    private void rollBackPacked(int entry) {
        int reference = reference(entry);
        if (reference != DROPPED) {
            PackedChanges changes = packed.entries;
            long payload = changes.payload(reference);
            if (payload != word(entry, DATA) && payload != 0) {
                packed.free(changes.table(reference), payload);
            }
            changes.setState(reference, role(entry));
            changes.setLoaded(reference, word(entry, LOADED));
            changes.setChanged(reference, word(entry, DIRTY));
            changes.setPayload(reference, word(entry, DATA));
            changes.setSerial(reference, (int) word(entry, INSERT));
            changes.setUndo(reference, former(entry));
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
                if (depth == 0 || former(entry) >= kept) {
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
        for (int entry = row.undo; entry >= 0; entry = former(entry)) {
            long image = memory.allocate(bodyBytes(row));
            LocalMemory.zero(image, RecordBody.PAYLOAD_OFFSET);
            image += RecordBody.PAYLOAD_OFFSET;
            LocalMemory.copy(fresh, image, schema.payloadBytes());
            row.copyColumns(word(entry, DIRTY), word(entry, DATA), image);
            LocalMemory.putLong(at(entry) + DATA, image);
            LocalMemory.putLong(at(entry) + LOADED, -1L);
        }
    }

    private void drop(int entry) {
        Row row = rows[entry];
        int reference = reference(entry);
        int former = former(entry);
        long data = word(entry, DATA);
        long now = row == null ? packed.entries.payload(reference) : row.data;
        boolean shared = former >= 0 && word(former, DATA) == data;
        if (data != now && !shared) {
            packed.free(row == null ? packed.entries.table(reference) : row.table(), data);
        }
        setUndo(entry, former);
    }

    /// The newest entry of the row that an entry is for is another one.
    private void setUndo(int entry, int newest) {
        Row row = rows[entry];
        if (row == null) {
            packed.entries.setUndo(reference(entry), newest);
        } else {
            row.undo = newest;
        }
    }

    private void move(int from, int to) {
        rows[to] = rows[from];
        if (from != to) {
            LocalMemory.copy(at(from), at(to), ENTRY_BYTES);
        }
        setUndo(to, to);
    }

    private static int bodyBytes(Row row) {
        return row.table().records().layout().bodyBytes();
    }

    private void grow() {
        int more = Math.max(FIRST_ENTRIES, 2 * capacity);
        long larger = memory.allocate(Math.multiplyExact(more, ENTRY_BYTES));
        if (capacity > 0) {
            LocalMemory.copy(entries, larger, (long) capacity * ENTRY_BYTES);
            memory.free(entries, capacity * ENTRY_BYTES);
        }
        entries = larger;
        capacity = more;
        if (rows.length < more) {
            rows = Arrays.copyOf(rows, more);
        }
    }
}
