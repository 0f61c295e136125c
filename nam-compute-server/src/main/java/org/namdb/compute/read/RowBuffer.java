package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordSink;
import org.namdb.mvcc.schema.Projection;

/// The rows of one table that a batch or a scan reads into; reused. They are read-only, and there
/// are as many as were ever needed at a time; their images lie in the transaction's local memory.
/// Open within one transaction.
final class RowBuffer implements RecordSink {
    private final ReadSet readSet;
    private final Table table;
    private Row[] rows = new Row[64];
    private Projection projection;

    /// The transaction that the memory of the first rows belongs to, and the one that the buffer is
    /// open in.
    private long allocatedIn;

    private long openIn;
    private int allocated;
    private int count;

    RowBuffer(ReadSet readSet, Table table) {
        this.readSet = readSet;
        this.table = table;
        this.projection = table.schema().nothing();
    }

    /// Opens it in the transaction that runs, empty.
    void open(Projection newProjection) {
        projection = newProjection;
        openIn = readSet.number();
        if (allocatedIn != openIn) {
            allocatedIn = openIn;
            allocated = 0;
        }
        count = 0;
    }

    boolean isOpen() {
        return openIn == readSet.number();
    }

    void close() {
        openIn = 0;
    }

    /// How many rows are in use.
    int count() {
        return count;
    }

    Row row(int index) {
        return rows[index];
    }

    /// All rows are free to be used again.
    void clear() {
        count = 0;
    }

    /// The next row, prepared to be read by this key.
    Row add(long[] key) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        if (count == allocated) {
            if (rows[count] == null) {
                rows[count] = new Row(readSet, table);
            }
            rows[count].data = readSet.memory.allocate(table.records().layout().bodyBytes());
            allocated++;
        }
        Row row = rows[count++];
        row.restart(key, projection);
        return row;
    }

    @Override
    public RecordRead next(HashTable records, long[] key) {
        return add(key).read;
    }

    @Override
    public int provided() {
        return count;
    }

    @Override
    public void rollBack(int provided) {
        count = provided;
    }
}
