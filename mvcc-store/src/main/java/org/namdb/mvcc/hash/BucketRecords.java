package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// Takes the records out of the views of a bucket. Belongs to one thread.
final class BucketRecords {
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private final Consumer<RecordRead> unfinished;

    /// @param unfinished gets every record that goes on with the next await
    BucketRecords(Consumer<RecordRead> unfinished) {
        this.unfinished = unfinished;
    }

    /// Hands the records to the sink.
    ///
    /// @param growth the growth word of the home bucket: records that it is not for are passed
    ///     over, as they are read elsewhere; 0 for all records
    /// @param wanted whose neighbours are wanted, null for all records
    /// @return false if an entry was given to another key meanwhile, so that the bucket must be
    ///     read again
    boolean take(
            HashTable table,
            QueuePair queuePair,
            Snapshot snapshot,
            long bucket,
            BucketViews views,
            long growth,
            long @Nullable [] wanted,
            RecordSink sink) {
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
            long header = LocalMemory.longAcquire(views.leading + offset);
            if (header == RecordHeader.FREE) {
                continue;
            }
            for (int word = 0; word < table.keyWords; word++) {
                key[word] =
                        LocalMemory.longAt(
                                views.body + offset + BucketLayout.KEY_OFFSET + 8L * word);
            }
            if (wanted != null && !table.neighbours(key, wanted)
                    || growth != 0 && !BucketLayout.isFor(growth, table.hash(key))) {
                continue;
            }
            VarHandle.loadLoadFence();
            if (RecordHeader.unlocked(LocalMemory.longAcquire(views.trailing + offset))
                    != RecordHeader.unlocked(header)) {
                return false;
            }
            RecordRead record = sink.next(table, key);
            if (!record.takeEntry(queuePair, snapshot, header, bucket, offset, entry, views)) {
                unfinished.accept(record);
            }
        }
        return true;
    }
}
