package org.namdb.compute.guard;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.LineStamp;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session's lookups by key, some of them in copies:
/// ```
/// post        there is a copy: nothing. Else the guard line is acquired, if it is not here, and
///             READs are posted
/// await       the snapshot is chosen
/// advance     the copy is still current, and the snapshot sees it: it is the row
///             there was none, and the guard line was owned all the time: what was read is one
/// ```
/// Whether the line is owned is looked at after the snapshot was chosen. A commit that the snapshot
/// shows has had the line before it was published, so a copy from before that is not current here.
///
/// Belongs to the session's thread.
public final class CopiedReads {
    private final QueuePair queuePair;
    private final @Nullable CachedTables tables;

    /// Lookups that are under way and may leave a copy, with the stamps of their guard lines.
    private final IdentityHashMap<RecordRead, LineStamp> stamps = new IdentityHashMap<>();

    private long hits;

    /// @param tables null if nothing is copied
    public CopiedReads(QueuePair queuePair, @Nullable CachedTables tables) {
        this.queuePair = queuePair;
        this.tables = tables;
    }

    /// A transaction begins: nothing is under way.
    public void clear() {
        if (!stamps.isEmpty()) {
            stamps.clear();
        }
    }

    /// How many lookups have found their records in copies.
    public long hits() {
        return hits;
    }

    /// Posts a lookup that was prepared.
    public void post(RecordRead read, Table table) {
        CachedTables copied = tables;
        if (copied == null || !table.isCached()) {
            read.post(queuePair);
        } else if (copied.find(table, read.key()) != null) {
            read.postCopy();
        } else {
            postRead(read, table, copied);
        }
    }

    private void postRead(RecordRead read, Table table, CachedTables copied) {
        LineStamp stamp = copied.stamp(table, read.key());
        if (stamp != null) {
            stamps.put(read, stamp);
            read.keepPayload();
        } else {
            stamps.remove(read);
        }
        read.post(queuePair);
    }

    /// Goes on with what the last await has brought; posts more if need be.
    ///
    /// @param snapshot is chosen
    /// @return whether the lookup is done
    public boolean advance(RecordRead read, Table table, Snapshot snapshot) {
        CachedTables copied = tables;
        if (copied == null || !table.isCached()) {
            return read.advance(queuePair, snapshot);
        }
        if (read.awaitsCopy()) {
            RowCopy copy = copied.find(table, read.key());
            if (copy == null || !snapshot.sees(copy.header())) {
                postRead(read, table, copied);
                return false;
            }
            read.take(copy.header(), copy.headerAddress(), copy.bodyAddress(), copy.payload());
            hits++;
            return true;
        }
        if (!read.advance(queuePair, snapshot)) {
            return false;
        }
        keep(read, table, copied);
        return true;
    }

    private void keep(RecordRead read, Table table, CachedTables copied) {
        LineStamp stamp = stamps.remove(read);
        byte[] payload = read.keptPayload();
        if (stamp != null && payload != null && read.isPresent() && read.isCurrent()) {
            long header = RecordHeader.unlocked(read.header());
            copied.put(
                    table,
                    read.key(),
                    new RowCopy(stamp, header, read.headerAddress(), read.bodyAddress(), payload));
        }
    }
}
