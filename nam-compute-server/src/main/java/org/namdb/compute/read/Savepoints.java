package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.RecordSchema;

/// The savepoints of a transaction, and what its rows were at each of them. Before a row changes
/// for the first time after a savepoint, an entry takes what it is, and the change goes to a copy
/// of its payload:
/// ```
/// entries    | a b c | a d | d e        for each row changed since a savepoint, before the next
///            ^       ^     ^
/// savepoints 0       1     2
/// ```
/// To roll back is to give rows back what their entries hold, newest first; to release a savepoint
/// is to drop the entries of rows that have one of the savepoint before as well. Without a
/// savepoint, a change costs one comparison.
final class Savepoints {
    private final LocalChunks memory;

    /// The entries, by number.
    private Row[] rows = new Row[16];

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

    /// A row whose newest entry is below this must be remembered before it changes.
    private int mark = Integer.MIN_VALUE;

    Savepoints(LocalChunks memory) {
        this.memory = memory;
    }

    void clear() {
        if (count > 0) {
            Arrays.fill(rows, 0, count, null);
            count = 0;
        }
        depth = 0;
        mark = Integer.MIN_VALUE;
    }

    /// Whether a row of which `entry` is the newest entry must be remembered before it changes.
    boolean needs(int entry) {
        return entry < mark;
    }

    int open(int writes, long requirements) {
        if (depth == entryMarks.length) {
            entryMarks = Arrays.copyOf(entryMarks, 2 * depth);
            writeMarks = Arrays.copyOf(writeMarks, 2 * depth);
            requirementMarks = Arrays.copyOf(requirementMarks, 2 * depth);
        }
        entryMarks[depth] = count;
        writeMarks[depth] = writes;
        requirementMarks[depth] = requirements;
        mark = count;
        return depth++;
    }

    int writes(int savepoint) {
        return writeMarks[savepoint];
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
            if (row.data != data[count]) {
                free(row, row.data);
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

    /// Forgets a savepoint, and those after it.
    void release(int savepoint) {
        while (depth > savepoint) {
            depth--;
            int from = entryMarks[depth];
            int kept = depth == 0 ? Integer.MAX_VALUE : entryMarks[depth - 1];
            int to = from;
            for (int entry = from; entry < count; entry++) {
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
        boolean shared = former[entry] >= 0 && data[former[entry]] == data[entry];
        if (data[entry] != row.data && !shared) {
            free(row, data[entry]);
        }
        row.undo = former[entry];
    }

    private void move(int from, int to) {
        rows[to] = rows[from];
        roles[to] = roles[from];
        loaded[to] = loaded[from];
        dirty[to] = dirty[from];
        data[to] = data[from];
        inserts[to] = inserts[from];
        unset[to] = unset[from];
        former[to] = former[from];
        rows[to].undo = to;
    }

    private void free(Row row, long payload) {
        memory.free(payload - RecordBody.PAYLOAD_OFFSET, bodyBytes(row));
    }

    private static int bodyBytes(Row row) {
        return row.table().records().layout().bodyBytes();
    }

    private void grow() {
        rows = Arrays.copyOf(rows, 2 * count);
        roles = Arrays.copyOf(roles, 2 * count);
        loaded = Arrays.copyOf(loaded, 2 * count);
        dirty = Arrays.copyOf(dirty, 2 * count);
        data = Arrays.copyOf(data, 2 * count);
        inserts = Arrays.copyOf(inserts, 2 * count);
        unset = Arrays.copyOf(unset, 2 * count);
        former = Arrays.copyOf(former, 2 * count);
    }
}
