package org.namdb.compute.journal;

import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.hash.TablePart;

/// Writes a checkpoint. Belongs to one thread.
public final class CheckpointWriter implements AutoCloseable {
    private final DiskJournal journal;
    private final CheckpointFile.Writer file;
    private final int firstSegment;
    private int number;
    private int keyWords;
    private int payloadBytes;

    CheckpointWriter(DiskJournal journal, CheckpointFile.Writer file, int firstSegment) {
        this.journal = journal;
        this.file = file;
        this.firstSegment = firstSegment;
    }

    /// The first segment of the journal that is needed with it.
    int firstSegment() {
        return firstSegment;
    }

    /// The rows of a part of a table follow. If another one that overlaps it follows later, they
    /// don't count.
    ///
    /// @param seen by slot, up to which timestamp its commits are shown by them
    public void table(Table table, TablePart part, long[] seen) {
        number = table.records().id();
        keyWords = table.schema().key().words();
        payloadBytes = table.schema().payloadBytes();
        file.table(DefinedTable.of(table), part, seen);
    }

    /// A row, with all columns.
    public void row(Row row) {
        long at = file.row(number, 8 * keyWords + payloadBytes);
        for (int word = 0; word < keyWords; word++, at += 8) {
            LocalMemory.putLong(at, row.keyWord(word));
        }
        row.copyPayload(at);
    }

    /// All tables were written: it counts from now on.
    public void complete() {
        journal.force();
        long _ = file.complete();
    }

    /// How long it is.
    public long bytes() {
        return file.bytes();
    }

    @Override
    public void close() {
        file.close();
    }
}
