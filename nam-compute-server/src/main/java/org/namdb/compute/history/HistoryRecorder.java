package org.namdb.compute.history;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;
import org.namdb.timestamp.snapshot.Snapshot;

/// Records what sessions do as a history of reads and writes.
///
/// - The **key** of a record is the [hash][org.namdb.compute.TransactionAttempt#keyHash] of its
///   table and primary key. Of every `sample` keys, one is recorded: those whose hash, as an
///   unsigned number, is a multiple of `sample`. All operations on the others are left out, and so
///   are transactions that have no others: a history without some keys is that of a database
///   without those records, and a correct one stays correct.
/// - The **value** of a version is its commit timestamp word. A version that the base snapshot
///   shows was there before the recording, and has the value 0. The base snapshot is taken when the
///   recording starts, so no session may be writing then, and all that write after that must be
///   recorded.
/// - A **deleted** record reads as 0, which would be a stale read of the value 0 to a checker. So
///   tables in which records are deleted must be left out.
/// - An attempt that failed is recorded with its reads, each attempt as a transaction of its own.
/// - Rows of table scans are not recorded.
public final class HistoryRecorder {
    private final HistoryFile file;
    private final Snapshot base;
    private final long sample;
    private final Set<Table> leftOut;
    private final AtomicLong tids = new AtomicLong();

    private HistoryRecorder(HistoryFile file, Snapshot base, long sample, Set<Table> leftOut) {
        this.file = file;
        this.base = base;
        this.sample = sample;
        this.leftOut = Set.copyOf(leftOut);
    }

    /// Starts a recording: what is committed now has the value 0.
    ///
    /// @param sample of how many keys one is recorded; 1 for all
    /// @param leftOut tables that are not recorded, at least those in which records are deleted
    public static HistoryRecorder start(
            NamDb db, HistoryFile file, long sample, Set<Table> leftOut) {
        if (sample < 1) {
            throw new IllegalArgumentException("one of at least 1 keys, not of " + sample);
        }
        Snapshot base = new Snapshot();
        db.transact(tx -> {
            base.copyFrom(tx.snapshot());
            return true;
        });
        return new HistoryRecorder(file, base, sample, leftOut);
    }

    /// Records what the session does from now on, until it is closed. It is called by the number of
    /// its slot.
    public void record(Session session) {
        session.observe(new SessionRecorder(this, file.writer(), "s" + session.slotNumber()));
    }

    boolean holds(Table table, long key) {
        return Long.remainderUnsigned(key, sample) == 0 && !leftOut.contains(table);
    }

    /// The value of a version.
    long value(long version) {
        return base.sees(version) ? 0 : version;
    }

    long nextTid() {
        return tids.incrementAndGet();
    }
}
