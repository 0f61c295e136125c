package org.namdb.compute.journal;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.disk.Disk;
import org.namdb.mvcc.hash.TablePart;

/// Writes a checkpoint. Belongs to one thread.
public final class CheckpointWriter implements AutoCloseable {
    private final @Nullable DiskJournal journal;
    private final CheckpointFile.Writer file;
    private final int firstSegment;
    private int number;
    private int keyWords;
    private int payloadBytes;

    /// Writes one of a cluster.
    ///
    /// @param disk of [JournalClient#checkpoint]
    /// @throws org.namdb.fabric.disk.DiskException if it can't be written
    public CheckpointWriter(Disk disk, long database, int generation) {
        this(
                null,
                new CheckpointFile.Writer(disk, new CheckpointFile.Head(database, 0, generation)),
                0);
    }

    CheckpointWriter(@Nullable DiskJournal journal, CheckpointFile.Writer file, int firstSegment) {
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

    /// Which segments of a cluster's journals are needed with it, by memory server.
    public void needed(int[] first) {
        file.needed(first);
    }

    /// All tables were written: it counts from now on. What its rows show is on the disk, or gets
    /// there before.
    public void complete() {
        DiskJournal written = journal;
        if (written != null && !PlantedFault.CHECKPOINT_BEFORE_JOURNAL.isPlanted()) {
            written.force();
        }
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
